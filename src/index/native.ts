/**
 * Loads the native addon: selects the file for this machine, declares its exports, and converts its errors to
 * PriorartErrors. No other module loads it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:process';
import { fileURLToPath } from 'node:url';
import { ERROR_STATUS, type ErrorCode, PriorartError } from '../errors.js';
import type { TokenBags } from '../store/document.js';
import type { IndexCosts } from '../store/manifest.js';
import { NATIVE_FOLDER } from './bundled.js';

export type { TokenBags };

export interface NewSegmentColumn {
  name: string;
  kind: 'keyword' | 'date';
}

/** A document to write to a segment. */
export interface NewSegmentDocument {
  id: number;
  patentId: string;
  /** The link that an application and its grant share; empty: none. */
  application: string;
  grant: boolean;
  /** Passages × dimensions. */
  vectors: Float32Array;
  /** Token bags for late interaction. Absent: it reads the texts. */
  bags?: TokenBags | undefined;
  /** Terms of each keyword column; the spellings to show, empty if the spelling is the term. */
  terms: string[][];
  labels: string[][];
  /** Days since 1970-01-01 of each date column; the smallest i32 if the date is missing. */
  days: Int32Array;
}

/** The searched texts of a document. */
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
  /** Checksum of the index file, verified when this process first opens it. */
  indexChecksum?: string;
  /** Document ids deleted since the segment was written. */
  deleted: Uint32Array;
}

/** A condition on one column. A filter is a list of clauses that must all hold. */
export interface FilterClause {
  column: string;
  test: 'exact' | 'prefix' | 'contains' | 'days';
  /** The test holds if any term matches. */
  terms?: string[];
  /** Days since 1970-01-01, inclusive. */
  from?: number;
  to?: number;
}

/**
 * How one segment is searched. `nprobe` or `efSearch`: by its index (for `k` passages, if the kind needs it). `codes`: by
 * a full PQ scan. Without any of these, every allowed passage is scored.
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
  /** Number of passages that indexes proposed or whose codes were scanned. */
  candidates: number;
  widened: number;
  /** Number of segments that were scanned exactly although the plan was to use their index. */
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

/** Segments that are opened in the background. They stay open until it is closed. */
export interface Opening {
  /** Whether all segments have been tried. Errors are thrown when a snapshot of them is made. */
  readonly done: boolean;
  close(): void;
}

export interface NativeSnapshot {
  readonly segments: OpenSegment[];
  docIds(segment: number): Uint32Array;
  vectorsOf(id: number): Float32Array | null;
  /** Indexes, in the list, of the documents without token bags of a model. */
  withoutBags(docs: Uint32Array, model: string): Uint32Array;
  /**
   * For each document the position, among the dimensions `first..first + count`, of the largest value in the vector of
   * the passage `passages[n]`, which is numbered within the document.
   */
  languages(docs: Uint32Array, passages: Uint32Array, first: number, count: number): Uint8Array;
  select(clauses: FilterClause[]): Selection;
  /** Number of documents of a selection with each term of a keyword column. */
  tally(selection: Selection, column: string): NamedCount[];
  /** First and last day of a selection in a date column; empty if no document has a date. */
  extent(selection: Selection, column: string): number[];
  search(
    query: Float32Array,
    selection: Selection,
    scans: SegmentScan[],
    options: { documents: number; chunks: number; dedupe: boolean; minScore: number },
  ): SearchHits;
  /** Scores an even sample of about `size` documents of a selection, and counts those at or above a threshold. */
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
      /** Calibration of the shown score, by which the page is ordered. */
      shown: { midpoint: number; slope: number; decimals: number };
      dateColumn: string;
      axes: string[];
      top: number;
    },
  ): Counts;
  /**
   * Checks whether the best documents that a search found, whose scores are given, are those of an exact scan. The task
   * runs in the background at the lowest priority and can run once. The snapshot may be closed meanwhile. Null if a check
   * of this process is running, or if more passages are allowed than `mostPassages`.
   */
  recallCheck(
    query: Float32Array,
    clauses: FilterClause[],
    found: Float32Array,
    options: { dedupe: boolean; places: number; mostPassages: number },
  ): { run(): Promise<CheckedRecall | null> };
  close(): void;
}

/** Number of the exact best documents, and how many of them were found. */
export interface CheckedRecall {
  wanted: number;
  found: number;
}

