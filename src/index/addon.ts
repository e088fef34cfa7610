/**
 * Types of the addon's exports. Made by `node scripts/addon-types.mjs` from the declarations and comments in
 * native/node/src: change those, not this file. It has no code; native.ts loads the addon.
 */

/** What index to build. */
export interface IndexSpec {
  /** One of `indexKinds`. */
  kind: string;
  /** Number of threads; 0: one for each processor. */
  threads: number;
  /** Seed of the random choices in training. */
  seed: number;
}

/** A built index and its calibration. */
export interface BuiltIndex {
  /** Number of inverted lists; 0 for kinds without lists. */
  lists: number;
  /**
   * Number of lists to scan. At this effort the index found the share `recall` of the exact 10 nearest passages of
   * sampled queries.
   */
  nprobe: number;
  /** Candidates kept while walking a graph, for the same recall. */
  efSearch: number;
  /** Share of the exact 10 nearest passages that was found, 0 to 1. */
  recall: number;
  costs: MeasuredCosts;
}

/** Costs of a search on this machine, in nanoseconds of processor time. */
export interface MeasuredCosts {
  /** The exact score of a passage, if passages are read sequentially. */
  row: number;
  /** The fixed cost of a search before its first passage: choosing the lists. */
  start: number;
  /** A passage in a probed list, or a candidate on a walk through a graph. */
  code: number;
  /** A passage in a full PQ scan; 0 for an index without PQ codes. */
  scan: number;
}

/**
 * Builds the FAISS index of a segment file on a background thread, syncs it, and calibrates it.
 * `out` is the path of the index file, which appears when it is whole.
 */
export declare function buildIndex(segment: string, out: string, spec: IndexSpec): Promise<BuiltIndex>;

/** Names of the index kinds. */
export declare function indexKinds(): Array<string>;

/** A condition on one column, or on the words of a document (`holds`, `lacks`: a word or phrase, or none of several). A filter is a list of clauses that must all hold. */
export interface FilterClause {
  column: string;
  /** Further columns. The clause holds if the test holds in any of the columns. */
  or?: Array<string>;
  test: 'exact' | 'prefix' | 'contains' | 'none' | 'days' | 'holds' | 'lacks';
  /** The test holds if any term matches; `none` holds if no term is equal. */
  terms?: Array<string>;
  /** Whether `exact`, `prefix` and `contains` find terms in other forms of their Han characters, too: 電 and 电. Default: false. */
  anyForm?: boolean;
  /** Whether `holds` and `lacks` look for translations, too. Default: false. */
  translate?: boolean;
  /** First day of `days`, since 1970-01-01. */
  from?: number;
  /** Last day of `days`, since 1970-01-01. */
  to?: number;
}

/** The documents that a filter allows. */
export declare class Selection {
  private constructor();
  /** Number of allowed documents of each segment. */
  get docs(): Array<number>;
  /** Number of allowed passages of each segment. */
  get passages(): Array<number>;
  /** Frees its memory, a bit a document, now instead of at a garbage collection. Do not use it afterwards. */
  release(): void;
}

/** What is counted, and which page is returned. */
export interface CountOptions {
  /** Number of the best documents that are counted at most. */
  maxResults: number;
  /** Whether an application and its grant count as one document. */
  dedupe: boolean;
  /** With `dedupe`: whether a whole family counts as one document. */
  family?: boolean;
  /** With `family`: a family is shown by its member of the first of these countries, if it has one. */
  prefer?: Array<string>;
  /** Inner product below which documents are left out. */
  minScore: number;
  /** Number of hits before the page. */
  offset: number;
  /** Number of hits on the page at most. */
  limit: number;
  /** The page is ordered by the shown score: hits that show the same score are equal. */
  shown: ShownScore;
  /** Date column whose years are counted. */
  dateColumn: string;
  /** What is counted. */
  axes: ('year' | 'country' | 'applicant' | 'ipc')[];
  /** Number of applicants, and of IPC subclasses, at most. */
  top: number;
}

/** A term and the number of documents with it. */
export interface NamedCount {
  name: string;
  count: number;
}

/** Statistics by the axes that were asked for, and a page of the hits. */
export interface Counts {
  /** Number of documents counted. */
  total: number;
  year?: Array<NamedCount>;
  country?: Array<NamedCount>;
  applicant?: Array<NamedCount>;
  ipc?: Array<NamedCount>;
  page: SearchHits;
}

