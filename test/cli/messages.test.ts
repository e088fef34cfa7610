/** Messages name the options that were typed, and propose commands that work on the same folder. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { CLI, invented, launch, priorart, temporary, writeLines } from '../crash/folder.js';

describe('messages about a request', () => {
  let dir: string;
  let data: string;
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'priorart-messages-'));
    data = join(dir, 'data');
    const file = writeLines(join(dir, 'all.jsonl'), invented(2));
    assert.equal((await priorart('ingest', '--data', data, file)).code, 0);
  });
  after(() => rmSync(dir, { recursive: true }));

  it('name options, and leave values as they are', async () => {
    const cases: [string, RegExp][] = [
      ['search x --filing-date-from 2020-13-01', /: --filing-date-from: invalid date "2020-13-01"; expected/],
      [
        'search x --filing-date-from 2022-01-01 --filing-date-to 2021-01-01',
        /: --filing-date-from: .* a day not after --filing-date-to, 2021-01-01$/,
      ],
      [
        'search x --prefer-countries KR',
        /: --prefer-countries: got \["KR"\]; expected --collapse family with it$/,
      ],
      ['search x --countries KR,DE', /: --countries: got "DE"; expected one of/],
      [
        'search x --like top_k --unlike like:',
        /: --like: .* publication "top_k"; .*\. --unlike: .* publication "like:"; /,
      ],
      ['search --unlike US1', /: no question; expected one in quotes, or --like/],
      ['stats x --date-range-from 2020-13-01', /: --date-range-from: invalid date/],
      ['stats x --stats-group-by month', /: --stats-group-by: got "month"/],
      ['explain x --top-k 0', /: --top-k: got 0/],
      ['export --grant-date-to never', /: --grant-date-to: invalid date "never"/],
      ['accounts create A --plan pro --monthly-quota 5', /: --monthly-quota is for the plan enterprise/],
      ['accounts create A --plan gold', /: --plan: got "gold"/],
      ['usage --account none', /: --account: no account has the id or name "none"/],
    ];
    for (const [line, message] of cases) {
      const { stderr } = await priorart(...line.split(' '), '--data', data);
      assert.match(stderr.trim(), message, line);
    }
  });

  it('name the option that adds a field', async () => {
    assert.equal((await priorart('accounts', 'create', 'Team', '--plan', 'pro', '--data', data)).code, 0);
    const { stderr } = await priorart(
      'accounts',
      'change',
      'Team',
      '--add-environment',
      'A B',
      '--data',
      data,
    );
    assert.match(stderr, /^priorart: --add-environment: got "A B"; expected/);
  });

  it('a file that an option names and that cannot be read is one sentence with the option, the file and a remedy', async () => {
    const absent = join(dir, 'top_k.absent');
    const file = join(dir, 'file');
    writeFileSync(file, '');
    const cluster = '--engine opensearch --opensearch-nodes http://127.0.0.1:1';
    const models = 'expected a model configuration, such as models.json; check the path';
    const cases: [line: string, path: string, sentence: string, code: number][] = [
      [`search x --data ${data} --models`, absent, models, 1],
      [`serve --data ${data} --models`, absent, models, 1],
      [`check --data ${data} --models`, absent, models, 1],
      [`calibrate --queries ${file} --qrels ${file} --write ${file} --models`, absent, models, 1],
      [`search x --data ${data} --models`, dir, models, 2],
      [`search x ${cluster} --opensearch-ca`, absent, 'expected certificates in PEM form; check the path', 1],
      [`serve ${cluster} --opensearch-ca`, dir, 'expected certificates in PEM form; check the path', 2],
      [
        `serve --data ${data} --tls-key ${file} --tls-cert`,
        absent,
        'expected a certificate with its chain in PEM form; check the path',
        1,
      ],
      [
        `serve --data ${data} --tls-cert ${file} --tls-key`,
        dir,
        'expected a key without a password in PEM form; check the path',
        1,
      ],
      [`eval --data ${data} --qrels ${file} --queries`, absent, 'check the path', 1],
    ];
    for (const [line, path, sentence, expected] of cases) {
      const { code, stderr } = await priorart(...line.split(' '), path);
      const option = line.split(' ').at(-1);
      const why = path === dir ? 'is a folder' : 'does not exist';
      assert.equal(stderr, `priorart: ${option}: the file "${path}" ${why}; ${sentence}\n`, line);
      assert.equal(code, expected, line);
    }
    const below = join(file, 'below');
    const { stderr } = await priorart('search', 'x', '--data', data, '--models', below);
    assert.match(stderr, /^priorart: --models: .* does not exist: a part of its path is a file; /);
  });
});

/** A folder without an index, whose commands propose others. */
function withoutKeys(t: TestContext): string {
  const data = join(temporary(t), 'own folder');
  mkdirSync(data);
  return data;
}

