/**
 * Exports the input of a comparison as plain files: vectors, questions, filters, the rows that pass each filter, and the
 * best scores by brute force. The vectors of a folder are exported once, the questions once for each number of them.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { loadModels } from '../../src/models/load.js';
import { toEpochDay } from '../../src/patent/date.js';
import { stream } from '../corpus/random.js';
import { type Fields, FilterMaker, prefixesOf, SELECTIVITIES } from '../recall/filters.js';
import type { Target } from '../recall/target.js';
import type { Source } from './sources.js';
import { bestScores } from './truth.js';

/** Shares for filters by class, percent. Classes are distributed differently from dates. */
const CLASS_SELECTIVITIES = [10, 1, 0.1];
/** Increased whenever the files change for the same folder. */
const VERSION = 3;
const BATCH = 64;

export interface Asked {
  question: number;
  /** Row of masks.u8; absent if all rows pass. */
  mask?: number;
  filter?: { from: number; to: number } | { class: string };
  /** The filter as fields of a request. */
  fields: Fields;
}

export interface Case {
  /** `no filter`, `dates, 10 %` */
  name: string;
  /** Mean share of the rows that pass, 0 to 1. */
  share: number;
  asked: Asked[];
}

/** What a search asks for: passages, each as if it were a document; or documents, each with its best passage. */
export type Unit = 'passages' | 'documents';

export interface Exported {
  unit: Unit;
  /** Folder of the vectors and of what is built from them. */
  dir: string;
  /** Folder of the questions, in `dir`. */
  questionsDir: string;
  rows: number;
  dimensions: number;
  /** Results of a search. */
  k: number;
  cases: Case[];
  vectors: Float32Array;
  questions: Float32Array;
  /** The best `k` scores of each question of each case, case by case; NaN if fewer rows, or documents, pass the filter. */
  truth: Float32Array;
  /** The document of each row. Rows of a document are adjacent. */
  docs: Int32Array;
  /** Bitmaps of the rows that pass a filter. */
  masks: Uint8Array;
}

interface Meta {
  version: number;
  source: string;
  rows: number;
  dimensions: number;
}

/** Exports a source to a folder, or reads an earlier export. */
export async function exported(source: Source, dir: string, k: number, unit: Unit): Promise<Exported> {
  const { dimensions } = source.target.manifest.model;
  const heldOut = source.heldOut.size;
  const meta = { version: VERSION, source: `${source.target.manifest.passages}, without ${heldOut}` };
  const known = readMeta(dir);
  if (known?.version !== meta.version || known.source !== meta.source) {
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(dir, { recursive: true });
    const rows = writeRows(source, dir);
    writeWhole(join(dir, 'meta.json'), JSON.stringify({ ...meta, rows, dimensions }));
  }
  const { rows } = readMeta(dir)!;
  const questionsDir = join(dir, `${unit}-${source.questions.length}-${k}`);
  const done = join(questionsDir, 'questions.json');
  const vectors = floats(join(dir, 'vectors.f32'));
  const shape = {
    unit,
    dir,
    questionsDir,
    rows,
    dimensions,
    k,
    vectors,
    docs: integers(join(dir, 'docs.i32')),
  };
  if (!existsSync(done)) {
    rmSync(questionsDir, { recursive: true, force: true });
    mkdirSync(questionsDir, { recursive: true });
    const questions = await embedded(source.questions.map(({ text }) => text));
    writeFileSync(join(questionsDir, 'questions.f32'), bytesOf(questions));
    const cases = writeCases(source, dir, questionsDir, rows);
    const masks = readFileSync(join(questionsDir, 'masks.u8'));
    const truth = bestScores({ ...shape, cases, questions, masks });
    writeFileSync(join(questionsDir, 'truth.f32'), bytesOf(truth));
    writeFileSync(join(questionsDir, 'cases.json'), JSON.stringify(cases));
    writeWhole(done, JSON.stringify({ k, unit, questions: source.questions.length }));
  }
  return {
    ...shape,
    cases: JSON.parse(readFileSync(join(questionsDir, 'cases.json'), 'utf8')) as Case[],
    questions: floats(join(questionsDir, 'questions.f32')),
    truth: floats(join(questionsDir, 'truth.f32')),
    masks: readFileSync(join(questionsDir, 'masks.u8')),
  };
}