/** Options of a new index. */
export interface FaissOptions {
  /** Expected number of rows, from which `nlist` is chosen if it is not given. */
  expectedRows?: number;
  /** Inverted lists of the `ivf-…` kinds. Default: about twice the square root of `expectedRows`. */
  nlist?: number;
  /** Parts of a vector in `ivf-pq…`, 4 bits each; must divide the dimensions. Default: half of them, or all if they are odd. */
  pqM?: number;
  /** Edges of a node of the `hnsw-…` kinds. Default: 32. */
  hnswM?: number;
  /** Candidates examined for each row added to a graph. Default: 80. */
  efConstruction?: number;
  /** Threads of `train` and `add`. Default: all processors. */
  threads?: number;
  /** Seed of the random choices in training. Default: 1234. */
  seed?: number;
}

/** Options of a search. */
export interface FaissSearchOptions {
  /** Number of lists to scan, at most all. Default: 16. */
  nprobe?: number;
  /** Candidates kept while walking a graph. Default: 64, or `k` if that is more. */
  efSearch?: number;
  /** A bitmap with a bit for every row: row `i` may be returned if bit `i % 8` of byte `i / 8` is set. */
  filter?: Uint8Array;
  /** `ivf-pq-refine`: how many times `k` rows are scored again. Default: 4. */
  kFactor?: number;
}

/** What a search found. */
export interface FaissHits {
  /** Inner products, best first, `k` for each query; `-Infinity` if fewer were found. */
  distances: Float32Array;
  /** Row numbers in the order of adding, `k` for each query; -1 if fewer were found. */
  labels: Int32Array;
}

/** A FAISS index by inner product. Components of vectors are given row after row. Calls run on the calling thread. */
export declare class FaissIndex {
  /** An empty index. `dims`: components of a vector. */
  constructor(kind: string, dims: number, options: FaissOptions);
  /** Opens an index file. With `mmap`, vectors and lists stay in the file, and the index cannot be added to. */
  static read(path: string, mmap: boolean): FaissIndex;
  /** Learns centroids and value ranges from rows × dimensions components. */
  train(x: Float32Array): void;
  /** Appends rows × dimensions components. */
  add(x: Float32Array): void;
  /** The `k` best rows for each query; queries × dimensions components. */
  search(x: Float32Array, k: number, options: FaissSearchOptions): FaissHits;
  /** All rows with a score of at least `min` for one query, unordered. */
  rangeSearch(x: Float32Array, min: number, options: FaissSearchOptions): FaissHits;
  /** Writes the index in FAISS's own file format. Not atomic, unless the index is mapped. */
  write(path: string): void;
  /** Number of rows. */
  ntotal(): number;
  /** Components of a vector. */
  getDimension(): number;
  /** Number of inverted lists; 0 for kinds without lists. */
  nlist(): number;
  /** Name of the index kind. */
  kind(): string;
  /** Whether `train` was called, or nothing needs to be learned. */
  isTrained(): boolean;
}

/** xxh3 of a whole file as 16 hexadecimal digits. Reads it on a background thread. */
export declare function fileChecksum(path: string): Promise<string>;

/**
 * Reads a whole segment file on a background thread. Resolves with the offsets, in bytes, of the 64 KiB blocks whose
 * checksum does not match.
 */
export declare function verifySegment(path: string): Promise<Array<number>>;

/** An exclusive lock on a file. It is released by `release`, by garbage collection, and when the process ends. */
export declare class FileLock {
  private constructor();
  /** Null if another process or thread holds the lock. Creates the file if it is absent. */
  static acquire(path: string): FileLock | null;
  /** Releases the lock. Does nothing the second time. */
  release(): void;
}

/** The numbers of vectors as half-precision numbers, two bytes each, little-endian. */
export declare function toHalves(vectors: Float32Array): Uint8Array;

/** The numbers of `toHalves`. */
export declare function fromHalves(bytes: Uint8Array): Float32Array;

