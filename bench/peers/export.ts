/** Exports the input of the peers as plain files: vectors, questions, filters and the rows that pass each filter. */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { loadModels } from '../../src/models/load.js';
import { toEpochDay } from '../../src/patent/date.js';
import { type Corpus, questionsFor } from '../corpus/cached.js';
import { stream } from '../corpus/random.js';
import { type Fields, FilterMaker, prefixesOf, SELECTIVITIES } from '../recall/filters.js';
import type { Target } from '../recall/target.js';

/** Shares for filters by class, percent. Classes are distributed differently from dates. */
const CLASS_SELECTIVITIES = [10, 1, 0.1];

export interface Asked {
  question: number;
  /** Row of masks.u8; absent if all rows pass. */
  mask?: number;
  filter?: { from: number; to: number } | { class: string };
  /** The filter as fields of a request. */
  fields: object;
}

export interface Exported {
  dir: string;
  rows: number;
  dimensions: number;
  cases: { name: string; asked: Asked[] }[];
  questions: Float32Array;
}

interface Shape {
  k: number;
  recall: number;
  questions: number;
}

/** Exports a corpus to a folder, or reads an earlier export. */
export async function exported(corpus: Corpus, target: Target, dir: string, shape: Shape): Promise<Exported> {
  const done = join(dir, 'meta.json');
  const { dimensions } = target.manifest.model;
  const rows = target.manifest.passages;
  if (existsSync(done)) {
    const meta = JSON.parse(readFileSync(done, 'utf8')) as Shape & { rows: number };
    if (
      meta.rows !== rows ||
      meta.k !== shape.k ||
      meta.recall !== shape.recall ||
      meta.questions !== shape.questions
    ) {
      throw new Error(`${dir} is an export of another run; remove it`);
    }
  } else {
    mkdirSync(dir, { recursive: true });
    const texts = questionsFor(corpus, shape.questions);
    const { embedder, reranker } = await loadModels();
    writeFileSync(
      join(dir, 'questions.f32'),
      bytesOf(
        await embedder.embed(
          texts.map(({ text }) => text),
          'query',
        ),
      ),
    );
    await Promise.all([embedder.close(), reranker.close()]);
    const columns = writeRows(target, dir);
    const maker = new FilterMaker(target.store);
    const next = stream(29);
    const masks = new Masks(join(dir, 'masks.u8'), columns);
    const cases = [
      ...SELECTIVITIES.map((percent) => ({
        name: percent === 100 ? 'no filter' : `dates, ${percent} %`,
        asked: texts.map((_, question) => masks.asked(question, maker.dates(next, percent))),
      })),
      ...CLASS_SELECTIVITIES.map((percent) => ({
        name: `class, ${percent} %`,
        asked: texts.flatMap((text, question) => {
          const fields = maker.class(text, percent);
          return fields === undefined ? [] : [masks.asked(question, fields)];
        }),
      })),
    ].filter(({ asked }) => asked.length > 0);
    masks.close();
    writeFileSync(join(dir, 'cases.json'), JSON.stringify(cases));
    const meta = JSON.stringify({ rows, dimensions, ...shape });
    writeFileSync(`${done}.tmp`, meta);
    renameSync(`${done}.tmp`, done);
  }
  const questions = readFileSync(join(dir, 'questions.f32'));
  return {
    dir,
    rows,
    dimensions,
    cases: JSON.parse(readFileSync(join(dir, 'cases.json'), 'utf8')) as Exported['cases'],
    questions: new Float32Array(questions.buffer, questions.byteOffset, questions.length / 4),
  };
}

interface Columns {
  days: Int32Array;
  classes: Map<string, number[]>;
}

/** The filters that match a code: filters are prefixes, and some codes are prefixes of others. */
function beginningsOf(code: string, codes: ReadonlySet<string>): string[] {
  const group = code.indexOf('/') + 1;
  const shorter = Array.from({ length: code.length - group }, (_, n) => code.slice(0, group + n));
  return [...prefixesOf(code), ...shorter.filter((beginning) => codes.has(beginning))];
}

/** Writes the vectors, one row a passage. Returns the day and the classes of each row's document. */
function writeRows({ store, native, manifest }: Target, dir: string): Columns {
  const vectors = openSync(join(dir, 'vectors.f32'), 'w');
  const listed = openSync(join(dir, 'classes.tsv'), 'w');
  const days: number[] = [];
  const classes = new Map<string, number[]>();
  const codes = new Set<string>();
  for (const { value: head } of store.documents.getRange()) {
    for (const code of head.ipc_codes ?? []) codes.add(code);
  }
  for (const { key, value: head } of store.documents.getRange()) {
    const rows = native.vectorsOf(key);
    if (!rows) throw new Error(`document ${key} has no vectors`);
    writeSync(vectors, bytesOf(rows));
    const own = [...new Set((head.ipc_codes ?? []).flatMap((code) => beginningsOf(code, codes)))];
    for (let n = 0; n < head.passages; n++) {
      for (const prefix of own)
        (classes.get(prefix) ?? classes.set(prefix, []).get(prefix)!).push(days.length);
      days.push(head.filing_date ? toEpochDay(head.filing_date) : -0x8000_0000);
    }
    writeSync(listed, `${own.join('\t')}\n`.repeat(head.passages));
  }
  closeSync(vectors);
  closeSync(listed);
  if (days.length !== manifest.passages) throw new Error('the folder changed while it was read');
  writeFileSync(join(dir, 'days.i32'), bytesOf(Int32Array.from(days)));
  return { days: Int32Array.from(days), classes };
}

/** Bitmaps of the rows that pass each filter. */
class Masks {
  readonly #file: number;
  readonly #columns: Columns;
  #count = 0;

  constructor(path: string, columns: Columns) {
    this.#file = openSync(path, 'w');
    this.#columns = columns;
  }

  asked(question: number, fields: Fields): Asked {
    const { filing_date_from: from, filing_date_to: to, ipc_codes: codes } = fields;
    if (from && to) {
      const [low, high] = [toEpochDay(from), toEpochDay(to)];
      const mask = this.#write((row) => this.#columns.days[row]! >= low && this.#columns.days[row]! <= high);
      return { question, fields, mask, filter: { from: low, to: high } };
    }
    if (!codes) return { question, fields };
    const rows = new Set(this.#columns.classes.get(codes[0]!));
    return { question, fields, mask: this.#write((row) => rows.has(row)), filter: { class: codes[0]! } };
  }

  #write(isAllowed: (row: number) => boolean): number {
    const { length } = this.#columns.days;
    const bits = new Uint8Array(Math.ceil(length / 8));
    for (let row = 0; row < length; row++) if (isAllowed(row)) bits[row >> 3]! |= 1 << (row & 7);
    writeSync(this.#file, bits);
    return this.#count++;
  }

  close(): void {
    closeSync(this.#file);
  }
}

function bytesOf(array: Float32Array | Int32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
