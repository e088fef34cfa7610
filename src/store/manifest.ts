/** The manifest: which segments make up the index, swapped as a whole by one transaction. */

/** Which model made the vectors. An index belongs to one. */
export interface ModelIdentity {
  name: string;
  version: string;
  dimensions: number;
}

/** Whether two identities are of one model. */
export function sameModel(a: ModelIdentity, b: ModelIdentity): boolean {
  return a.name === b.name && a.version === b.version && a.dimensions === b.dimensions;
}

/** As the manifest shows it. */
export function modelName({ name, version }: ModelIdentity): string {
  return `${name} ${version}`;
}

/** What searching costs on the machine that built an index, in nanoseconds of processor time. */
export interface IndexCosts {
  /** An exact score of a passage, where passages are read one after another. */
  row: number;
  /** A search before it looks at its first passage: choosing among the lists. */
  start: number;
  /** A passage in a probed list, or a candidate on a walk through a graph. */
  code: number;
  /** A passage in a scan of all codes; 0 without such codes. */
  scan: number;
}

export interface IndexFile {
  kind: string;
  /** Name within the segment's folder. */
  file: string;
  bytes: number;
  /** xxh3 of the file, 16 hexadecimal digits. */
  checksum: string;
  /** Inverted lists; 0 for an index without. */
  lists: number;
  /** Effort at which `recall` of the true 10 nearest were found when it was built. */
  nprobe: number;
  efSearch: number;
  recall: number;
  /** Absent in indexes of earlier versions. */
  costs?: IndexCosts;
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
  /** The FAISS index; absent where the segment is scanned exactly. */
  index?: IndexFile;
}

export interface Manifest {
  format: number;
  /** Counts commits; a reader whose generation is older reopens. */
  generation: number;
  /** ISO instants. */
  createdAt: string;
  updatedAt: string;
  model: ModelIdentity;
  /**
   * How the models are opened (src/models/config.ts), with absolute paths and without secrets. Absent in folders
   * that were made before there was a choice: the static model.
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
