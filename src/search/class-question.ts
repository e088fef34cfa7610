/**
 * A question that is a classification code: it asks for the documents of the class. Their centre is the question's vector,
 * so that the documents that are typical of the class come first.
 */
import { calling, type FilterClause, type NativeSnapshot } from '../index/native.js';
import { classificationPrefix, plainCode, withoutSystem } from '../patent/classification.js';
import type { Publications } from '../store/publications.js';
import { bareQuestion } from './bare-question.js';
import { norm } from './pooled.js';
import { countOf, selectionOf } from './selections.js';
import { titleOf } from './show.js';

/** Documents whose mean is the centre of a class, and how many of them give their titles. */
const SAMPLE = { documents: 128, titles: 16 } as const;
export const CLASS_SAMPLE = SAMPLE.documents;

/** Characters of a code with what is printed around it, and of a list of codes. */
const MOST_CHARS = { code: 60, list: 400 } as const;
const MOST_CODES = 20;
/** Characters of a subclass: `H01M`. */
const SUBCLASS_CHARS = 4;
/** At least a subclass. */
const CODE = /^[A-HY]\d\d[A-Z](?:\d{1,4}(?:\/\d{0,6})?)?$/;
/** Hydrocarbons and fluorocarbons, such as C10H16, which also have the form of a main group. */
const FORMULA = /^C\d\d[HF]\d+$/;
/** Characters of words are not spread: `A 12 B 3` is no code. */
const SPREAD = /^[A-HY]\s?\d\d\s?[A-Z](?![\s-]{4})/;
/** A code with a slash, and what parts it from the one before; the subclass may stand in the first alone. */
const NEXT_CODE =
  /^([\s;,、|~〜–-]{0,4})([A-HY]\s?\d\d\s?[A-Z][\s-]{0,3})?(\d{1,4}\s?\/\s?\d{1,6})(?!\d)(?:\s?\((?:19|20)\d\d\.\d\d\)(?:[A-Z]{1,3}(?!\d))?)?/;
/** What makes two codes a range. */
const RANGE = /[~〜–-]/;
/** What parts the codes of a list, if blanks do not. */
const BETWEEN = /[;,、|\r\n]/;

/** The key prefix (classification.ts) of a question that is one code and nothing else; undefined for others. */
export function codeAsked(question: string): string | undefined {
  const bare = bareQuestion(question, MOST_CHARS.code);
  if (bare.length > MOST_CHARS.code) return undefined;
  const code = plainCode(bare);
  if (!CODE.test(code) || FORMULA.test(code)) return undefined;
  return SPREAD.test(withoutSurroundings(bare)) ? classificationPrefix(bare) : undefined;
}

/** The text from the code on. */
function withoutSurroundings(bare: string): string {
  const at = bare.search(/[A-HY]\s?\d\d\s?[A-Z]/);
  return at < 0 ? '' : bare.slice(at);
}

/**
 * The key prefixes of a question that is a code, or a list of codes with signs, blanks or line ends between them. The subclass may stand
 * in the first alone: `H01M 10/0525, 10/058`. In a list, a main group without a slash is no code, since it may be a name.
 */
export function codesAsked(question: string): string[] | undefined {
  const one = codeAsked(question);
  if (one !== undefined) return [one];
  const codes: string[] = [];
  for (const part of listOf(question).split(BETWEEN)) {
    if (part.trim() === '') continue;
    const found = codesOfPart(part.trim(), codes.at(-1)?.slice(0, SUBCLASS_CHARS));
    if (found === undefined || codes.length + found.length > MOST_CODES) return undefined;
    codes.push(...found);
  }
  return codes.length < 2 ? undefined : [...new Set(codes)];
}

/**
 * The key prefixes of the codes in a part of a list; undefined if it is anything else, such as a range.
 * @param before the subclass of the code before
 */
function codesOfPart(part: string, before: string | undefined): string[] | undefined {
  const one = /\/|[A-Z]$/.test(part) ? codeAsked(part) : undefined;
  if (one !== undefined) return [one];
  const codes: string[] = [];
  let subclass = before;
  for (let rest = withoutSystem(part); rest !== ''; ) {
    const [whole = '', between = '', own, group = ''] = NEXT_CODE.exec(rest) ?? [];
    subclass = own ?? subclass;
    const isCode = whole !== '' && subclass !== undefined && !RANGE.test(between);
    const code = isCode ? codeAsked(subclass + group) : undefined;
    if (code === undefined) return undefined;
    codes.push(code);
    rest = rest.slice(whole.length);
  }
  return codes;
}

/** Whether a question has the form of codes with slashes and nothing else: a range, or a group that cannot be, such as `H01M 0/00`. */
export function isLikeCodes(question: string): boolean {
  let rest = withoutSystem(listOf(question));
  for (let count = 0; count < MOST_CODES && rest !== ''; count++) {
    const [whole = '', , subclass] = NEXT_CODE.exec(rest) ?? [];
    if (whole === '' || (count === 0 && subclass === undefined)) return false;
    rest = rest.slice(whole.length);
    if (rest === '') return true;
  }
  return false;
}

/** A question as a list; empty if it is too long for one. */
function listOf(question: string): string {
  const bare = bareQuestion(question, MOST_CHARS.list);
  return bare.length > MOST_CHARS.list ? '' : bare;
}

/** The documents under one of some codes, of either system. */
export function classClause(prefixes: readonly string[]): FilterClause {
  return { column: 'ipc', or: ['cpc'], test: 'prefix', terms: [...prefixes] };
}

/** The codes with the whole main group for `/00`, which is read so if nothing is classified under `/00` itself. */
export function mainGroups(prefixes: readonly string[]): string[] {
  return prefixes.map((prefix) => prefix.replace(/\/00$/, '/'));
}

export interface DocumentClass {
  /** Number of its documents in the index, of every kind. */
  documents: number;
  /** Mean of the vectors of a sample of its documents. */
  centre: Float32Array;
  /** Titles of some of these. */
  titles: string[];
}

/** The class of some codes; undefined if nothing in the index is classified under them. */
export function classOf(
  native: NativeSnapshot,
  store: Publications,
  prefixes: readonly string[],
  dimensions: number,
): DocumentClass | undefined {
  return calling(() => {
    const clause = classClause(prefixes);
    const documents = countOf(native, [clause]);
    if (documents === 0) return undefined;
    const selection = selectionOf(native, [clause]);
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
