/** The commands that print the content of an index, show, stats, coverage and export; and searches without results. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { recordText } from '../../src/cli/show.js';
import { bars } from '../../src/cli/stats.js';
import type { Patent } from '../../src/patent/record.js';
import { CLI, type Ended, FIXTURES, priorart } from '../crash/folder.js';
import { type Collection, collect } from '../search/collection.js';

/** Incomplete files of exports in a folder. */
const partsIn = (folder: string) => readdirSync(folder).filter((name) => name.includes('.part'));

describe('records at the command line', () => {
  let dir: string;
  let collection: Collection;
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'priorart-cli-records-'));
    collection = await collect(FIXTURES);
  });
  after(() => {
    rmSync(dir, { recursive: true });
    collection.remove();
  });
  const run = (line: string, ...more: string[]): Promise<Ended> =>
    priorart(...line.split(' '), ...more, '--data', collection.dir);
  const lines = (text: string): Patent[] =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const sorted = (): Patent[] =>
    [...collection.patents.values()].sort((a, b) => (a.patent_id < b.patent_id ? -1 : 1));

  it('export writes every record, and ingest reads the same records', async () => {
    const file = join(dir, 'all.jsonl');
    const told = await run('export --json --out', file);
    assert.equal(told.code, 0, told.stderr);
    const { exported, bytes } = JSON.parse(told.stdout);
    const text = readFileSync(file, 'utf8');
    assert.deepEqual([exported, bytes], [101, Buffer.byteLength(text)]);
    assert.deepEqual(lines(text), sorted());
    const copy = join(dir, 'copy');
    const taken = await priorart('ingest', '--json', '--drawings', 'off', '--data', copy, file);
    assert.deepEqual([JSON.parse(taken.stdout).ingested, JSON.parse(taken.stdout).failed], [101, []]);
    const again = await priorart('export', '--data', copy);
    assert.equal(again.code, 0, again.stderr);
    assert.equal(again.stdout, text, 'equal bytes');
    assert.match(again.stderr, /^101 publications, [\d.]+ kB, in [\d.]+ s\n$/);
    assert.deepEqual(partsIn(dir), []);
  });

  it('two exports to one file at once: each writes it whole', async () => {
    const file = join(dir, 'twice.jsonl');
    const both = await Promise.all([run('export --out', file), run('export --out', file)]);
    for (const { code, stderr } of both) assert.equal(code, 0, stderr);
    assert.deepEqual(lines(readFileSync(file, 'utf8')), sorted());
    assert.deepEqual(partsIn(dir), []);
  });

  it('an exported international application stays one', async () => {
    const [file, data] = [join(dir, 'international.jsonl'), join(dir, 'international')];
    const record = { patent_id: 'JP31500001T', title: '蓋', application_number: 'PCT/JP2017/034001' };
    writeFileSync(file, `${JSON.stringify(record)}\n`);
    for (const folder of [data, `${data}-again`]) {
      const taken = await priorart('ingest', '--data', folder, file);
      assert.equal(taken.code, 0, taken.stderr);
      const { stdout } = await priorart('export', '--data', folder);
      assert.equal(lines(stdout)[0]?.application_number, 'PCT/JP2017/034001');
      const shown = await priorart('show', 'JP31500001T', '--json', '--data', folder);
      assert.deepEqual(lines(shown.stdout), lines(stdout));
      writeFileSync(file, shown.stdout);
    }
  });

  it('export takes filters, and ingest ignores exported vectors', async () => {
    const some = await run('export --countries kr --doc-type grant --vectors');
    assert.equal(some.code, 0, some.stderr);
    const records = lines(some.stdout) as (Patent & { _passages: { vector: number[]; text: string }[] })[];
    const expected = sorted().filter(
      ({ country, kind_code }) => country === 'KR' && kind_code.startsWith('B'),
    );
    assert.deepEqual(
      records.map(({ _passages, ...patent }) => patent),
      expected,
    );
    for (const { _passages } of records) {
      assert.ok(_passages.length > 0);
      for (const { vector, text } of _passages) {
        assert.ok(text.length > 0);
        assert.ok(
          Math.abs(Math.hypot(...vector) - 1) < 0.01,
          `expected a vector of length 1: ${Math.hypot(...vector)}`,
        );
      }
    }
    const file = join(dir, 'vectors.jsonl');
    writeFileSync(file, some.stdout);
    const taken = await priorart('ingest', '--json', '--data', join(dir, 'of-vectors'), file);
    assert.equal(JSON.parse(taken.stdout).ingested, expected.length);
    assert.deepEqual(lines((await priorart('export', '--data', join(dir, 'of-vectors'))).stdout), expected);
    assert.equal((await run('export --countries XX')).code, 2);
    const out = join(dir, 'no', 'out.jsonl');
    const nowhere = await run('export --out', out);
    assert.equal(nowhere.code, 1);
    const remedy = 'mount the disk that it is on, or make the folder first';
    assert.equal(
      nowhere.stderr,
      `priorart: --out ${out}: its folder ${join(dir, 'no')} does not exist; ${remedy}\n`,
    );
  });

  it('show prints a record as text, with its claims as a tree, or complete as JSON', async () => {
    const { code, stdout } = await run('show', 'US 11,217,824 B2');
    assert.equal(code, 0);
    assert.match(stdout, /^US11217824B2 {2}Sulfide solid electrolyte particle/);
    assert.match(stdout, /^filed {7}2019-08-21$/m);
    assert.match(stdout, /^├─ 2\. The solid electrolyte particle of claim 1, /m);
    assert.match(stdout, /^└─ 4\. An all-solid-state battery/m);
    assert.match(stdout, /^ {3}└─ 5\. The all-solid-state battery of claim 4/m);
    assert.match(stdout, /^Description: 14 paragraphs \(--description\): /m);
    assert.doesNotMatch(stdout, /\[0001\]/);
    const whole = await run('show --description US11217824B2');
    for (const { paragraphs } of collection.patents.get('US11217824B2')!.description!) {
      const [first] = paragraphs[0]!.text.split(/\s/);
      assert.ok(whole.stdout.includes(first!));
    }
    const ids = [...collection.patents.keys()];
    const json = await run('show --json', ...ids);
    assert.deepEqual(lines(json.stdout), [...collection.patents.values()]);
    const missing = await run('show US11217824B2 nothing --json');
    assert.deepEqual([missing.code, lines(missing.stdout).length], [1, 1]);
    assert.equal(missing.stderr, 'priorart: not in the index: nothing\n');
    const [a, b] = ['EP03893001A1', 'EP03893001B1'];
    const doubtful = await run(`show US11217824B2 EP03893001 nothing ${a} --json`);
    assert.deepEqual(
      lines(doubtful.stdout).map(({ patent_id }) => patent_id),
      ['US11217824B2', a],
    );
    assert.deepEqual(
      [doubtful.code, doubtful.stderr],
      [2, `priorart: not in the index: nothing\npriorart: EP03893001 fits ${a}, ${b}; name one of them\n`],
    );
    const alone = await run('show EP03893001');
    assert.deepEqual([alone.code, alone.stdout], [2, '']);
    for (const patent of collection.patents.values()) {
      const shown = recordText(patent, true);
      assert.ok(
        shown.split('\n').every((line) => line === line.trimEnd()),
        patent.patent_id,
      );
    }
  });

  it('show prints every claim, also one that refers to several, to a missing one or to itself', () => {
    const claims = [
      { number: 1, text: 'A.' },
      { number: 2, text: 'B of 1.', depends_on: [1] },
      { number: 3, text: 'C of 1 or 2.', depends_on: [1, 2] },
      { number: 4, text: 'D of 9.', depends_on: [9] },
      { number: 5, text: 'E of itself.', depends_on: [5] },
      { number: 6, text: 'F of 2.', depends_on: [2] },
    ];
    const patent: Patent = {
      ...{ patent_id: 'US10000001B2', country: 'US', number: '10000001', kind_code: 'B2' },
      claims,
    };
    assert.equal(
      recordText(patent, false).split('Claims\n')[1],
      [
        '1. A.',
        '├─ 2. B of 1.',
        '│  └─ 6. F of 2.',
        '└─ 3. (also claim 2) C of 1 or 2.',
        '4. (also claim 9) D of 9.',
        '5. (also claim 5) E of itself.',
      ].join('\n'),
    );
  });

  it('show prints each claim of several sets once, below a claim of its set', () => {
    const set = (state: string) => [
      { number: 1, text: `A in ${state}.` },
      { number: 2, text: `B of 1 in ${state}.`, depends_on: [1] },
      { number: 3, text: `C of 2 in ${state}.`, depends_on: [2] },
    ];
    const patent: Patent = {
      ...{ patent_id: 'EP01000001B1', country: 'EP', number: '01000001', kind_code: 'B1' },
      claims: [...set('DE'), ...set('ES')],
    };
    assert.equal(
      recordText(patent, false).split('Claims\n')[1],
      [
        ...['1. A in DE.', '└─ 2. B of 1 in DE.', '   └─ 3. C of 2 in DE.'],
        ...['1. A in ES.', '└─ 2. B of 1 in ES.', '   └─ 3. C of 2 in ES.'],
      ].join('\n'),
    );
  });

  it('stats prints bars; --json is the answer of the HTTP interface', async () => {
    const text = await run('stats battery --min-score 0.1 --page-size 2');
    assert.equal(text.code, 0, text.stderr);
    assert.match(
      text.stdout,
      /^\d+ patents with a similarity of 0\.1 or more\n\nBy year\n {2}\d{4} {2}█+ \d+\n/,
    );
    for (const heading of ['By country', 'Applicants', 'IPC', 'Page 1 of \\d+:'])
      assert.match(text.stdout, new RegExp(`^${heading}$`, 'm'));
    const json = JSON.parse(
      (
        await run(
          'stats battery --json --min-score 0.1 --stats-group-by country --date-range-from 2019-01-01',
        )
      ).stdout,
    );
    assert.deepEqual(Object.keys(json.stats), ['by_country']);
    assert.equal(json.min_score_used, 0.1);
    const earlier = JSON.parse((await run('stats battery --json --min-score 0.1')).stdout);
    assert.ok(
      json.total_matched > 0 && json.total_matched < earlier.total_matched,
      `expected some of ${earlier.total_matched} documents: ${json.total_matched}`,
    );
    assert.match(
      (await run('stats battery --min-score 1')).stdout,
      /^None of the \d+ publications that the filters allow has a similarity of 1 or more; lower the limit with --min-score\.\n$/,
    );
    assert.match((await run('stats x --date-range-from 2999-01-01')).stdout, /^No patent fits\. Of 101 /);
    assert.equal((await run('stats x --min-score two')).code, 2);
  });

  it('stats of a few words says how to count the patents that hold them', async () => {
    const hint =
      /^A question of one to three words .*, add (--must-terms battery --translate-terms --min-score 0)$/m;
    const [, options] = (await run('stats battery')).stdout.match(hint) ?? [];
    assert.ok(options);
    const held = (await run(`stats battery ${options}`)).stdout;
    assert.match(held, /^[1-9]\d* patents/);
    assert.doesNotMatch(held, hint);
    // A comma parts the values of an option.
    const compound = (await priorart('stats', '--data', collection.dir, '1,3-butadiene')).stdout;
    assert.match(compound, /, add --must-terms '"1,3-butadiene"' --translate-terms /);
    const excluded = async (list: string) => (await run(`search x --must-terms ${list}`)).stdout;
    assert.match(await excluded('"zzq,3-zzq"'), /^ {2}101 lack "zzq,3-zzq" \(--must-terms\)$/m);
    assert.match(await excluded('"zz""q",zzp'), /^ {2}101 lack "zz"q" \(--must-terms\)$/m);
    const sentence = 'a battery with a solid electrolyte and an anode of lithium';
    assert.doesNotMatch(
      (await priorart('stats', '--data', collection.dir, sentence)).stdout,
      /one to three words/,
    );
  });

  it('the length of a bar is its share, in columns of a terminal', () => {
    assert.equal(
      bars([
        ['배터리', 4],
        ['Ion', 1],
        ['zero', 0],
      ]),
      [`  배터리  ${'█'.repeat(40)} 4`, `  Ion     ${'█'.repeat(10)} 1`, '  zero     0'].join('\n'),
    );
    assert.match(bars([['x'.repeat(100), 1]]), /^ {2}x{39}… {2}█{40} 1$/);
  });

  it('coverage counts the documents, and opens no model', async () => {
    const { code, stdout } = await run('coverage');
    assert.equal(code, 0);
    assert.match(stdout, /^101 publications, \d+ passages, model priorart-static \d/);
    assert.match(stdout, /^ {2}JP +9 {2}A 5, B2 2, T 1, U 1; filed 1996-12-27 to /m);
    const coverage = JSON.parse((await run('coverage --json')).stdout);
    assert.deepEqual([coverage.total, coverage.by_country.KR.total], [101, 43]);
  });

  it('a question can come from standard input', async () => {
    const ask = (command: string, input: string) =>
      spawnSync(process.execPath, [CLI, command, '-', '--json', '--data', collection.dir], {
        input,
        encoding: 'utf8',
      });
    const given = await run('search --json', 'solid electrolyte');
    assert.equal(ask('search', ' solid electrolyte\n').stdout, given.stdout);
    assert.equal(JSON.parse(ask('stats', 'solid electrolyte').stdout).query, 'solid electrolyte');
    assert.match(ask('search', ' \n').stderr, /query: got ""; expected text of 1 to 10,000 characters/);
    const long = ask('search', 'x'.repeat(50_000));
    assert.equal(long.status, 2);
    assert.match(long.stderr, /standard input is too long; expected a question of at most 10,000 characters/);
  });

  it('an unquoted question of several words is an error that asks for quotes', async () => {
    for (const command of ['search', 'stats', 'explain']) {
      const { code, stderr } = await run(`${command} battery swelling --json`);
      assert.equal(code, 2);
      assert.match(
        stderr,
        /^priorart: the question is one argument; put it in quotes: "battery swelling"\n$/,
      );
    }
  });

  it('a question that is a number or a code is read as one, and the output says so', async () => {
    const cases: [string, RegExp | undefined][] = [
      [
        'US 11,217,824 B2',
        /^US 11,217,824 B2 is the number of US11217824B2: .* show --data \S+ US11217824B2 prints it\./,
      ],
      ['KR1020230069757A', /is the number of KR1020230069757A: it comes first/],
      [
        '特開2018-524120',
        /^No publication in the index has the number 特開2018-524120; it was looked for in the texts/,
      ],
      ['H01M 10/0525', /^H01M 10\/0525 is a classification code with \d+ publications? in the index/],
      ['h01m', /^h01m is a classification code with/],
      ['B99Z', /^Nothing in the index is classified under B99Z; it was looked for in the texts/],
      ['PCT/KR2020/001234', /^No publication in the index has the number PCT\/KR2020\/001234/],
      ['12345678', /^No publication in the index has the number 12345678/],
      ['solid electrolyte', undefined],
      ['5G base station of 2020', undefined],
    ];
    for (const [question, hint] of cases) {
      const { stdout } = await run('search --top-k 1', question);
      if (hint) assert.match(stdout, hint);
      else assert.doesNotMatch(stdout, /it was looked for|is the number|classification code/, question);
    }
  });

  it('a search without results names the excluding filters, or the empty index', async () => {
    const { stdout } = await run('search x --countries JP --filing-date-from 2999-01-01');
    assert.equal(
      stdout,
      [
        'No patent fits. Of 101 publications in the index,',
        '  101 were filed at another time, or have no filing date (--filing-date-…)',
        '  92 are of other offices (--countries)',
        '  5 are utility models (--include-utility-model)',
        '  3 are designs (--kind-codes S,S1)',
        'No publication passes all of these together.',
        'Remove a filter to find more.\n',
      ].join('\n'),
    );
    const dated = (await run('search x --as-of 0001-01-01 --publication-date-from 2999-01-01')).stdout;
    assert.match(dated, /^ {2}101 were not published before that day \(--as-of\)$/m);
    assert.match(dated, /^ {2}101 were published at another time \(--publication-date-…\)$/m);
    const words = await run('search x --must-terms zzzqq --must-not-terms the');
    assert.match(words.stdout, /^ {2}101 lack "zzzqq" \(--must-terms\)$/m);
    assert.match(words.stdout, /^ {2}\d+ hold "the" \(--must-not-terms\)$/m);
    const kinds = await run('search x --doc-type grant --publication-number KR1020200104349A');
    assert.match(kinds.stdout, /\d+ are applications \(--doc-type\)/);
    const empty = join(dir, 'empty');
    assert.equal(
      (await priorart('ingest', '--data', empty, join('fixtures', 'damaged', 'cut.json'))).code,
      1,
    );
    const nothing = await priorart('search', 'x', '--data', empty);
    assert.equal(nothing.code, 0);
    assert.match(nothing.stdout, /^The index in .*empty is empty; add patents: .* ingest --data /);
  });

  it('ingest of a missing path makes no index', async () => {
    const data = join(dir, 'never');
    for (const path of ['nowhere', join('package.json', 'below')]) {
      const { code, stderr } = await priorart('ingest', '--data', data, 'fixtures/kr', path);
      assert.equal(code, 1);
      assert.equal(stderr, `priorart: there is no file or folder ${path}\n`);
      assert.equal(existsSync(data), false);
    }
  });

  it('keys, accounts and maintenance list by default', async () => {
    for (const [command, listing] of [
      ['keys', 'keys list'],
      ['accounts', 'accounts list'],
      ['maintenance', 'maintenance status'],
    ] as const) {
      const [short, long] = [await run(command), await run(listing)];
      assert.equal(short.code, 0, short.stderr);
      assert.equal(short.stdout, long.stdout);
      assert.equal((await run(`${command} --json`)).stdout, (await run(`${listing} --json`)).stdout);
      const wrong = await run(`${command} bogus`);
      assert.equal(wrong.code, 2);
      assert.match(wrong.stderr, /^priorart: unknown command 'bogus'; expected \w+, .*; see `.* --help`\n$/);
      assert.equal(wrong.stdout, '');
    }
  });
});
