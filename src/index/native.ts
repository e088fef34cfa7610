/**
 * The only place that loads the native addon: which file fits this machine, what it exports, and how its
 * errors become PriorartErrors.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:process';
import { fileURLToPath } from 'node:url';
import { ERROR_STATUS, type ErrorCode, PriorartError } from '../errors.js';
import type { TokenBags } from '../store/document.js';
import type { IndexCosts } from '../store/manifest.js';

export type { TokenBags };

export interface NewSegmentColumn {
  name: string;
  kind: 'keyword' | 'date';
}

/** One document on its way into a segment. */
export interface NewSegmentDocument {
  id: number;
  patentId: string;
  /** Links an application with its grant; empty = none. */
  application: string;
  grant: boolean;
  /** Passages × dimensions. */
  vectors: Float32Array;
  /** What late interaction looks at; without it, it reads the texts. */
  bags?: TokenBags | undefined;
  /** Per keyword column: its terms; and the spelling to show of each, or nothing where it is the term. */
  terms: string[][];
  labels: string[][];
  /** Per date column: days since 1970-01-01, the smallest i32 where absent. */
  days: Int32Array;
}

/** The texts of a document that are searched. */
export interface DocumentTexts {
  /** Its titles in all languages, a line each. */
  title: string;
  passages: string[];
  /** Whether the first passage is its abstract. */
  firstIsAbstract: boolean;
}

export interface WrittenSegment {
  docs: number;
  passages: number;
  bytes: number;
}

export interface SegmentWriter {
  push(doc: NewSegmentDocument): void;
  finish(): WrittenSegment;
}

export interface SegmentPath {
  path: string;
  indexPath?: string;
  /** Of the index file; verified when this process first opens it. */
  indexChecksum?: string;
  /** Document ids deleted since the segment was written. */
  deleted: Uint32Array;
}

/** One condition on one column; a filter is a list of which all must hold. */
export interface FilterClause {
  column: string;
  test: 'exact' | 'prefix' | 'contains' | 'days';
  /** The test holds where any of them matches. */
  terms?: string[];
  /** Days since 1970-01-01, inclusive. */
  from?: number;
  to?: number;
}

/**
 * How one segment is searched. With `nprobe` or `efSearch` its index is asked (for `k` passages, where it needs to know);
 * with `codes` all codes of its index are scanned. Without any of these every allowed passage is scored.
 */
export interface SegmentScan {
  codes?: boolean;
  k?: number;
  nprobe?: number;
  efSearch?: number;
}

export interface SearchHits {
  /** Document ids, best first. */
  docs: Uint32Array;
  /** Best inner product of each document. */
  scores: Float32Array;
  /** Passages of hit i: `passages[passageAt[i] .. passageAt[i + 1]]`, numbered within the document. */
  passageAt: Uint32Array;
  passages: Uint32Array;
  passageScores: Float32Array;
  rowsScored: number;
  /** Passages that indexes proposed, or whose codes were scanned. */
  candidates: number;
  widened: number;
  /** Segments that were scanned as a whole though their index was to be asked. */
  rescanned: number;
}

export interface NamedCount {
  name: string;
  count: number;
}

export interface Counts {
  total: number;
  year?: NamedCount[];
  country?: NamedCount[];
  applicant?: NamedCount[];
  ipc?: NamedCount[];
  page: SearchHits;
}

export interface OpenSegment {
  docs: number;
  passages: number;
  lists: number;
  hasIndex: boolean;
}

/** The documents that a filter allows. */
export interface Selection {
  readonly docs: number[];
  readonly passages: number[];
}

/** Segments that are being opened beside the searches, and stay open until it is closed. */
export interface Opening {
  /** Whether it has come to its end; what could not be opened, a snapshot of it will say. */
  readonly done: boolean;
  close(): void;
}