function readMeta(dir: string): Meta | undefined {
  const path = join(dir, 'meta.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Meta) : undefined;
}

/** Writes a file whose presence says that the files before it are complete. */
function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.tmp`, text);
  renameSync(`${path}.tmp`, path);
}

async function embedded(texts: readonly string[]): Promise<Float32Array> {
  const { embedder, reranker } = await loadModels();
  const found = new Float32Array(texts.length * embedder.dimensions);
  for (let at = 0; at < texts.length; at += BATCH) {
    found.set(await embedder.embed(texts.slice(at, at + BATCH), 'query'), at * embedder.dimensions);
  }
  await Promise.all([embedder.close(), reranker.close()]);
  return found;
}

/** Documents in the order of their rows. */
export function* documentsOf({ target, heldOut }: Source): Generator<{
  head: ReturnType<Target['store']['documents']['get']> & object;
  vectors: Float32Array;
}> {
  for (const { key, value: head } of target.store.documents.getRange()) {
    if (heldOut.has(key)) continue;
    const vectors = target.native.vectorsOf(key);
    if (!vectors) throw new Error(`document ${key} has no vectors`);
    yield { head, vectors };
  }
}

/** The filters that match a code: filters are prefixes, and some codes are prefixes of others. */
function beginningsOf(code: string, codes: ReadonlySet<string>): string[] {
  const group = code.indexOf('/') + 1;
  const shorter = Array.from({ length: code.length - group }, (_, n) => code.slice(0, group + n));
  return [...prefixesOf(code), ...shorter.filter((beginning) => codes.has(beginning))];
}

/** Writes the vectors, one row a passage, and for each row the number, the day and the classes of its document. Returns their number. */
function writeRows(source: Source, dir: string): number {
  const vectors = openSync(join(dir, 'vectors.f32'), 'w');
  const listed = openSync(join(dir, 'classes.tsv'), 'w');
  const days: number[] = [];
  const docs: number[] = [];
  let documents = 0;
  const codes = new Set<string>();
  for (const { value: head } of source.target.store.documents.getRange()) {
    for (const code of head.ipc_codes ?? []) codes.add(code);
  }
  for (const { head, vectors: rows } of documentsOf(source)) {
    writeSync(vectors, bytesOf(rows));
    const own = [...new Set((head.ipc_codes ?? []).flatMap((code) => beginningsOf(code, codes)))];
    const day = head.filing_date ? toEpochDay(head.filing_date) : -0x8000_0000;
    for (let n = 0; n < head.passages; n++) {
      days.push(day);
      docs.push(documents);
    }
    documents++;
    writeSync(listed, `${own.join('\t')}\n`.repeat(head.passages));
  }
  closeSync(vectors);
  closeSync(listed);
  writeFileSync(join(dir, 'days.i32'), bytesOf(Int32Array.from(days)));
  writeFileSync(join(dir, 'docs.i32'), bytesOf(Int32Array.from(docs)));
  return days.length;
}

/** Draws the filters of each case and writes their bitmaps. A question is left out of a case if no row passes its filter. */
function writeCases(source: Source, dir: string, questionsDir: string, rows: number): Case[] {
  const maker = new FilterMaker(source.target.store);
  const next = stream(29);
  const masks = new Masks(dir, join(questionsDir, 'masks.u8'), rows);
  const asked = (question: number, fields: Fields | undefined) => masks.asked(question, fields);
  const drawn = [
    ...SELECTIVITIES.map((percent) => ({
      name: percent === 100 ? 'no filter' : `dates, ${percent} %`,
      found: source.questions.flatMap((_, question) => asked(question, maker.dates(next, percent))),
    })),
    ...CLASS_SELECTIVITIES.map((percent) => ({
      name: `class, ${percent} %`,
      found: source.questions.flatMap((one, question) => asked(question, maker.class(one, percent))),
    })),
  ].filter(({ found }) => found.length > 0);
  masks.close();
  return drawn.map(({ name, found }) => ({
    name,
    share: found.reduce((sum, { allowed }) => sum + allowed, 0) / (rows * found.length),
    asked: found.map(({ one }) => one),
  }));
}

/** Bitmaps of the rows that pass each filter. */
class Masks {
  readonly #file: number;
  readonly #rows: number;
  readonly #days: Int32Array;
  readonly #classes = new Map<string, number[]>();
  #count = 0;

  constructor(dir: string, path: string, rows: number) {
    this.#file = openSync(path, 'w');
    this.#rows = rows;
    const days = readFileSync(join(dir, 'days.i32'));
    this.#days = new Int32Array(days.buffer, days.byteOffset, rows);
    const lines = readFileSync(join(dir, 'classes.tsv'), 'utf8').split('\n');
    for (let row = 0; row < rows; row++) {
      for (const prefix of lines[row]!.split('\t')) {
        (this.#classes.get(prefix) ?? this.#classes.set(prefix, []).get(prefix)!).push(row);
      }
    }
  }

  /** A question under a filter, and the number of rows that pass it; empty if none does. */
  asked(question: number, fields: Fields | undefined): { one: Asked; allowed: number }[] {
    if (fields === undefined) return [];
    const { filing_date_from: from, filing_date_to: to, ipc_codes: codes } = fields;
    if (from && to) {
      const [low, high] = [toEpochDay(from), toEpochDay(to)];
      const passing = this.#rowsWhere((row) => this.#days[row]! >= low && this.#days[row]! <= high);
      return this.#written({ question, fields, filter: { from: low, to: high } }, passing);
    }
    if (!codes) return [{ one: { question, fields }, allowed: this.#rows }];
    const passing = this.#classes.get(codes[0]!) ?? [];
    return this.#written({ question, fields, filter: { class: codes[0]! } }, passing);
  }

  #rowsWhere(passes: (row: number) => boolean): number[] {
    const found: number[] = [];
    for (let row = 0; row < this.#rows; row++) if (passes(row)) found.push(row);
    return found;
  }

  #written(one: Asked, passing: readonly number[]): { one: Asked; allowed: number }[] {
    if (passing.length === 0) return [];
    const bits = new Uint8Array(bytesOfMask(this.#rows));
    for (const row of passing) bits[row >> 3]! |= 1 << (row & 7);
    writeSync(this.#file, bits);
    return [{ one: { ...one, mask: this.#count++ }, allowed: passing.length }];
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Bytes of the bitmap of a filter. */
export function bytesOfMask(rows: number): number {
  return Math.ceil(rows / 8);
}

function bytesOf(array: Float32Array | Int32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function integers(path: string): Int32Array {
  const bytes = readFileSync(path);
  return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}

function floats(path: string): Float32Array {
  const bytes = readFileSync(path);
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}