/** Files of a segment to open. */
export interface SegmentPath {
  /** The segment file. */
  path: string;
  /** The FAISS index; absent if the segment is scanned exactly. */
  indexPath?: string;
  /** `fileChecksum` of the index file, verified when this process first opens it. */
  indexChecksum?: string;
  /** Document ids deleted since the segment was written. */
  deleted: Uint32Array;
}

/** Number of segments that are open in this process, over all threads. */
export declare function openSegments(): number;

/** Segments that are opened in the background. They stay open until `close`. */
export declare class BackgroundOpening {
  private constructor();
  /** Whether all segments have been tried. Errors are thrown when a snapshot of them is made. */
  get done(): boolean;
  /** Closes the segments, or ignores those that are still being opened. */
  close(): void;
}

/** Opens segments with their indexes on a background thread of low priority, and verifies what every search reads. */
export declare function openBeside(segments: Array<SegmentPath>): BackgroundOpening;

/** What a recall check counted. */
export interface CheckedRecall {
  /** Number of the exact best documents. */
  wanted: number;
  /** Number of those that the search found. */
  found: number;
}

/** A prepared check. It is a class of its own because a snapshot cannot be closed while a promise holds it. */
export declare class RecallCheck {
  private constructor();
  /**
   * Runs the check, once, on a background thread of the lowest priority. Resolves with null if a check of this process
   * is running, or if more passages are allowed than `mostPassages`.
   */
  run(): Promise<CheckedRecall | null>;
}

/** A filter column of a new segment. */
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
  /** Whether it is a granted patent. */
  grant: boolean;
  /** Passages × dimensions. */
  vectors: Float32Array;
  /** Token bags for late interaction. Absent: it reads the texts. */
  bags?: TokenBags | undefined;
  /** Texts for the lexical index. Absent: the segment gets none. */
  texts?: Array<LexicalText>;
  /** Terms of each keyword column, in the order of the columns. */
  terms: Array<Array<string>>;
  /** For each keyword column the spellings to show, one for each term; empty if the spelling is the term. */
  labels: Array<Array<string>>;
  /** Days since 1970-01-01 of each date column; the smallest i32 if the date is missing. */
  days: Int32Array;
}

/** A text for the lexical index. */
export interface LexicalText {
  /** The part of the document that holds it. */
  part: 'names' | 'title' | 'claims' | 'text';
  /** ISO 639-1 language, which decides the stems of its words; empty if it is unknown. */
  language: string;
  text: string;
}

/**
 * The terms of one part of a document, for an index elsewhere. Positions are parted by spaces, terms of one position by
 * U+0003; U+0004 is a position without a term.
 */
export interface PartTerms {
  part: 'names' | 'title' | 'claims' | 'text';
  terms: string;
  /** Length by which scores divide. */
  length: number;
}

/** The terms that the lexical index of a segment has for a document's texts: of all four parts. */
export declare function termsOfTexts(texts: Array<LexicalText>): Array<PartTerms>;

/** How the lexical score weighs a part. */
export interface PartFit {
  part: 'names' | 'title' | 'claims' | 'text';
  weight: number;
  /** How much its length counts, from 0 to 1. */
  length: number;
  /** Whether translations are looked for in it. */
  translated: boolean;
}

/** The numbers of the lexical score (native/core/src/lexical/score.rs), for an index elsewhere. */
export interface LexicalFit {
  k1: number;
  delta: number;
  /** Share of `delta` that fades. */
  fading: number;
  /** tf, as a share of the one with the number `prominent`, at which half of it is left. */
  passing: number;
  prominent: number;
  /** Share of the greatest for a word that each document gets at least if at most `prominent` hold the word itself. */
  rareShare: number;
  parts: Array<PartFit>;
  /** Words that are scored, at most. */
  mostWords: number;
  /** Translations that are looked for, at most. */
  mostTranslations: number;
  /** A word that more than this share of the documents hold is common, if there are `commonFrom` documents. */
  common: number;
  commonFrom: number;
}

/** The numbers of the lexical score. */
export declare function lexicalFit(): LexicalFit;

/** The pieces of a model in a document's titles and passages. native/core/src/late/bag.rs defines the bytes. */
export interface TokenBags {
  /** Name of the model. Bags of another model are not used. */
  model: string;
  bytes: Uint8Array;
  /** Lengths of the titles' bag and of each passage's bag, bytes. */
  lengths: Uint16Array;
}