export interface NativeSnapshot {
  readonly segments: OpenSegment[];
  docIds(segment: number): Uint32Array;
  vectorsOf(id: number): Float32Array | null;
  /** Which of some documents have no token bags of a model: their places in the list. */
  withoutBags(docs: Uint32Array, model: string): Uint32Array;
  /**
   * For each document the place, among the dimensions `first..first + count`, of the greatest number in the vector of
   * the passage `passages[n]`, which is numbered within the document.
   */
  languages(docs: Uint32Array, passages: Uint32Array, first: number, count: number): Uint8Array;
  select(clauses: FilterClause[]): Selection;
  /** How many documents of a selection bear each term of a keyword column. */
  tally(selection: Selection, column: string): NamedCount[];
  /** First and last day of a selection in a date column; empty where no document has one. */
  extent(selection: Selection, column: string): number[];
  search(
    query: Float32Array,
    selection: Selection,
    scans: SegmentScan[],
    options: { documents: number; chunks: number; dedupe: boolean; minScore: number },
  ): SearchHits;
  /** Scores about `size` documents of a selection, evenly out of all, and counts those at or above a threshold. */
  sampleAbove(
    query: Float32Array,
    selection: Selection,
    minScore: number,
    size: number,
  ): { lookedAt: number; above: number };
  count(
    query: Float32Array,
    selection: Selection,
    scans: SegmentScan[],
    options: {
      maxResults: number;
      dedupe: boolean;
      minScore: number;
      offset: number;
      limit: number;
      /** The page is ordered by the score that this shows. */
      shown: { midpoint: number; slope: number; decimals: number };
      dateColumn: string;
      axes: string[];
      top: number;
    },
  ): Counts;
  /**
   * Whether the best documents that a search found, whose scores are given, are those that an exact scan finds: to be
   * run once, in the background at the lowest priority; the snapshot may be closed meanwhile. Null where a check of this
   * process is running already, or more passages are allowed than `mostPassages`.
   */
  recallCheck(
    query: Float32Array,
    clauses: FilterClause[],
    found: Float32Array,
    options: { dedupe: boolean; places: number; mostPassages: number },
  ): { run(): Promise<CheckedRecall | null> };
  close(): void;
}

/** Of so many of the best documents, so many were found. */
export interface CheckedRecall {
  wanted: number;
  found: number;
}

export interface BuiltIndex {
  lists: number;
  /** Effort at which the index found `recall` of the true 10 nearest of sampled queries. */
  nprobe: number;
  efSearch: number;
  recall: number;
  costs: IndexCosts;
}

export interface FileLock {
  release(): void;
}

/** Ids of the pieces of several texts: text i has `ids[offsets[i] .. offsets[i + 1]]`. */
export interface Tokenized {
  ids: Uint32Array;
  offsets: Uint32Array;
}

/** A static model's file, mapped once a process. */
export interface NativeStaticModel {
  readonly dimensions: number;
  /** The model's own description, JSON. */
  readonly config: string;
  embed(texts: string[]): Float32Array;
  /** Mean of the `count` largest inner products of a vector with the model's cohort; 0 if it has none. */
  nearness(vector: Float32Array, count: number): number;
  /** What its token bags are known by. */
  readonly bagsModel: string;
  tokenize(texts: string[]): Tokenized;
  bags(texts: DocumentTexts): TokenBags;
  /** The same with vectors: of each passage and, as the last row, of the titles. */
  embedDocument(texts: DocumentTexts): { vectors: Float32Array; bags: TokenBags };
  /** Late-interaction scores by the model's pieces. */
  lateInteraction(query: string, documents: RerankDocument[], fit: RerankFit): RerankScores;
  /**
   * The same for what a search found, out of the bags in its segments; `texts` are those of the documents that
   * `withoutBags` names, in its order.
   */
  lateInteractionFound(
    query: string,
    snapshot: NativeSnapshot,
    found: Pick<SearchHits, 'docs' | 'passageAt' | 'passages'>,
    texts: RerankDocument[],
    fit: RerankFit,
  ): RerankScores;
  close(): void;
}