it('proposed commands have the folder of an option', async (t) => {
  const data = withoutKeys(t);
  const option = `--data '${data}'`;
  const revoked = await priorart('keys', 'revoke', 'key_none', '--data', data);
  assert.ok(revoked.stderr.includes(`\`priorart keys ${option}\` lists them`), revoked.stderr);
  const keys = await priorart('keys', 'list', '--data', data);
  assert.ok(keys.stdout.includes(`\`priorart keys create --account NAME ${option}\``), keys.stdout);
  const missing = await priorart('keys', 'list', '--data', join(data, 'none'));
  assert.ok(
    missing.stderr.includes(`\`priorart ingest FILE… --data '${join(data, 'none')}'\``),
    missing.stderr,
  );
  // Help is the same for all folders.
  const search = await priorart('search', '--data', data);
  assert.match(search.stderr, /see `priorart search --help`$/m);
});

it('proposed commands have the folder of a file of settings that an option names', async (t) => {
  const data = withoutKeys(t);
  const file = join(data, 'settings.json');
  writeFileSync(file, JSON.stringify({ data: join(data, 'none') }));
  const { stderr } = await priorart('serve', '--settings', file, '--page-account', 'x');
  assert.match(stderr, /`priorart ingest .*--data .*none/);
});

it('proposed commands have no folder if the environment names it', async (t) => {
  const data = withoutKeys(t);
  const env = { ...process.env, PRIORART_DATA: data };
  const { stderr } = await launch(CLI, ['keys', 'revoke', 'key_none'], env).ended;
  assert.match(stderr, /`priorart keys` lists them/);
});

it('a refused setting is named by where its value comes from', async (t) => {
  const data = withoutKeys(t);
  const file = join(data, 'settings.json');
  const cases: [args: string[], env: Record<string, string>, message: RegExp][] = [
    [['drawings', 'push'], { PRIORART_S3_BUCKET: 'No' }, /^PRIORART_S3_BUCKET: got "No"; expected/],
    [['drawings', 'push', '--s3-bucket', 'No'], {}, /^--s3-bucket: got "No"; expected/],
    [
      ['drawings', 'push', '--s3-bucket', 'No'],
      { PRIORART_S3_BUCKET: 'patents' },
      /^--s3-bucket: got "No"; expected/,
    ],
    [
      ['drawings', 'push', '--s3-bucket', 'patents'],
      { PRIORART_S3_PREFIX: '--s3-prefix/../' },
      /^PRIORART_S3_PREFIX: got "--s3-prefix\/\.\.\/"; expected/,
    ],
    [
      ['search', 'x'],
      { PRIORART_MODELS: join(data, 'absent') },
      /^PRIORART_MODELS: the file ".*absent" does/,
    ],
  ];
  for (const [args, env, message] of cases) {
    const { stderr } = await launch(CLI, [...args, '--data', data], { ...process.env, ...env }).ended;
    assert.match(stderr.replace('priorart: ', ''), message, args.join(' '));
  }
  writeFileSync(file, JSON.stringify({ 's3-bucket': 'No' }));
  const env = { ...process.env, PRIORART_SETTINGS: file };
  const { code, stderr } = await launch(CLI, ['drawings', 'push', '--data', data], env).ended;
  assert.equal(code, 2);
  assert.ok(stderr.startsWith(`priorart: the settings file ${file}, s3-bucket: got "No"; expected`), stderr);
});

it('a fault of a settings file is one sentence that names the file', async (t) => {
  const file = join(temporary(t), 'settings.json');
  const { code, stderr } = await priorart('serve', '--settings', file);
  assert.equal(code, 1);
  assert.equal(
    stderr,
    `priorart: the settings file ${file} does not exist; expected a JSON object of settings, such as {"port": 8080}\n`,
  );
});