/** A segment file that was written. */
export interface WrittenSegment {
  /** Number of documents. */
  docs: number;
  /** Number of passages. */
  passages: number;
  /** Size of the file, bytes. */
  bytes: number;
}

/** Writes a segment file, document after document. */
export declare class SegmentWriter {
  /**
   * `dimensions`: components of a vector. The file appears at `path` when it is finished. `sketches`: whether it has
   * sketches; it is scanned exactly without them. Default: true.
   */
  constructor(
    path: string,
    dimensions: number,
    columns: Array<NewSegmentColumn>,
    sketches?: boolean | undefined | null,
  );
  /** Adds a document. Ids must ascend. If it fails, nothing of the segment is left. */
  push(doc: NewSegmentDocument): void;
  /** Gives up the segment: removes its unfinished file. Does nothing after `finish`. */
  discard(): void;
  /** Writes the columns, syncs the file and renames it into place. */
  finish(): WrittenSegment;
}

/** A segment to merge. */
export interface MergeInput {
  /** The segment file. */
  path: string;
  /** Document ids deleted since the segment was written. */
  deleted: Uint32Array;
}

/** Writes the segment `out` from several neighbours, without their deleted documents, on a background thread. */
export declare function mergeSegments(inputs: Array<MergeInput>, out: string): Promise<WrittenSegment>;

/**
 * How one segment is searched. `deviations`: by the sketches of its documents. `nprobe` or `efSearch`: by its index. `codes`:
 * by a full PQ scan. Without any of these, every allowed passage is scored.
 */
export interface SegmentScan {
  /** Standard deviations above the score of a document's mean at which the bound on its score lies, if it has one passage. */
  deviations?: number;
  /** If it has n passages, √(2 ln n) and this number, if they are more. Default: `deviations`. */
  deviationsOfSeveral?: number;
  /** Whether to scan all PQ codes. */
  codes?: boolean;
  /** Number of passages to ask the index for, if its kind needs it. */
  k?: number;
  /** Number of lists to scan. */
  nprobe?: number;
  /** Candidates kept while walking a graph. */
  efSearch?: number;
}

/** What a search returns. */
export interface SearchOptions {
  /** Number of documents. */
  documents: number;
  /** Number of passages of each document. */
  chunks: number;
  /** Whether an application and its grant count as one document. */
  dedupe: boolean;
  /** With `dedupe`: whether a whole family counts as one document. */
  family?: boolean;
  /** How scores are shown: documents with equal shown scores are then equal. Without it, exact scores are compared. */
  shown?: ShownScore;
  /** Inner product below which documents are left out; -2 allows all. */
  minScore: number;
  /**
   * For `searchWords`: whether every passage of a document is scored. Otherwise, those that the document's sketch
   * proposes.
   */
  exact?: boolean;
}

/** What a recall check compares. */
export interface RecallOptions {
  /** Whether an application and its grant count as one document. */
  dedupe: boolean;
  /** That of the search. */
  shown?: ShownScore;
  /** Number of the best documents that are compared. */
  places: number;
  /** If a filter allows more passages than this, the check is not made. */
  mostPassages: number;
}

/** Documents that a search found. */
export interface SearchHits {
  /** Document ids, best first. */
  docs: Uint32Array;
  /** Best inner product of each document. */
  scores: Float32Array;
  /** Passages of hit i: `passages[passageAt[i] .. passageAt[i + 1]]`, numbered within the document. */
  passageAt: Uint32Array;
  /** Numbers of passages within their documents. */
  passages: Uint32Array;
  /** Inner product of each passage. */
  passageScores: Float32Array;
  /** Number of passages that were scored exactly. */
  rowsScored: number;
  /** Number of documents that were visited by their sketches. */
  visited: number;
  /** Number of passages that indexes proposed or whose codes were scanned. */
  candidates: number;
  /** How often an index was asked again for more passages. */
  widened: number;
  /** Number of segments that were scanned exactly although the plan was to use their index. */
  rescanned: number;
}

/** The best passages of some documents. */
export interface BestPassages {
  /** Passages of document i: `passages[passageAt[i] .. passageAt[i + 1]]`, best first, numbered within the document. */
  passageAt: Uint32Array;
  passages: Uint32Array;
  /** Inner product of each passage. */
  passageScores: Float32Array;
  /** Number of passages that were scored exactly. */
  rowsScored: number;
}