/** Tokens of several texts, each with a prompt around it, without special tokens. */
export interface PromptedTokens {
  ids: Uint32Array;
  /** Text i has `ids[starts[i] .. starts[i + 1]]`. */
  starts: Uint32Array;
  /** How many of them, at their beginning and end, belong to the prompt. */
  before: Uint32Array;
  after: Uint32Array;
}

/** Special tokens that a tokenizer puts before, between and after texts, with their token types. */
export interface TokenFrame {
  ids: number[][];
  types: number[][];
  /** Token types of the texts themselves. */
  textTypes: number[];
}

/** A published model's tokenizer.json, open once a process. */
export interface NativeTokenizerJson {
  /** Tokens that there are, added ones included. */
  readonly size: number;
  encode(texts: string[], before: string, after: string): PromptedTokens;
  frame(pair: boolean): TokenFrame;
  idOf(token: string): number | null | undefined;
  close(): void;
}

/** What of a patent counts how much: the best partners of the query's pieces in a text, and the cosine. */
export interface RerankFit {
  passage: RerankShare;
  title: RerankShare;
  abstract: RerankShare;
  /** Power of its IDF by which a piece of the query counts. */
  rarity: number;
}

export interface RerankShare {
  partners: number;
  cosine: number;
}

/** A patent and the passages of it that were found. */
export interface RerankDocument {
  /** Its titles in all languages, a line each. */
  title: string;
  /** Empty where it has none. */
  abstract: string;
  passages: string[];
}

/** Scores of documents, and of all their passages one after another. */
export interface RerankScores {
  documents: Float32Array;
  passages: Float32Array;
}

/** A parsed document; `native/core/src/xml/tree.rs` says how to read the numbers. */
export interface FlatXml {
  /** Local names of elements, full names of attributes; one a line. */
  names: string;
  nodes: Uint32Array;
  attributes: Uint32Array;
  /** UTF-8. */
  text: Uint8Array;
  /** Why the bytes are no XML, with line and column; then the rest is empty. */
  damage?: string;
}

/** A connection to an SQLite file; `native/node/src/sqlite.rs`. */
export interface NativeSqlite {
  /** Runs one statement to its end. Integers, too, come back as numbers. */
  rows(sql: string, parameters: readonly SqliteValue[]): SqliteValue[][];
  close(): void;
}

export type SqliteValue = null | number | string | Uint8Array;

interface Addon {
  /** With `waitMs` 0 what is locked is an error at once; else a statement sleeps for the lock up to so long. */
  Sqlite: new (
    path: string,
    create: boolean,
    waitMs: number,
  ) => NativeSqlite;
  SegmentWriter: new (path: string, dimensions: number, columns: NewSegmentColumn[]) => SegmentWriter;
  Snapshot: new (segments: SegmentPath[]) => NativeSnapshot;
  openBeside(segments: SegmentPath[]): Opening;
  FileLock: { acquire(path: string): FileLock | null };
  StaticModel: new (path: string) => NativeStaticModel;
  TokenizerJson: new (path: string) => NativeTokenizerJson;
  openSegments(): number;
  openStaticModels(): number;
  mergeSegments(inputs: { path: string; deleted: Uint32Array }[], out: string): Promise<WrittenSegment>;
  buildIndex(
    segment: string,
    out: string,
    spec: { kind: string; threads: number; seed: number },
  ): Promise<BuiltIndex>;
  indexKinds(): string[];
  fileChecksum(path: string): Promise<string>;
  verifySegment(path: string): Promise<number[]>;
  /** Null where the bytes are no UTF-8. Elements named in `skip` are left out, those in `empty` need no end tag. */
  parseXml(bytes: Uint8Array, skip: readonly string[], empty: readonly string[]): FlatXml | null;
  /** Readable text of what a node holds, or with `whole` of the node itself. */
  xmlReadable(
    nodes: Uint32Array,
    attributes: Uint32Array,
    text: Uint8Array,
    index: number,
    whole: boolean,
  ): string;
  /** The characters of a node and all below it, spaces trimmed and collapsed. */
  xmlPlain(nodes: Uint32Array, text: Uint8Array, index: number): string;
  // biome-ignore lint/suspicious/noExplicitAny: typed by src/index/faiss.ts, which owns this class
  FaissIndex: any;
}

