/** The command line: help with examples, exit codes, and results alone on standard output. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { unknownVariables } from '../../src/cli/variables.js';
import { UNRELATED_BELOW } from '../../src/limits.js';
import type { SearchResponse } from '../../src/search/types.js';
import { CLI, type Ended, FIXTURES, launch, priorart } from '../crash/folder.js';
import { noSharp } from '../drawings/images.js';

const COMMANDS = [
  'ingest',
  'search',
  'serve',
  'explain',
  'export',
  'show',
  'stats',
  'coverage',
  'eval',
  'embed',
  'calibrate',
  'delete',
  'check',
  'reembed',
  'drawings',
  'snapshot',
  'mcp',
  'keys',
];
const KEY_COMMANDS = ['drawings push', 'keys create', 'keys list', 'keys revoke'];

describe('command line', () => {
  let dir: string;
  let data: string;
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'priorart-cli-'));
    data = join(dir, 'data');
    assert.equal((await priorart('ingest', '--data', data, ...FIXTURES)).code, 0);
  });
  after(() => rmSync(dir, { recursive: true }));

  const run = (line: string, ...more: string[]): Promise<Ended> => priorart(...line.split(' '), ...more);

  it('every command has help with examples', async () => {
    const { code, stdout } = await run('--help');
    assert.equal(code, 0);
    for (const command of COMMANDS) assert.match(stdout, new RegExp(`^  ${command} `, 'm'));
    for (const command of [...COMMANDS, ...KEY_COMMANDS]) {
      const help = await run(`${command} --help`);
      assert.equal(help.code, 0, command);
      assert.match(help.stdout, new RegExp(`^Usage: priorart ${command} `), command);
      assert.match(help.stdout, new RegExp(`^Examples:\n  priorart ${command} `, 'm'), command);
      assert.equal(help.stderr, '', command);
    }
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    assert.equal((await run('--version')).stdout, `${version}\n`);
  });

  it('reembed without --models resumes, and is refused if there is nothing to resume, as its help says', async () => {
    const { stdout } = await run('reembed --help');
    assert.match(
      stdout.replace(/\s+/g, ' '),
      /Without it, the command resumes .* installed version of the folder's own model, and fails if they have them/,
    );
    assert.doesNotMatch(stdout, /models of the data folder/);
    const refused = await run(`reembed --data ${data}`);
    assert.deepEqual([refused.code, refused.stdout], [2, '']);
    assert.match(
      refused.stderr,
      /no model given, no unfinished re-embedding, and the folder has the installed version .*; expected --models FILE/,
    );
  });

  it('help of a command is what the command prints with --help', async () => {
    for (const command of ['', 'search', 'keys', 'keys create']) {
      const help = await run(`help ${command}`.trim());
      assert.deepEqual([help.code, help.stderr], [0, ''], command);
      assert.equal(help.stdout, (await run(`${command} --help`.trim())).stdout, command);
    }
    assert.equal((await run('keys help create')).stdout, (await run('keys create --help')).stdout);
  });

  it('options may stand before the command that they belong to', async () => {
    const own = join(dir, 'own');
    mkdirSync(own);
    const created = await priorart('keys', '--data', own, 'create', '--account', 'list');
    assert.equal(created.code, 0, created.stderr);
    const listed = await run(`keys list --json --data ${own}`);
    for (const line of [
      `keys --data=${own} list --json`,
      `keys --json --data ${own} list`,
      `--data ${own} keys --json list`,
      `--data ${own} keys --json`,
    ]) {
      const { code, stdout, stderr } = await run(line);
      assert.deepEqual([code, stdout, stderr], [0, listed.stdout, ''], line);
    }
    // The name of a command can be a value or an argument.
    const account = await run(`keys --account list create --data ${own}`);
    assert.equal(account.code, 0, account.stderr);
    const question = await run(`search --json --data ${data} list`);
    assert.equal(question.stdout, (await run(`search list --json --data ${data}`)).stdout);
  });

  it('an unknown variable that resembles a setting is a warning with the nearest name', async () => {
    const env = {
      ...process.env,
      PRIORART_PROT: '1',
      PRIORART_ZZZ: '1',
      PRIORART_KEY: 'x',
      PRIORART_HOST: '::1',
    };
    const { code, stderr } = await launch(CLI, ['keys', 'list', '--data', data], env).ended;
    assert.equal(code, 0);
    assert.deepEqual(stderr.split('\n').filter(Boolean).sort(), [
      'priorart: warning: unknown setting PRIORART_PROT: it has no effect; did you mean PRIORART_PORT?',
      'priorart: warning: unknown setting PRIORART_ZZZ: it has no effect',
    ]);
  });

  it('a command does not fail for an invalid variable that it does not read, but for one that it reads', async () => {
    const invalid = {
      ...process.env,
      PRIORART_PORT: 'x',
      PRIORART_NICE: 'x',
      PRIORART_OPENSEARCH_SHARDS: 'x',
    };
    const run = (line: string, env: NodeJS.ProcessEnv = invalid) =>
      launch(CLI, [...line.split(' '), '--data', data], env).ended;
    for (const line of ['check', 'usage', 'accounts', 'coverage', 'search list', 'ingest --status']) {
      const { code, stderr } = await run(line);
      assert.deepEqual([code, stderr], [0, ''], line);
    }
    const typed = await run('coverage --opensearch-shards x');
    assert.match(typed.stderr, /^priorart: --opensearch-shards: got "x"; expected /);
    for (const [line, name] of [
      ['coverage --engine opensearch --opensearch-nodes http://127.0.0.1:9', 'PRIORART_OPENSEARCH_SHARDS'],
      ['migrate to-folder', 'PRIORART_OPENSEARCH_SHARDS'],
      ['reembed', 'PRIORART_NICE'],
    ] as const) {
      const { code, stderr } = await run(line);
      assert.equal(code, 2, line);
      assert.ok(stderr.startsWith(`priorart: ${name}: got "x"; expected `), stderr);
    }
    const engine = await run('check', { ...process.env, PRIORART_ENGINE: 'x' });
    assert.match(engine.stderr, /^priorart: PRIORART_ENGINE: got "x"/);
  });

  it('a variable that .ci/run exports is no warning, for it would be in the output of every command under test', () => {
    const exported = readFileSync(resolve('.ci/run'), 'utf8').matchAll(/^export (PRIORART_\w+)=/gm);
    const names = [...exported].map(([, name]) => name as string);
    assert.ok(names.includes('PRIORART_TEST_PROPERTY_SEED'));
    assert.deepEqual(unknownVariables(Object.fromEntries(names.map((name) => [name, '1']))), []);
  });

  it('the message for an unknown key names the command that lists keys', async () => {
    const { code, stderr } = await priorart('keys', 'revoke', 'key_none', '--data', data);
    assert.equal(code, 1);
    assert.equal(
      stderr,
      `priorart: key: there is no key "key_none"; \`priorart keys --data ${data}\` lists them\n`,
    );
  });

  it('wrong usage is exit code 2 with the expected usage', async () => {
    const cases: [string, RegExp][] = [
      ['', /Usage: priorart/],
      ['bogus', /unknown command 'bogus'/],
      ['help qqqqq', /^priorart: unknown command 'qqqqq'; see `priorart --help`$/m],
      ['help serch', /unknown command 'serch'; did you mean search\? see `priorart --help`$/m],
      [
        'help keys bogus',
        /unknown command 'bogus'; expected create, list, revoke; see `priorart keys --help`$/m,
      ],
      ['keys help bogus', /unknown command 'bogus'; expected create, list, revoke; see /],
      [
        'help search bogus',
        /unknown command 'bogus'; search has no commands; see `priorart search --help`$/m,
      ],
      ['keys bogus more words', /unknown command 'bogus'; expected /],
      ['keys bogus', /unknown command 'bogus'; expected .*create, .*; see `priorart keys --help`/],
      ['keys list bogus words', /too many arguments for 'list'\. Expected 0 arguments but got 2\./],
      ['maintenance status bogus', /too many arguments for 'status'\. Expected 0 arguments but got 1\./],
      [`keys --data ${data} -- list`, /'list' comes too late; expected `priorart keys list … --data /],
      [`keys --data ${data} bogus`, /unknown command 'bogus'; expected create, list, revoke; /],
      [`keys --account A list --data ${data}`, /unknown option '--account'/],
      ['ingest --status bogus', /--status takes no files; got bogus/],
      ['ingest --schema bogus', /--schema takes no files; got bogus/],
      ['keys create', /--account/],
      ['search', /no question; expected one in quotes, or --like; see `priorart search --help`/],
      ['search x --bogus', /unknown option '--bogus'/],
      [`search x --data ${data} --top-k 0`, /^priorart: --top-k: got 0; expected an integer from 1 to 100/],
      [`search x --data ${data} --top-k ten`, /--top-k: got "ten"; expected an integer from 1 to 100/],
      [`search x --data ${data} --countries KR,DE`, /--countries: got "DE"/],
      [
        `search x --data ${data} --filing-date-from 2020-02-30`,
        /--filing-date-from: .*2020-02-30.*YYYY-MM-DD/,
      ],
      [`search x --data ${data} --ipc-codes H1M`, /--ipc-codes.*H1M/],
      [`search x --data ${data} --applicant A --applicant-match like`, /--applicant-match.*like/],
      ['ingest', /no files given/],
      ['ingest --watch fixtures/kr', /--watch: got "fixtures\/kr"; expected seconds.*FOLDER --watch/],
      [
        `ingest --data ${join(dir, 'new')} --index btree fixtures/kr`,
        /unknown index kind "btree"; expected one of auto/,
      ],
      [`ingest --data ${data} --workers none fixtures/kr`, /--workers: got "none"; expected an integer/],
      [`serve --data ${data} --port 99999`, /--port: got "99999"; expected an integer from 0 to 65535/],
      ['serve --json', /unknown option '--json'/],
      [`keys create --data ${data} --account A --plan gold`, /--plan: got "gold"; expected one of free/],
    ];
    for (const [line, message] of cases) {
      const { code, stdout, stderr } = await priorart(...line.split(' ').filter(Boolean));
      assert.equal(code, 2, `${line}: ${stderr}`);
      assert.match(stderr, message, line);
      assert.equal(stdout, '', line);
      assert.doesNotMatch(stderr, /\n +at /, `${line}: a stack`);
    }
    assert.ok(!existsSync(join(dir, 'new')), 'no folder was created');
  });

  it('a missing index is exit code 1 with the command that makes one', async () => {
    const missing = join(dir, 'missing');
    for (const command of [
      'search x',
      'explain x',
      'check',
      'delete X',
      'serve',
      'keys create --account A',
      'keys list',
      'keys revoke X',
    ]) {
      const { code, stdout, stderr } = await run(command, '--data', missing);
      assert.equal(code, 1, `${command}: ${stderr}`);
      assert.ok(stderr.includes(missing), command);
      assert.equal(stdout, '', command);
      assert.ok(!existsSync(missing), `${command} created the folder`);
    }
  });

  it('a file at the path of the data folder is an error that says this', async () => {
    const file = resolve('package.json');
    for (const place of [file, join(file, 'below')]) {
      const { code, stderr } = await run(`ingest --data ${place}`, ...FIXTURES);
      assert.equal(code, 1);
      assert.match(
        stderr,
        /cannot make the data folder .*package\.json.*is a file; give another with --data/,
      );
      assert.doesNotMatch(stderr, /\n +at /);
    }
  });

  it('names of values are case-insensitive', async () => {
    const upper = await run(`search lidar --json --countries KR --doc-type grant --data ${data}`);
    const lower = await run(`search lidar --json --countries kr --doc-type Grant --data ${data}`);
    assert.ok(JSON.parse(upper.stdout).total > 0);
    assert.equal(lower.stdout, upper.stdout);
  });

  it('search and explain report that no result is about the question', async () => {
    // Separate calibrations, independent of the shipped one: everything dissimilar, everything similar.
    const [far, near] = [0.99, -0.99].map((midpoint) => {
      const path = join(dir, `midpoint${midpoint}.json`);
      writeFileSync(
        path,
        JSON.stringify({ embedder: { kind: 'static', calibration: { midpoint, slope: 8 } } }),
      );
      return path;
    });
    const hint = /^Nothing here seems to be about this: the best similarity is (0\.\d\d)\. Try .*\n\n 1\. /;
    const said = await run(`search opera --data ${data} --models ${far}`);
    assert.equal(said.code, 0, said.stderr);
    assert.match(said.stdout, hint);
    const json = await run(`search opera --json --data ${data} --models ${far}`);
    const { results, ...rest } = JSON.parse(json.stdout) as SearchResponse;
    assert.deepEqual(rest, { total: 10 }, 'only the specified answer');
    const best = Math.max(...results.map((result) => result.similarity_score));
    assert.ok(0 < best && best < UNRELATED_BELOW, `expected a similarity below ${UNRELATED_BELOW}: ${best}`);
    assert.equal(hint.exec(said.stdout)![1], best.toFixed(2));
    const explained = JSON.parse((await run(`explain opera --json --data ${data} --models ${far}`)).stdout);
    assert.deepEqual([explained.best, explained.unrelated], [best, true]);
    assert.match(
      (await run(`explain opera --data ${data} --models ${far}`)).stdout,
      /^nearest +similarity 0\.\d\d; nothing here seems to be about this$/m,
    );

    // A word that documents hold: a question without one has a message of its own.
    assert.match((await run(`search stapler --data ${data} --models ${near}`)).stdout, /^ 1\. /);
    assert.match(
      (await run(`explain opera --data ${data} --models ${near}`)).stdout,
      /^nearest +similarity [01]\.\d\d$/m,
    );
    // If no publication passes the filters, the message says this.
    const nothing = `opera --data ${data} --models ${far} --filing-date-from 2999-01-01`;
    assert.match(
      (await run(`search ${nothing}`)).stdout,
      /^No patent fits\. Of 101 publications in the index,\n/,
    );
    const none = JSON.parse((await run(`explain ${nothing} --json`)).stdout);
    assert.deepEqual([none.best, none.unrelated], [undefined, false]);
    assert.match((await run(`explain ${nothing}`)).stdout, /^nearest +nothing fits$/m);
  });

  it('ingest --json ends with one object of exactly the documented keys', async () => {
    const { code, stdout } = await run(`ingest --data ${join(dir, 'json')} --json`, ...FIXTURES);
    assert.equal(code, 0);
    const [last, empty] = stdout.split('\n').slice(-2);
    assert.equal(empty, '');
    const { seconds, drawings, ...counts } = JSON.parse(last!);
    assert.ok(seconds > 0 && seconds < 60, `expected a duration of up to 60 s: ${seconds}`);
    const none = { updated: 0, unchanged: 0, skipped: 0, skipped_files: 0, skip_reasons: [] };
    assert.deepEqual(counts, { documents: 101, ingested: 101, ...none, failures: 0, failed: [] });
    const keys = [
      'documents',
      'ingested',
      'updated',
      'unchanged',
      'skipped',
      'skipped_files',
      'skip_reasons',
      'failures',
      'failed',
      'seconds',
      'drawings',
    ];
    assert.deepEqual(Object.keys(JSON.parse(last!)), keys);
    const { missing_first: first, ...figures } = drawings;
    // The weekly text file has no drawings.
    if (!noSharp)
      assert.deepEqual(figures, {
        stored: 89,
        unchanged: 0,
        missing: 10,
        unclaimed: 0,
        failures: 0,
        failed: [],
      });
    if (!noSharp) assert.equal(first[0], 'USD0988629S1: USD0988629-20230613-D00000.TIF');
    const again = await run(`ingest --data ${join(dir, 'json')} --json`, ...FIXTURES);
    assert.equal(again.code, 0, 'an ingest without new documents succeeds');
    assert.deepEqual(JSON.parse(again.stdout).unchanged, 101);
  });

  it('check finds no fault, delete deletes, explain explains', async () => {
    const checked = await run(`check --json --data ${data}`);
    assert.equal(checked.code, 0);
    assert.deepEqual(JSON.parse(checked.stdout).problems, []);
    const explained = await run(`explain lidar --json --countries KR --data ${data}`);
    assert.equal(JSON.parse(explained.stdout).plan.exact, true);
    assert.match(
      (await run(`explain lidar --data ${data}`)).stdout,
      /^plan +exact; the filter allows \d+ documents$/m,
    );
    // delete opens no model, so it works without the model's files.
    process.env['PRIORART_MODELS'] = join(dir, 'absent.json');
    const deleted = await priorart('delete', 'US 11,217,824 B2', 'nothing', '--json', '--data', data);
    assert.match((await run(`search lidar --data ${data}`)).stderr, /absent\.json/);
    delete process.env['PRIORART_MODELS'];
    assert.deepEqual(JSON.parse(deleted.stdout), { deleted: ['US11217824B2'], not_found: ['nothing'] });
    const again = await run(`delete US11217824B2 --data ${data}`);
    assert.deepEqual([again.code, again.stdout], [1, 'Deleted nothing.\n']);
    assert.equal(again.stderr, 'priorart: not in the index: US11217824B2\n');
    const ambiguous = await run(`delete EP03893001 --data ${data}`);
    assert.equal(ambiguous.code, 2);
    assert.match(ambiguous.stderr, /EP03893001A1, EP03893001B1/);
  });

  it('keys are made, listed and revoked', async () => {
    const made = JSON.parse((await run(`keys create --json --account Team --data ${data}`)).stdout);
    assert.match(made.secret, /^psk_live_[0-9A-Za-z]{38}$/);
    const listed = await run(`keys list --json --data ${data}`);
    assert.ok(!listed.stdout.includes(made.secret), 'a secret is shown once');
    assert.deepEqual(
      JSON.parse(listed.stdout).map((key: { id: string }) => key.id),
      [made.id],
    );
    assert.equal((await run(`keys revoke ${made.id} --data ${data}`)).code, 0);
    assert.notEqual((await run(`keys revoke nothing --data ${data}`)).code, 0);
  });

  it('a snapshot copies a folder with its keys', async () => {
    const copy = join(dir, 'copy');
    const { id } = JSON.parse((await run(`keys create --json --data ${data} --account Copied`)).stdout);
    const { code, stdout, stderr } = await run(`snapshot --json --data ${data} ${copy}`);
    assert.equal(code, 0, stderr);
    const { folder, documents, linked } = JSON.parse(stdout);
    assert.equal(folder, copy);
    assert.ok(
      documents > 60 && linked > 0,
      `expected more than 60 documents, and links: ${documents}, ${linked}`,
    );
    const keys = JSON.parse((await run(`keys list --json --data ${copy}`)).stdout) as { id: string }[];
    assert.ok(keys.some((key) => key.id === id));
    assert.equal((await run(`check --data ${copy}`)).code, 0);
    const again = await run(`snapshot --data ${data} ${copy}`);
    assert.equal(again.code, 2);
    assert.match(again.stderr, /is there already/);
  });

  it('damaged files are reported by name, place and reason; the other documents are ingested', async () => {
    // Number of ingested publications; places and reasons of failures.
    const damaged: Record<string, [number, ...[string, RegExp][]]> = {
      'truncated.xml': [0, ['byte 0', /line 193, column \d+: the document ends within <heading>/]],
      'weekly-second-broken.xml': [
        2,
        [
          'byte 3651',
          /line 153, column \d+: <\/us-bibliographic-data-application> found; expected the end of <invention-title>/,
        ],
      ],
      'cut.json': [0, ['record 1, byte 0', /not JSON/]],
      'mixed.jsonl': [
        4,
        ['line 2', /filing_date: "2019-02-30"; expected a real day/],
        ['line 4', /claims: .*expected a list/],
        ['line 5', /not a JSON object/],
        ['line 6', /no number/],
        ['line 9', /expected an object/],
      ],
      'picture-named.xml': [0, ['byte 0', /an image/]],
      'empty.xml': [0, ['byte 0', /empty file/]],
      'unknown.xml': [0, ['byte 0', /not a known format: XML <recipe>/]],
      'unknown.json': [0, ['line 1', /not a known format/]],
      'broken-entry.zip': [2, ['entry b/USPP035161-20230613.XML', /damaged zip entry/]],
      'wrong-checksum.zip': [
        2,
        ['entry b/USPP035161-20230613.XML', /^damaged zip entry: its checksum is [0-9a-f]{8}/],
      ],
      'cut.zip': [0, ['byte 0', /damaged zip/]],
    };
    for (const [name, [taken, ...failures]] of Object.entries(damaged)) {
      const file = resolve('fixtures/damaged', name);
      const { code, stdout } = await run(`ingest --json --data ${join(dir, `damaged-${name}`)}`, file);
      const summary = JSON.parse(stdout);
      assert.equal(summary.ingested + summary.updated, taken, name);
      assert.equal(code, taken > 0 ? 3 : 1, `${name}: exit code 3 if a part was taken in, 1 if nothing was`);
      assert.equal(summary.failed.length, failures.length, stdout);
      for (const [n, [position, reason]] of failures.entries()) {
        assert.equal(summary.failed[n].file, file);
        assert.equal(summary.failed[n].position, position, name);
        assert.match(summary.failed[n].reason, reason, name);
      }
      if (taken === 0) continue;
      const checked = await run(`check --json --data ${join(dir, `damaged-${name}`)}`);
      assert.equal(checked.code, 0, `${name} leaves an undamaged folder`);
    }
    const shown = await run(`ingest --data ${join(dir, 'shown')}`, resolve('fixtures/damaged/cut.json'));
    assert.match(shown.stdout, /1 failed\n {2}.*cut\.json, record 1, byte 0: not JSON/);
  });
});