/** A sample of documents and a threshold. */
export interface Above {
  /** Number of documents that were scored. */
  lookedAt: number;
  /** Number of those at or above the threshold. */
  above: number;
}

/** Calibration of the shown score: a logistic curve of the inner product, rounded. */
export interface ShownScore {
  midpoint: number;
  slope: number;
  /** Digits after the point. */
  decimals: number;
}

/** Documents that are one result with others. */
export interface Members {
  /** Document ids, ascending within a group. */
  docs: Uint32Array;
  /** The group of document i of the list has the members `docs[at[i] .. at[i + 1]]`. */
  at: Uint32Array;
}

/** A segment of a snapshot. */
export interface OpenSegment {
  /** Number of documents, deleted ones included. */
  docs: number;
  /** Number of passages, those of deleted documents included. */
  passages: number;
  /** Whether it has a FAISS index. */
  hasIndex: boolean;
  /** Whether it has sketches of its documents. */
  hasSketches: boolean;
}

/** Segments that are searched together. */
export declare class Snapshot {
  /** Evaluates a filter. Every clause must hold. */
  select(clauses: Array<FilterClause>): Selection;
  /** Number of documents of a selection with each term of a keyword column, most frequent first. */
  tally(selection: Selection, column: string): Array<NamedCount>;
  /** First and last day, since 1970-01-01, of a selection in a date column; empty if no document has a date. */
  extent(selection: Selection, column: string): Array<number>;
  /**
   * Statistics over all documents at or above a threshold, and one page of them: by shown score, then by publication
   * date (newest first), then by patent_id.
   */
  count(query: Float32Array, selection: Selection, scans: Array<SegmentScan>, options: CountOptions): Counts;
  /**
   * For each document the position, among the dimensions `first..first + count`, of the largest value in the vector
   * of the passage `passages[n]`, which is numbered within the document.
   */
  languages(docs: Uint32Array, passages: Uint32Array, first: number, count: number): Uint8Array;
  /** Opens the segments that no thread of this process has open. */
  constructor(segments: Array<SegmentPath>);
  /** Closes the segments at once instead of at garbage collection. */
  close(): void;
  /** Its segments, in the order in which they were given. */
  get segments(): Array<OpenSegment>;
  /** Ids of the documents of a segment that are not deleted, ascending. */
  docIds(segment: number): Uint32Array;
  /** Vectors of a document, passages × dimensions; null if no document has the id, or it is deleted. */
  vectorsOf(id: number): Float32Array | null;
  /** Indexes, in the list, of the documents without token bags of a model. */
  withoutBags(docs: Uint32Array, model: string): Uint32Array;
  /** The best documents of a selection. `scans` has one for each segment. */
  search(
    query: Float32Array,
    selection: Selection,
    scans: Array<SegmentScan>,
    options: SearchOptions,
  ): SearchHits;
  /**
   * The documents of a selection that are of the same application as each of some documents, or of the same family.
   * A document is in its own group.
   */
  members(selection: Selection, docs: Uint32Array, family: boolean): Members;
  /**
   * The best passages of documents that a search found, `chunks` of each at most. `known` is for each document one of its
   * passages, `scores` the inner product of that passage. If not `exact`, only those passages of a document are scored
   * that its sketch proposes.
   */
  bestPassages(
    query: Float32Array,
    docs: Uint32Array,
    known: Uint32Array,
    scores: Float32Array,
    chunks: number,
    exact: boolean,
  ): BestPassages;
  /**
   * For each of some documents, the best of their families, the member of the first of some countries: the best of
   * several, and the document itself if its family has none of these countries.
   */
  preferred(
    query: Float32Array,
    selection: Selection,
    docs: Uint32Array,
    countries: Array<string>,
  ): Uint32Array;
  /** Ids of at most `size` documents, evenly spread over a selection. The sample is always the same. */
  sample(selection: Selection, size: number): Uint32Array;
  /** Scores an even sample of about `size` documents of a selection, and counts those at or above a threshold. */
  sampleAbove(query: Float32Array, selection: Selection, minScore: number, size: number): Above;
  /**
   * Prepares a check whether the best documents that a search found, whose scores are given, are those of an exact
   * scan. The check keeps the segments open, so the snapshot may be closed meanwhile.
   */
  recallCheck(
    query: Float32Array,
    clauses: Array<FilterClause>,
    found: Float32Array,
    options: RecallOptions,
  ): RecallCheck;
  /** Whether a segment has a lexical index of this version of the analysis. */
  hasWords(segment: number): boolean;
  /**
   * The parts of documents that hold each of some words or a translation of it: a byte for each word of the first
   * document, then of the second and so on. Its bits, from the lowest: names, title, claims, abstract or description.
   */
  partsHolding(words: Words, docs: Uint32Array): Uint8Array;
  /**
   * Lexical scores of documents that a search found, and other documents with high ones.
   * `options.documents` is a number of each selection. The scores are computed once for all selections.
   */
  searchWords(
    words: Words,
    translated: TranslationShares,
    query: Float32Array,
    selections: Array<Selection>,
    found: Uint32Array,
    options: SearchOptions,
  ): WordHits;
  /** Like `searchWords`, with lexical scores that were computed elsewhere: those above 0 of some documents. Without `used`. */
  searchScoredWords(
    docs: Uint32Array,
    scores: Float32Array,
    query: Float32Array,
    selections: Array<Selection>,
    found: Uint32Array,
    options: SearchOptions,
  ): WordHits;
}