export interface BuiltIndex {
  lists: number;
  /** Effort at which the index found the share `recall` of the exact 10 nearest of sampled queries. */
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
  /** Identifies its token bags. */
  readonly bagsModel: string;
  tokenize(texts: string[]): Tokenized;
  bags(texts: DocumentTexts): TokenBags;
  /** The same with vectors: one of each passage and, as the last row, one of the titles. */
  embedDocument(texts: DocumentTexts): { vectors: Float32Array; bags: TokenBags };
  /** Late-interaction scores by the model's pieces. */
  lateInteraction(query: string, documents: RerankDocument[], fit: RerankFit): RerankScores;
  /**
   * Late-interaction scores of the documents that a search found, from the bags in their segments. `texts` are those of
   * the documents that `withoutBags` returns, in its order.
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
  /** Number of tokens at the beginning and at the end that belong to the prompt. */
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

/** A model's tokenizer.json, opened once a process. */
export interface NativeTokenizerJson {
  /** Number of tokens, added ones included. */
  readonly size: number;
  encode(texts: string[], before: string, after: string): PromptedTokens;
  frame(pair: boolean): TokenFrame;
  idOf(token: string): number | null | undefined;
  close(): void;
}

/** Weights of a text of a patent: of the best matches of the query's pieces in it, and of its cosine. */
export interface RerankFit {
  passage: RerankShare;
  title: RerankShare;
  abstract: RerankShare;
  /** Exponent of the IDF by which a piece of the query is weighted. */
  rarity: number;
}

export interface RerankShare {
  partners: number;
  cosine: number;
}

/** A patent and its found passages. */
export interface RerankDocument {
  /** Its titles in all languages, a line each. */
  title: string;
  /** Empty if it has none. */
  abstract: string;
  passages: string[];
}

/** Scores of documents, and of all their passages in order. */
export interface RerankScores {
  documents: Float32Array;
  passages: Float32Array;
}

/** A parsed document. `native/core/src/xml/tree.rs` documents the numbers. */
export interface FlatXml {
  /** Local names of elements, full names of attributes; one a line. */
  names: string;
  nodes: Uint32Array;
  attributes: Uint32Array;
  /** UTF-8. */
  text: Uint8Array;
  /** The error with line and column, if the bytes are not XML. The other fields are empty then. */
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
  /** Null if the bytes are not UTF-8. Elements named in `skip` are left out; those in `empty` need no end tag. */
  parseXml(bytes: Uint8Array, skip: readonly string[], empty: readonly string[]): FlatXml | null;
  /** Readable text of a node's content, or of the node itself with `whole`. */
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
 * CPU features that code compiled for level avx2 may use, as named in /proc/cpuinfo: x86-64-v3 of the System V psABI.
 * scripts/setup/cpu.mjs, which must run before anything is compiled, has the same list.
 */
const AVX2_FLAGS = ['avx2', 'fma', 'f16c', 'bmi1', 'bmi2', 'movbe', 'abm'];

/** Whether this processor can run the addon compiled for AVX2. */
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
  const folder = fileURLToPath(NATIVE_FOLDER);
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

/** The exports of the addon. */
export const native: Addon = load();

/** The addon's internal error codes, and the public codes for them. */
const TRANSLATED: Record<string, ErrorCode> = { data_missing: 'data_corrupt', io: 'internal' };

/** Messages of the operating system for a full disk or quota. */
const NO_SPACE = /No space left|os error 28\b|quota exceeded|os error 122\b/i;

/**
 * Converts an error of the addon, whose message starts with a code, to a PriorartError. Returns any other value
 * unchanged.
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
 * Errors of Rust's own bounds checks have no code of the addon. They occur on a read beyond the end of a damaged file.
 * napi marks them differently from errors of wrong arguments.
 */
function panicked(error: Error): unknown {
  if ((error as { code?: unknown }).code !== 'GenericFailure') return error;
  const message =
    `the native addon could not go on (${error.message}); a segment may be damaged: run \`priorart check\`, ` +
    'and report this if it finds nothing';
  return new PriorartError('internal', message, { cause: error });
}

/** Calls the addon. Throws its errors as PriorartErrors. */
export function calling<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw fromNative(error);
  }
}

/** Awaits a task of the addon. Rejects with its errors as PriorartErrors. */
export async function awaiting<T>(task: Promise<T>): Promise<T> {
  try {
    return await task;
  } catch (error) {
    throw fromNative(error);
  }
}
