/**
 * A question that is a classification code: it asks for the documents of the class. Their centre is the question's vector,
 * so that the documents that are typical of the class come first.
 */
import { calling, type FilterClause, type NativeSnapshot } from '../index/native.js';
import { parseClassificationPrefix } from '../patent/classification.js';
import type { Publications } from '../store/publications.js';
import { bareQuestion } from './bare-question.js';
import { norm } from './pooled.js';
import { countOf, selectionOf } from './selections.js';
import { titleOf } from './show.js';

/** Documents whose mean is the centre of a class, and how many of them give their titles. */
const SAMPLE = { documents: 128, titles: 16 } as const;
export const CLASS_SAMPLE = SAMPLE.documents;

const MOST_CHARS = 40;
/** At least a subclass. */
const CODE = /^[A-HY]\s?\d\d\s?[A-Z](?:[\s-]?[1-9]\d{0,3}(?:\/\d{0,6})?)?$/;
/** The name of the system before a code, and the year of the version behind it: `IPC H01M 10/0562 (2010.01)`. */
const SYSTEM = /^(?:IPC|CPC)[:\s]\s?/;
const VERSION = /\s?\((?:19|20)\d\d\.\d\d\)$/;
/** Hydrocarbons and fluorocarbons, such as C10H16, which also have the form of a main group. */
const FORMULA = /^C\d\d[HF]\d+$/;

/** The key prefix (classification.ts) of a question that is a code and nothing else; undefined for others. */
export function codeAsked(question: string): string | undefined {
  const bare = bareQuestion(question, MOST_CHARS);
  if (bare.length > MOST_CHARS) return undefined;
  const text = bare.replace(SYSTEM, '').replace(VERSION, '').replace('-', ' ');
  return CODE.test(text) && !FORMULA.test(text) ? parseClassificationPrefix(text) : undefined;
}

/** The documents under a code of either system. */
export function classClause(prefix: string): FilterClause {
  return { column: 'ipc', or: ['cpc'], test: 'prefix', terms: [prefix] };
}

export interface DocumentClass {
  /** Number of its documents in the index, of every kind. */
  documents: number;
  /** Mean of the vectors of a sample of its documents. */
  centre: Float32Array;
  /** Titles of some of these. */
  titles: string[];
}

/** The class of a code; undefined if nothing in the index is classified under it. */
export function classOf(
  native: NativeSnapshot,
  store: Publications,
  prefix: string,
  dimensions: number,
): DocumentClass | undefined {
  return calling(() => {
    const selection = selectionOf(native, [classClause(prefix)]);
    const documents = countOf(native, [classClause(prefix)]);
    if (documents === 0) return undefined;
    const sample = native.sample(selection, SAMPLE.documents);
    const titles = Array.from(sample.subarray(0, SAMPLE.titles), (doc) => store.documents.get(doc))
      .map((head) => (head ? titleOf(head) : ''))
      .filter((title) => title.trim() !== '');
    return { documents, centre: meanOf(native, sample, dimensions), titles };
  });
}

/** Mean of the documents' vectors; that of a document is the mean of its passages. */
function meanOf(native: NativeSnapshot, docs: Uint32Array, dimensions: number): Float32Array {
  const sum = new Float32Array(dimensions);
  for (const doc of docs) {
    const vectors = native.vectorsOf(doc) ?? new Float32Array();
    const own = new Float32Array(dimensions);
    for (let i = 0; i < vectors.length; i++) own[i % dimensions]! += vectors[i]!;
    const length = norm(own) || 1;
    for (let d = 0; d < dimensions; d++) sum[d]! += own[d]! / length;
  }
  return sum;
}