/** A value of a row or a parameter. Integers are numbers, too. */
export type SqliteValue = null | number | string | Uint8Array;

/**
 * A connection to an SQLite file. Errors have the codes `sqlite_busy`, `sqlite_full`, `sqlite_damaged` and
 * `sqlite_failed`.
 */
export declare class Sqlite {
  /**
   * Opens a database file. A statement waits `waitMs` milliseconds for a lock. With 0 the connection never sleeps: a
   * lock of another process is `sqlite_busy` at once.
   */
  constructor(path: string, create: boolean, waitMs: number);
  /** Runs one statement to its end, and returns its rows. */
  rows(sql: string, parameters: readonly SqliteValue[]): Array<Array<SqliteValue>>;
  /** Closes the connection. Does nothing the second time. */
  close(): void;
}

/** Number of static models that are open in this process, over all threads. */
export declare function openStaticModels(): number;

/** Ids of the model's pieces in several texts. */
export interface Tokenized {
  ids: Uint32Array;
  /** Text i has `ids[offsets[i] .. offsets[i + 1]]`. */
  offsets: Uint32Array;
}

/** Vectors and token bags of a document. */
export interface EmbeddedDocument {
  /** Rows × dimensions: one row for each passage and, as the last one, one for the titles. */
  vectors: Float32Array;
  bags: TokenBags;
}

/** A static model's file, mapped once a process. */
export declare class StaticModel {
  /** Opens a model file. */
  constructor(path: string);
  /** Components of a vector. */
  get dimensions(): number;
  /** Identifies its token bags. */
  get bagsModel(): string;
  /** The model's description of itself, JSON. */
  get config(): string;
  /** Texts × dimensions, each row of length 1; the row of a text without pieces is 0. */
  embed(texts: Array<string>): Float32Array;
  /** Mean of the `count` largest inner products of a vector with the model's cohort; 0 if it has none. */
  nearness(vector: Float32Array, count: number): number;
  /** Pieces of texts. */
  tokenize(texts: Array<string>): Tokenized;
  /** The token bags of a document. */
  bags(texts: DocumentTexts): TokenBags;
  /** Vectors and token bags of a document, in one pass over the texts. */
  embedDocument(texts: DocumentTexts): EmbeddedDocument;
  /** Late-interaction scores by the model's pieces. Only their order has a meaning. */
  lateInteraction(query: string, documents: Array<RerankDocument>, fit: RerankFit): LateInteractionScores;
  /**
   * Late-interaction scores of the documents that a search found, from the bags in their segments. `texts` are those
   * of the documents that `withoutBags` returns, in its order.
   */
  lateInteractionFound(
    query: string,
    snapshot: Snapshot,
    found: FoundPassages,
    texts: Array<RerankDocument>,
    fit: RerankFit,
  ): LateInteractionScores;
  /** Closes the file at once instead of at garbage collection. */
  close(): void;
}