/**
 * What the compilers may have used at level avx2, as /proc/cpuinfo spells it: x86-64-v3 of the System V psABI.
 * scripts/setup/cpu.mjs, which must run before anything is compiled, has the same list.
 */
const AVX2_FLAGS = ['avx2', 'fma', 'f16c', 'bmi1', 'bmi2', 'movbe', 'abm'];

/** Whether this processor can run the addon that was compiled for AVX2. */
function hasAvx2(): boolean {
  if (arch !== 'x64') return false;
  if (platform !== 'linux') return false; // FAISS is compiled on Linux only
  try {
    const flags = /^flags\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1] ?? '';
    return AVX2_FLAGS.every((flag) => flags.split(' ').includes(flag));
  } catch {
    return false;
  }
}

function load(): Addon {
  const folder = fileURLToPath(new URL('../../../native/', import.meta.url));
  const levels = hasAvx2() ? ['avx2', 'baseline'] : ['baseline'];
  const names = levels.map((level) => `priorart.${platform}-${arch}-${level}.node`);
  const name = names.find((candidate) => existsSync(folder + candidate));
  if (name === undefined) {
    throw new PriorartError(
      'addon_missing',
      `the native addon is not built for this machine (looked for ${names.join(' and ')}); ` +
        'in a clone run `npm start`, in an app that uses the package run `npx priorart-build-addon`',
    );
  }
  return createRequire(import.meta.url)(folder + name) as Addon;
}

/** What the addon exports. */
export const native: Addon = load();

/** Codes of the addon that the public table lacks, and what they mean to a user. */
const TRANSLATED: Record<string, ErrorCode> = { data_missing: 'data_corrupt', io: 'internal' };

/** How the operating system says that the disk or the user's share of it is full. */
const NO_SPACE = /No space left|os error 28\b|quota exceeded|os error 122\b/i;

/**
 * The addon's errors start with a code; this gives back the PriorartError it stands for, or the value as it
 * was where it is no error of the addon.
 */
export function fromNative(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const [, code, message] = /^([a-z_]+): ([\s\S]*)$/.exec(error.message) ?? [];
  if (code === undefined || message === undefined) return panicked(error);
  if (code === 'disk_full' || (code === 'io' && NO_SPACE.test(message))) {
    return new PriorartError('disk_full', `no room to write: ${message}. Free some space and try again`, {
      cause: error,
    });
  }
  const known = code in ERROR_STATUS ? (code as ErrorCode) : TRANSLATED[code];
  return known === undefined ? error : new PriorartError(known, message, { cause: error });
}

/**
 * What Rust says when a bound is overstepped carries no code of ours: its own checks caught what would have been
 * a read beyond a damaged file's end. napi marks such errors, wrong arguments get other marks.
 */
function panicked(error: Error): unknown {
  if ((error as { code?: unknown }).code !== 'GenericFailure') return error;
  const message =
    `the native addon could not go on (${error.message}); a segment may be damaged: run \`priorart check\`, ` +
    'and report this if it finds nothing';
  return new PriorartError('internal', message, { cause: error });
}

/** Calls into the addon, giving PriorartErrors. */
export function calling<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw fromNative(error);
  }
}

/** The same for the addon's asynchronous tasks. */
export async function awaiting<T>(task: Promise<T>): Promise<T> {
  try {
    return await task;
  } catch (error) {
    throw fromNative(error);
  }
}
