/**
 * Measures this project on the same data, searched with filter, plan and scan: the documents with their passages, or a
 * document for each passage.
 *
 * `buildOwn` builds the segment and its index. `node own.js JSON` measures in a process of its own, as the peers are
 * measured, and writes the answers and times of each case.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COLUMNS, columnValues } from '../../src/index/columns.js';
import { indexKindFor } from '../../src/index/kinds.js';
import { native } from '../../src/index/native.js';
import type { Patent } from '../../src/patent/record.js';
import { clausesOf } from '../../src/search/filter.js';
import { planOf, scansOf } from '../../src/search/plan.js';
import { parseSemantic } from '../../src/search/query.js';
import type { SegmentEntry } from '../../src/store/manifest.js';
import { Store } from '../../src/store/store.js';
import { type Case, documentsOf, type Exported, type Unit } from './export.js';
import type { Line } from './outcome.js';
import type { Source } from './sources.js';

export const OWN = 'priorart';
/** Passes that are measured, after one that is not; the one with the median processor time counts. As in peers.py. */
const PASSES = 3;

/** What the process measures. */
export interface OwnJob {
  unit: Unit;
  /** Folder of the export, of its questions, and the index folder with the documents. */
  dir: string;
  questionsDir: string;
  folder: string;
  k: number;
  dimensions: number;
  /** Distinguishes the files of several runs. */
  run: string;
}

interface Built {
  entry: SegmentEntry;
  line: Line;
}

function filesOf(dir: string, unit: Unit) {
  const path = (ending: string) => join(dir, `own-${unit}.${ending}`);
  return { done: path('json'), path: path('bin'), index: path('faiss') };
}

/** Builds the segment of the rows and its index, once. */
export async function buildOwn(source: Source, { dir, dimensions, unit }: Exported): Promise<Line> {
  const { done, path, index: file } = filesOf(dir, unit);
  if (!existsSync(done)) {
    const started = performance.now();
    const before = process.cpuUsage();
    const writer = new native.SegmentWriter(path, dimensions, COLUMNS);
    let id = 0;
    for (const { head, vectors: rows } of documentsOf(source)) {
      const values = columnValues(head as Patent);
      const size = unit === 'documents' ? rows.length : dimensions;
      for (let at = 0; at < rows.length; at += size) {
        const patentId = `${head.patent_id}/${at}`;
        const vectors = rows.slice(at, at + size);
        writer.push({ id: ++id, patentId, application: '', grant: false, vectors, ...values });
      }
    }
    const written = writer.finish();
    const kind = indexKindFor('auto', { ...written, dimensions });
    const index =
      kind === undefined
        ? {}
        : {
            index: {
              ...{ kind, file: '', bytes: 0, checksum: '' },
              ...(await native.buildIndex(path, file, { kind, threads: 1, seed: 1 })),
            },
          };
    const { user, system } = process.cpuUsage(before);
    const entry: SegmentEntry = { id: 'own', ...written, firstDoc: 1, lastDoc: id, ...index };
    const line: Line = {
      library: OWN,
      builtSeconds: (performance.now() - started) / 1000,
      builtCpuSeconds: (user + system) / 1e6,
      about: `the plan of a search, filter evaluated each time; index: ${describedIndex(entry)}`,
    };
    writeFileSync(`${done}.tmp`, JSON.stringify({ entry, line }));
    renameSync(`${done}.tmp`, done);
  }
  return (JSON.parse(readFileSync(done, 'utf8')) as Built).line;
}

function describedIndex({ index }: SegmentEntry): string {
  if (index === undefined) return 'none';
  return index.lists === 0 ? index.kind : `${index.kind}, ${index.lists} lists`;
}

/** Measures every case and prints a line for each. */
function measure({ dir, unit, questionsDir, folder, k, dimensions, run }: OwnJob): void {
  const { done, path, index } = filesOf(dir, unit);
  const { entry } = JSON.parse(readFileSync(done, 'utf8')) as Built;
  const indexPath = entry.index ? { indexPath: index } : {};
  const snapshot = new native.Snapshot([{ path, ...indexPath, deleted: new Uint32Array() }]);
  const store = Store.open(folder);
  const bytes = readFileSync(join(questionsDir, 'questions.f32'));
  const questions = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const cases = JSON.parse(readFileSync(join(questionsDir, 'cases.json'), 'utf8')) as Case[];
  const firstRows = firstRowsOf(dir, unit, entry.docs);
  const answersDir = join(questionsDir, 'answers');
  mkdirSync(answersDir, { recursive: true });
  const options = { documents: k, chunks: 1, dedupe: false, minScore: -2 };
  for (const { name, asked } of cases) {
    const prepared = asked.map(({ question, fields }) => {
      const { filters } = parseSemantic({ query: 'any', ...fields } as Parameters<typeof parseSemantic>[0]);
      return {
        vector: questions.subarray(question * dimensions, (question + 1) * dimensions),
        // The peers filter by the field only.
        clauses: clausesOf(filters, store).filter(({ column }) => column !== 'kind_class'),
      };
    });
    const answers = new Int32Array(asked.length * k).fill(-1);
    const scans = new Map<string, number>();
    const passes = Array.from({ length: PASSES + 1 }, (_, pass) => {
      const times = new Float64Array(asked.length * 3);
      for (const [n, { vector, clauses }] of prepared.entries()) {
        const before = process.cpuUsage();
        const started = performance.now();
        const selection = snapshot.select(clauses);
        const selected = process.cpuUsage();
        const plan = planOf([entry], snapshot.segments, selection, k);
        const { docs, passages } = snapshot.search(vector, selection, scansOf(plan), options);
        // As src/search/selections.ts does.
        selection.release();
        const wall = performance.now() - started;
        const after = process.cpuUsage();
        times.set([sumOf(after) - sumOf(before), wall, sumOf(after) - sumOf(selected)], n * 3);
        if (pass > 0) continue;
        for (const [place, id] of docs.entries())
          answers[n * k + place] = firstRows[id - 1]! + passages[place]!;
        const { scan, nprobe } = plan.segments[0]!;
        const how = nprobe === undefined ? scan : `${scan} of ${nprobe} lists`;
        scans.set(how, (scans.get(how) ?? 0) + 1);
      }
      return times;
    });
    const cpuOf = (times: Float64Array) =>
      times.reduce((sum, value, at) => sum + (at % 3 === 0 ? value : 0), 0);
    const measured = passes.slice(1).sort((a, b) => cpuOf(a) - cpuOf(b));
    const times = measured[PASSES >> 1]!;
    const file = join(answersDir, `${OWN}-${run}-${name.replace(/[^a-z0-9.]+/g, '-')}`);
    writeFileSync(`${file}.i32`, new Uint8Array(answers.buffer));
    writeFileSync(`${file}.f64`, new Uint8Array(times.buffer));
    const most = [...scans].sort((a, b) => b[1] - a[1])[0]![0];
    const line: Line = { library: OWN, case: name, file, every: 1, questions: asked.length, setting: most };
    console.log(JSON.stringify(line));
  }
  snapshot.close();
  void store.close();
}

/** The row of the first passage of each document. */
function firstRowsOf(dir: string, unit: Unit, documents: number): Uint32Array {
  const first = Uint32Array.from({ length: documents }, (_, n) => n);
  if (unit === 'passages') return first;
  const bytes = readFileSync(join(dir, 'docs.i32'));
  const docs = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  for (let row = docs.length - 1; row >= 0; row--) first[docs[row]!] = row;
  return first;
}

/** Processor time in ms. */
function sumOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1e3;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) measure(JSON.parse(process.argv[2]!) as OwnJob);
