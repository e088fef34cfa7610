/** Measures this project on the same data: each passage is a document, searched with filter, planner and scans. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COLUMNS, columnValues } from '../../src/index/columns.js';
import { indexKindFor } from '../../src/index/kinds.js';
import { type NativeSnapshot, native } from '../../src/index/native.js';
import type { Patent } from '../../src/patent/record.js';
import { clausesOf } from '../../src/search/filter.js';
import { planOf, scansOf } from '../../src/search/plan.js';
import { parseSemantic } from '../../src/search/query.js';
import type { SegmentEntry } from '../../src/store/manifest.js';
import { mean } from '../corpus/random.js';
import { recallAt, type Target } from '../recall/target.js';
import type { Asked, Exported } from './export.js';
import type { Line } from './peers.js';

const PASSES = 3;

/** Measures each case. Returns one line a case. */
export async function own(data: Exported, target: Target, k: number): Promise<Line[]> {
  const { entry, snapshot, built } = await opened(data, target);
  const lines: Line[] = [built];
  for (const { name, asked } of data.cases) {
    const prepared = asked.map((one) => preparedOf(one, data, target));
    const search = ({ vector, clauses }: Prepared, exact = false) => {
      const selection = snapshot.select(clauses);
      const plan = planOf([entry], snapshot.segments, selection, k, { exact });
      const options = { documents: k, chunks: 1, dedupe: false, minScore: -2 };
      return {
        hits: snapshot.search(vector, selection, scansOf(plan), options),
        allowed: selection.passages[0]!,
      };
    };
    const recalls = prepared.map((one) => {
      const truth = search(one, true);
      if (truth.allowed !== one.allowed)
        throw new Error(`${name}: ${truth.allowed} rows, not ${one.allowed}`);
      return recallAt(k, search(one).hits.scores, truth.hits.scores) ?? 1;
    });
    const passes = Array.from({ length: PASSES }, () => {
      const before = process.cpuUsage();
      const times = prepared.map((one) => {
        const started = performance.now();
        search(one);
        return performance.now() - started;
      });
      const { user, system } = process.cpuUsage(before);
      times.sort((a, b) => a - b);
      return { cpuMs: (user + system) / 1e3 / prepared.length, p50Ms: times[times.length >> 1]! };
    }).sort((a, b) => a.cpuMs - b.cpuMs);
    lines.push({ library: 'priorart', case: name, recall: mean(recalls), ...passes[PASSES >> 1]! });
  }
  snapshot.close();
  return lines;
}

interface Prepared {
  vector: Float32Array;
  clauses: ReturnType<typeof clausesOf>;
  /** Number of rows that pass the filter, counted separately. */
  allowed: number;
}

function preparedOf({ question, mask, fields }: Asked, data: Exported, { store }: Target): Prepared {
  const { filters } = parseSemantic({ query: 'any', ...fields } as Parameters<typeof parseSemantic>[0]);
  // The peers filter by the field only.
  const clauses = clausesOf(filters, store).filter(({ column }) => column !== 'kind_class');
  const vector = data.questions.subarray(question * data.dimensions, (question + 1) * data.dimensions);
  return { vector, clauses, allowed: mask === undefined ? data.rows : bitsOf(data, mask) };
}

function bitsOf({ dir, rows }: Exported, mask: number): number {
  const bytes = Math.ceil(rows / 8);
  const all = readMasks(join(dir, 'masks.u8')).subarray(mask * bytes, (mask + 1) * bytes);
  let count = 0;
  for (let byte of all) for (; byte !== 0; byte &= byte - 1) count += 1;
  return count;
}

let masks: { path: string; bytes: Buffer } | undefined;
function readMasks(path: string): Buffer {
  if (masks?.path !== path) masks = { path, bytes: readFileSync(path) };
  return masks.bytes;
}

/** Opens the segment with its index. Builds both on first use. */
async function opened(
  { dir, dimensions }: Exported,
  target: Target,
): Promise<{ entry: SegmentEntry; snapshot: NativeSnapshot; built: Line }> {
  const done = join(dir, 'own.json');
  const path = join(dir, 'own.bin');
  if (!existsSync(done)) {
    const started = performance.now();
    const before = process.cpuUsage();
    const writer = new native.SegmentWriter(path, dimensions, COLUMNS);
    let id = 0;
    for (const { key, value: head } of target.store.documents.getRange()) {
      const rows = target.native.vectorsOf(key)!;
      const values = columnValues(head as Patent);
      for (let n = 0; n < head.passages; n++) {
        const vectors = rows.slice(n * dimensions, (n + 1) * dimensions);
        writer.push({
          id: ++id,
          patentId: `${head.patent_id}/${n}`,
          application: '',
          grant: false,
          vectors,
          ...values,
        });
      }
    }
    const written = writer.finish();
    const kind = indexKindFor('auto', { passages: written.passages, dimensions });
    const file = 'own.faiss';
    const index =
      kind === undefined
        ? {}
        : {
            index: {
              ...{ kind, file, bytes: 0, checksum: '' },
              ...(await native.buildIndex(path, join(dir, file), { kind, threads: 1, seed: 1 })),
            },
          };
    const { user, system } = process.cpuUsage(before);
    const entry: SegmentEntry = { id: 'own', ...written, firstDoc: 1, lastDoc: id, ...index };
    const built: Line = {
      library: 'priorart',
      builtSeconds: (performance.now() - started) / 1000,
      builtCpuSeconds: (user + system) / 1e6,
    };
    writeFileSync(`${done}.tmp`, JSON.stringify({ entry, built }));
    renameSync(`${done}.tmp`, done);
  }
  const { entry, built } = JSON.parse(readFileSync(done, 'utf8')) as { entry: SegmentEntry; built: Line };
  const indexPath = entry.index ? { indexPath: join(dir, entry.index.file) } : {};
  const snapshot = new native.Snapshot([{ path, ...indexPath, deleted: new Uint32Array() }]);
  return { entry, snapshot, built };
}
