/**
 * No damage to an index file crashes or hangs a search, returns a missing row or a score that is NaN. Each index kind
 * is read into memory, mapped, and mapped as the index of a segment.
 *
 * `PRIORART_MUTATIONS=1000 node --test dist/test/index/mutations.test.js` sets the number of mutations of every sort
 * on every index kind; `PRIORART_MUTATIONS_SEED` sets the first seed. A failure names the seed of its mutation.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { COLUMNS } from '../../src/index/columns.js';
import { native } from '../../src/index/native.js';
import { DIMENSIONS, MUTATIONS, ROWS, unitVectors } from './mutations.js';

/** Mutations of every sort on every index kind. */
const EACH = Number(process.env['PRIORART_MUTATIONS'] ?? 20);
const SEED = Number(process.env['PRIORART_MUTATIONS_SEED'] ?? 1);
const CHILD = fileURLToPath(new URL('./mutations-process.js', import.meta.url));
const KINDS = native.indexKinds();
const SORTS = Object.keys(MUTATIONS);

/** Mutations for one process, and its limit of processor time, s. A hundred mutations take about two seconds. */
const BATCH = 500;
const CPU_SECONDS = 60;
/** Number of crashes after which the rest of a kind is skipped. */
const ENOUGH = 20;

/** Runs mutations in a separate process; returns its output and its end. */
function runBatch(folder: string, kind: string, first: number, end: number): Promise<[string, string]> {
  const foreign = KINDS[(KINDS.indexOf(kind) + 1) % KINDS.length]!;
  const args = [CHILD, folder, kind, foreign, String(SEED), String(first), String(end)];
  // A limit of processor time ends a hanging process, independent of the machine's speed.
  const limited = ['-c', `ulimit -S -t ${CPU_SECONDS} && exec "$@"`, 'sh', process.execPath, ...args];
  const child = spawn('sh', limited, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code, signal) => done([output, String(signal ?? code)]));
  });
}

/** The outcomes of all mutations of a kind. After a crash, the batch continues with the next mutation. */
async function runKind(folder: string, kind: string): Promise<{ failures: string[]; searched: number }> {
  const [failures, total] = [[] as string[], EACH * SORTS.length];
  let [searched, crashes] = [0, 0];
  for (let first = 0; first < total && crashes < ENOUGH; ) {
    const end = Math.min(first + BATCH, total);
    const [output, status] = await runBatch(folder, kind, first, end);
    let last = 0;
    for (const line of output.split('\n').filter(Boolean)) {
      const [, n, way, outcome] = /^(\d+) (\w+) (.*)$/.exec(line)!;
      last = Number(n);
      if (outcome === 'searched') searched++;
      else if (outcome !== 'refused') {
        failures.push(`seed ${SEED + last}, ${SORTS[last % SORTS.length]}, ${way}: ${outcome || status}`);
      }
    }
    if (status !== '0') crashes++;
    assert.ok(output !== '', `the process of mutation ${first} did not begin: ${status}`);
    first = status === '0' ? end : last + 1;
  }
  return { failures, searched };
}

function writeSegment(path: string): void {
  const writer = new native.SegmentWriter(path, DIMENSIONS, COLUMNS);
  const keywords = COLUMNS.filter(({ kind }) => kind === 'keyword').map(() => []);
  const days = new Int32Array(COLUMNS.length - keywords.length);
  const vectors = unitVectors(ROWS, DIMENSIONS, 1);
  for (let n = 0; n < ROWS; n++) {
    writer.push({
      id: n + 1,
      patentId: `US${n + 1}`,
      application: '',
      grant: false,
      vectors: vectors.slice(n * DIMENSIONS, (n + 1) * DIMENSIONS),
      terms: keywords,
      labels: keywords,
      days,
    });
  }
  writer.finish();
}

describe('damaged index files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'priorart-mutations-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  before(async () => {
    const segment = join(folder, 'segment.bin');
    writeSegment(segment);
    for (const kind of KINDS) {
      const path = join(folder, `${kind}.faiss`);
      await native.buildIndex(segment, `${path}.new`, { kind, threads: 1, seed: 1 });
      renameSync(`${path}.new`, path);
    }
  });

  for (const kind of KINDS) {
    it(`${kind}: ${EACH} mutations of every sort`, async () => {
      const { failures, searched } = await runKind(folder, kind);
      assert.equal(failures.length, 0, `${failures.length} failures:\n${failures.slice(0, 40).join('\n')}`);
      // If readers refuse every file, the test covers no search.
      assert.ok(searched > 0, 'every damaged file was refused');
    });
  }
});