/** Weights of one kind of text of a patent. */
export interface RerankShare {
  /** Weight of the best matches of the query's pieces in the text. */
  partners: number;
  /** Weight of the cosine of query and text. */
  cosine: number;
}

/** Weights of the texts of a patent. */
export interface RerankFit {
  passage: RerankShare;
  title: RerankShare;
  abstract: RerankShare;
  /** Exponent of the IDF by which a piece of the query is weighted. */
  rarity: number;
}

/** The searched texts of a document. */
export interface DocumentTexts {
  /** The titles in all languages, one per line. */
  title: string;
  passages: Array<string>;
  /** Whether the first passage is the abstract. */
  firstIsAbstract: boolean;
}

/** Passages that a search found, as in `SearchHits`. */
export interface FoundPassages {
  docs: Uint32Array;
  passageAt: Uint32Array;
  passages: Uint32Array;
}

/** A patent and its found passages. */
export interface RerankDocument {
  /** Its titles in all languages, a line each. */
  title: string;
  /** Empty if it has none. */
  abstract: string;
  /** Texts of the found passages. */
  passages: Array<string>;
}

/** Scores of documents, and of all their passages in order. */
export interface LateInteractionScores {
  documents: Float32Array;
  passages: Float32Array;
}

/** Tokens of several texts, each with a prompt around it, without special tokens. */
export interface PromptedTokens {
  ids: Uint32Array;
  /** Text i has `ids[starts[i] .. starts[i + 1]]`. */
  starts: Uint32Array;
  /** Number of tokens at the beginning of each text that belong to the prompt. */
  before: Uint32Array;
  /** Number of tokens at the end of each text that belong to the prompt. */
  after: Uint32Array;
}

/** Special tokens that a tokenizer puts before, between and after texts, with their token types. */
export interface TokenFrame {
  ids: Array<Array<number>>;
  types: Array<Array<number>>;
  /** Token types of the texts themselves. */
  textTypes: Array<number>;
}

/** A model's tokenizer.json, opened once a process. */
export declare class TokenizerJson {
  /** Opens a tokenizer.json. */
  constructor(path: string);
  /** Number of tokens, added ones included. */
  get size(): number;
  /** Tokens of texts, each with the prompt `before` and `after` it. */
  encode(texts: Array<string>, before: string, after: string): PromptedTokens;
  /** The special tokens around one text, or with `pair` around two. */
  frame(pair: boolean): TokenFrame;
  /** The id of a token; null if there is no such token. */
  idOf(token: string): number | null;
  /** Frees the tokenizer at once instead of at garbage collection. */
  close(): void;
}

/**
 * Opens the table of term translations (models/terms), unless it is open.
 *
 * Throws `corrupt` and errors of the file system.
 */
export declare function openTerms(path: string): void;

/** What a question is in other languages. */
export interface TranslatedQuestion {
  /** Number of terms of the table that the question has. */
  terms: number;
  /**
   * The translations of these terms in Korean, Japanese and Chinese: a text for each language that has any. Characters are
   * normalised as in the lexical index.
   */
  texts: Array<string>;
}

/**
 * What a question is in other languages, by the table of translations: `openTerms` was called. A question of more terms than
 * `most` is not translated.
 */
export declare function translatedQuestion(question: string, most: number): TranslatedQuestion;

/**
 * A text in pieces, each with the ways to write it: a character of several forms (電, 电) in all of them, the simplified one first;
 * or the characters between two of these, in one way.
 */
export declare function spellings(text: string): Array<Array<string>>;

/** A text with the simplified form of each Han character. */
export declare function simplified(text: string): string;

/** A place in a text, in UTF-16 units, that holds a word. */
export interface WordPlace {
  from: number;
  to: number;
  /** Number of the word in its list. */
  word: number;
  /** If the text holds a translation: the term of the question. */
  translationOf?: string;
}

/** A word of a question that documents hold. */
export interface UsedWord {
  /** The word as the question has it. */
  text: string;
  /** Where the question has it, bytes: the first place. */
  from: number;
  to: number;
  /** Number of the word in its list. */
  word: number;
  /** Number of documents that hold it, in all languages and before filters. */
  documents: number;
  /** Number of documents that hold it or a translation of it. */
  holding: number;
  /** The greatest share that it can have in a lexical score. */
  share: number;
  /** Whether it is no word by itself: two words beside each other, or an acronym or its stems. */
  isExtra: boolean;
}

