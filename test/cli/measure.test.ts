/** The commands `embed`, `eval` and `calibrate`. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { linesOf } from '../../src/cli/lines.js';
import { parseRun } from '../../src/eval/trec.js';
import { loadModels } from '../../src/models/load.js';
import { CLI, FIXTURES, priorart } from '../crash/folder.js';
import fc from '../property.js';

const TEXTS = ['고체 전해질 조성물', '', 'solid electrolyte', '固体電解質\u2028組成物', '固态电解质'];

/** Standard output of `priorart embed` for an input. */
async function embed(input: string, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [CLI, 'embed', ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(input);
  return textOf(child.stdout);
}

async function collected(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

describe('measuring commands', () => {
  let dir: string;
  let data: string;
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'priorart-measure-'));
    data = join(dir, 'data');
    assert.equal((await priorart('ingest', '--data', data, ...FIXTURES)).code, 0);
  });
  after(() => rmSync(dir, { recursive: true }));

  const judged = ['--queries', 'fixtures/queries.tsv', '--qrels', 'fixtures/qrels.txt'];

  it('embed writes the vectors of the model in every format, one for each line', async () => {
    const { embedder } = await loadModels();
    const expected = await embedder.embed(TEXTS, 'query');
    const rows = TEXTS.map((_, n) =>
      expected.subarray(n * embedder.dimensions, (n + 1) * embedder.dimensions),
    );

    const jsonl = (await embed(TEXTS.join('\r\n'), '--kind', 'query')).trimEnd().split('\n');
    assert.deepEqual(
      jsonl.map((line) => (JSON.parse(line) as { line: number }).line),
      [1, 2, 3, 4, 5],
    );
    const asked = jsonl.map((line) => new Float32Array((JSON.parse(line) as { vector: number[] }).vector));
    assert.deepEqual(
      asked,
      rows.map((row) => new Float32Array(row)),
    );

    const passages = await embedder.embed(TEXTS, 'passage');
    const vectors = TEXTS.map((_, n) =>
      passages.slice(n * embedder.dimensions, (n + 1) * embedder.dimensions),
    );
    const tsv = (await embed(`${TEXTS.join('\n')}\n`, '--format', 'tsv')).trimEnd().split('\n');
    assert.deepEqual(
      tsv.map((line) => new Float32Array(line.split('\t').map(Number))),
      vectors,
    );

    const file = join(dir, 'texts.txt');
    const npy = join(dir, 'vectors.npy');
    writeFileSync(file, `\ufeff${TEXTS.join('\n')}`);
    assert.equal((await priorart('embed', file, file, '--format', 'npy', '--out', npy)).code, 0);
    const bytes = readFileSync(npy);
    // https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
    assert.equal(bytes.toString('latin1', 0, 8), '\x93NUMPY\x01\x00');
    const head = 10 + bytes.readUInt16LE(8);
    assert.equal(head % 64, 0);
    assert.match(
      bytes.toString('latin1', 10, head),
      /^\{'descr': '<f4', 'fortran_order': False, 'shape': \(10, 256\), \} *\n$/,
    );
    const numbers = new Float32Array(new Uint8Array(bytes.subarray(head)).buffer);
    assert.deepEqual(numbers, new Float32Array([...passages, ...passages]));
  });

  it('lines do not depend on the chunks of standard input', async () => {
    const line = fc
      .string({ unit: 'grapheme', maxLength: 20 })
      .map((text) => text.replace(/[\r\n\ufeff]/g, ''));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 9 }),
        async (lines, step) => {
          const bytes = Buffer.from(`${lines.join('\n')}\n`);
          async function* pieces() {
            for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
          }
          assert.deepEqual(await collected(linesOf(pieces(), 1000, 'x')), lines);
        },
      ),
    );
    async function* long() {
      yield Buffer.from('ab\nabcdef');
    }
    await assert.rejects(collected(linesOf(long(), 4, 'x')), /x, line 2: longer than 4 bytes/);
    async function* broken() {
      yield Buffer.from([0x41, 0xff, 0x0a]);
    }
    await assert.rejects(collected(linesOf(broken(), 9, 'x')), /x, line 1: invalid UTF-8/);
  });

  it('eval prints measures and writes the measured run', async () => {
    const run = join(dir, 'found.run');
    const { code, stdout, stderr } = await priorart(
      'eval',
      '--data',
      data,
      ...judged,
      '--run',
      run,
      '--json',
    );
    assert.equal(code, 0, stderr);
    const report = JSON.parse(stdout);
    assert.equal(report.all.questions, 94);
    for (const order of ['dense', 'reranked']) {
      for (const name of ['recall@10', 'recall@100', 'ndcg@10', 'mrr']) {
        const { mean, low, high } = report.all[order][name];
        assert.ok(0.5 < low && low <= mean && mean <= high && high <= 1, `${order} ${name}`);
      }
    }
    assert.equal(parseRun(readFileSync(run, 'utf8'), run).size, 94);
    const dense = await priorart('eval', '--data', data, ...judged, '--no-rerank', '--recall-at', '1,3');
    assert.match(dense.stdout, /questions +order +recall@1 +recall@3 +ndcg@10 +mrr\nall +94 +dense/);
    assert.doesNotMatch(dense.stdout, /reranked/);
  });

  it('calibrate fits a folder, and writes only the requested calibration into a models.json', async () => {
    const models = join(dir, 'models.json');
    writeFileSync(models, '{"embedder": {"kind": "static"}, "reranker": {"kind": "static"}}');
    const args = ['calibrate', '--data', data, ...judged, '--write', models, '--json'];
    const { code, stdout, stderr } = await priorart(...args);
    assert.equal(code, 0, stderr);
    const { calibration, relevant, near, f1, precision, recall, deciles } = JSON.parse(stdout);
    assert.ok(
      relevant >= 100 && near >= 1_000,
      `expected 100 relevant and 1,000 near pairs: ${relevant}, ${near}`,
    );
    assert.ok(
      f1 > 0.3 && Math.abs(f1 - (2 * precision * recall) / (precision + recall)) < 1e-9,
      `expected F1 of precision ${precision} and recall ${recall}: ${f1}`,
    );
    assert.deepEqual([deciles.relevant.length, deciles.near.length], [9, 9]);
    const shown = await priorart('calibrate', '--data', data, ...judged);
    assert.match(
      shown.stdout,
      /^At a similarity of 0\.5: F1 0\.\d{3}, precision 0\.\d{3}, recall 0\.\d{3}\.$/m,
    );
    assert.match(shown.stdout, /^near irrelevant( +[01]\.\d{3}){9}$/m);
    assert.deepEqual(JSON.parse(readFileSync(models, 'utf8')), {
      embedder: { kind: 'static', calibration },
      reranker: { kind: 'static' },
    });
    // The written file works at once, is created if it is missing, and stays unchanged if it describes another model.
    assert.equal((await priorart('search', '--data', data, '--models', models, 'electrolyte')).code, 0);
    const made = join(dir, 'made.json');
    assert.equal((await priorart('calibrate', '--data', data, ...judged, '--write', made)).code, 0);
    assert.deepEqual(JSON.parse(readFileSync(made, 'utf8')).embedder, { kind: 'static', calibration });
    const other = join(dir, 'other.json');
    const foreign = '{"embedder": {"kind": "static", "file": "other.bin"}}';
    writeFileSync(other, foreign);
    const refused = await priorart('calibrate', '--data', data, ...judged, '--write', other);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /other\.json describes another embedder/);
    assert.equal(readFileSync(other, 'utf8'), foreign);
  });

  it('wrong usage is exit code 2; a failed fit and a missing file are exit code 1', async () => {
    const pairs = join(dir, 'pairs.tsv');
    writeFileSync(pairs, 'solid electrolyte\telectrolyte\t1\nsolid electrolyte\tshoe\t0\n');
    const foreign = join(dir, 'foreign.txt');
    writeFileSync(foreign, 'q01-ko 0 US20990000001A1 2\n');
    const cases: [string[], number, RegExp][] = [
      [
        ['eval', '--data', data, '--queries', 'fixtures/queries.tsv', '--qrels', foreign, '--json'],
        1,
        /^priorart: none of 94 questions has a relevant publication in \S+ \(not there: 1 judged publication\); expected judgements/m,
      ],
      [['embed', '--kind', 'title'], 2, /--kind: got "title"; expected one of query, passage/],
      [['embed', '--format', 'npy'], 2, /expected --out FILE/],
      [['embed', join(dir, 'none')], 1, /the file ".*none" does not exist; check the path/],
      [
        ['eval', '--data', data, '--queries', 'fixtures/none', '--qrels', 'fixtures/qrels.txt'],
        1,
        /--queries: the file "fixtures\/none" does not exist; check the path/,
      ],
      [
        ['eval', '--data', data, '--queries', 'fixtures/qrels.txt', '--qrels', 'fixtures/qrels.txt'],
        2,
        /line 1/,
      ],
      [
        ['eval', '--data', data, ...judged, '--recall-at', '0'],
        2,
        /--recall-at: got "0"; expected integers from 1 to 100/,
      ],
      [['calibrate', '--data', data], 2, /expected --queries and --qrels, or --pairs/],
      [
        ['calibrate', '--pairs', pairs],
        1,
        /got 1 relevant and 1 other pairs; expected at least 100 and 1000/,
      ],
    ];
    for (const [args, expected, message] of cases) {
      const { code, stdout, stderr } = await priorart(...args);
      assert.equal(code, expected, `${args}: ${stderr}`);
      assert.match(stderr, message);
      assert.equal(stdout, '');
    }
  });
});
