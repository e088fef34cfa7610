/** The manifest: the list of the index's segments, replaced as a whole by one transaction. */

/** The model that made the vectors. An index belongs to one model. */
export interface ModelIdentity {
  name: string;
  version: string;
  dimensions: number;
}

/** Whether two identities are of the same model. */
export function sameModel(a: ModelIdentity, b: ModelIdentity): boolean {
  return a.name === b.name && a.version === b.version && a.dimensions === b.dimensions;
}

/** Name and version of a model for messages. */
export function modelName({ name, version }: ModelIdentity): string {
  return `${name} ${version}`;
}

/** Costs of a search on the machine that built the index, in nanoseconds of processor time. */
export interface IndexCosts {
  /** The exact score of a passage, if passages are read sequentially. */
  row: number;
  /** The fixed cost of a search before its first passage: choosing the lists. */
  start: number;
  /** A passage in a probed list, or a candidate on a walk through a graph. */
  code: number;
  /** A passage in a full PQ scan; 0 for an index without PQ codes. */
  scan: number;
}

export interface IndexFile {
  kind: string;
  /** Name within the segment's folder. */
  file: string;
  bytes: number;
  /** xxh3 of the file, 16 hexadecimal digits. */
  checksum: string;
  /** Number of inverted lists; 0 for an index without lists. */
  lists: number;
  /** Effort at which the index found the share `recall` of the exact 10 nearest when it was built. */
  nprobe: number;
  efSearch: number;
  recall: number;
  costs: IndexCosts;
}

export interface SegmentEntry {
  /** Name of its folder under `segments/`. */
  id: string;
  docs: number;
  passages: number;
  /** Lowest and highest document id; ranges of segments do not overlap. */
  firstDoc: number;
  lastDoc: number;
  bytes: number;
  /** The FAISS index; absent if the segment is scanned exactly. */
  index?: IndexFile;
}

export interface Manifest {
  format: number;
  /** Number of commits. A reader with an older generation reopens the manifest. */
  generation: number;
  /** ISO instants. */
  createdAt: string;
  updatedAt: string;
  model: ModelIdentity;
  /**
   * Configuration of the models (src/models/config.ts), with absolute paths and without secrets. Absent: the default
   * models.
   */
  models?: Readonly<Record<string, unknown>>;
  /** Index kind for segments: `auto` or one of the addon's kinds. */
  indexKind: string;
  /** Ascending by document id. */
  segments: SegmentEntry[];
  nextDoc: number;
  nextSegment: number;
  /** Live documents and passages. */
  documents: number;
  passages: number;
}