/** What the lexical index says about a question. */
export interface WordHits {
  /** Lexical score of each document that the search by vectors found, between 0 and 1. */
  scores: Float32Array;
  /** Other documents that hold words of the question, of each selection. */
  others: Array<HoldingHits>;
  /** The words that were scored. */
  used: Array<UsedWord>;
  /** Number of segments without a lexical index. */
  without: number;
}

/** Documents of a selection that hold words of a question. */
export interface HoldingHits {
  /** Best lexical score first. Their scores are those of their vectors. */
  hits: SearchHits;
  /** Lexical score of each of these. */
  lexical: Float32Array;
}

/** One way in which a document may hold a word. */
export interface WordForm {
  /** A term, or a phrase in the form of `PartTerms`. */
  terms: string;
  /** Where it is looked for: `names`, `texts` (all other parts) or `all`. */
  place: 'names' | 'texts' | 'all';
  /** Share of the word's weight. */
  weight: number;
}

/** A word of a question for an index elsewhere. */
export interface WordForms {
  /** The word as the question has it. */
  text: string;
  /** Where the question has it, bytes: the first place. */
  from: number;
  to: number;
  /** Factor on its rarity. */
  boost: number;
  /** Whether it is no word by itself: two words beside each other, which are words of the list, too, or an acronym or its stems. */
  isExtra: boolean;
  forms: Array<WordForm>;
  /** Translations and synonyms, each once. */
  translations: Array<TranslationForm>;
}

/** How a document may hold a translation of a word. */
export interface TranslationForm {
  /** A term, or a phrase in the form of `PartTerms`. */
  terms: string;
  /** Whether it translates a long term that the word is in. */
  isLong: boolean;
}

/** Shares of a word's weight that a translation has, from 0 to 1. */
export interface TranslationShares {
  /** A translation of a word. */
  word: number;
  /** A translation of a long term that the word is in: of several words, or of four characters of a script without spaces. */
  long: number;
}

/** Words that are looked for in the lexical index. */
export declare class Words {
  private constructor();
  /** The words of a question, with their translations if wanted: `openTerms` was called. */
  static ofQuestion(question: string, translate: boolean): Words;
  /**
   * Words and phrases that are looked for as they are written, apart from endings of words in texts; or their translations,
   * if wanted.
   *
   * Throws `invalid_request` if one has no letter and no digit.
   */
  static ofPhrases(phrases: Array<string>, translate: boolean): Words;
  /** Number of words. */
  get count(): number;
  /** Number of words without parts of others, such as pairs of characters of a longer word. */
  get whole(): number;
  /** How documents may hold each word, for an index that was made of `termsOfTexts`. */
  forms(): Array<WordForms>;
  /**
   * The places in a text that hold one of the words or a translation of one, ascending: the first 2,000. Of words with the same
   * translation, those with the numbers of `used` come first; absent: all.
   */
  find(text: string, used?: Array<number> | undefined | null): Array<WordPlace>;
}

/** A parsed document. `native/core/src/xml/tree.rs` documents the numbers. */
export interface FlatXml {
  /**
   * Local names of elements, full names of attributes; one a line, because one string crosses to Node faster than
   * hundreds.
   */
  names: string;
  nodes: Uint32Array;
  attributes: Uint32Array;
  /** UTF-8. */
  text: Uint8Array;
  /** The error with line and column, if the bytes are not XML. The other fields are empty then. */
  damage?: string;
}

/**
 * Parses UTF-8; null if the bytes are not UTF-8. Elements named in `skip` are left out; those in `empty` need no end
 * tag.
 */
export declare function parseXml(
  bytes: Uint8Array,
  skip: readonly string[],
  empty: readonly string[],
): FlatXml | null;

/** Readable text of a node's content, or of the node itself with `whole`. */
export declare function xmlReadable(
  nodes: Uint32Array,
  attributes: Uint32Array,
  text: Uint8Array,
  index: number,
  whole: boolean,
): string;

/** The characters of a node and its descendants, with white space trimmed and collapsed. */
export declare function xmlPlain(nodes: Uint32Array, text: Uint8Array, index: number): string;
