/**
 * The ledger's record of a file. In its own module, so that a public type does not depend on the store.
 */

/** Number of a file's publications by outcome. */
export interface SourceCounts {
  /** Publications that were new. */
  ingested: number;
  /** Publications that replaced or completed a stored one. */
  updated: number;
  /** Publications that were stored already. */
  unchanged: number;
  /** Publications left out on purpose. */
  skipped: number;
  /** What could not be read. */
  failed: number;
}

/** Something of a file that could not be read. */
export interface SourceFailure {
  /** Position in the file: `line 7`, `record 7, byte 1234`. */
  position: string;
  /** Number of the publication, if the record states it. */
  patent_id?: string;
  /** Reason in words. */
  reason: string;
}

/** A file on disk. Its size and time of change identify its version. */
export interface SourceFile {
  /** Absolute path. */
  path: string;
  /** Size. */
  bytes: number;
  /** Time of the last change, ISO. */
  modified: string;
}

/** A completely read file. The counts are those of its last reading. */
export interface SourceRecord extends SourceFile, SourceCounts {
  /** Format of its documents → version of the reader that read them. */
  readers: Record<string, number>;
  /** Whether it is a table that is joined with others of its folder, and useless without them. */
  joined?: boolean;
  /** Digest of the versions of all readers. If it differs, failed publications are tried again. */
  registry: string;
  /** Start of the run that read it last, ISO; absent for files that an older version read. */
  run?: string;
  /** The first failures of the last reading, at most FAILURES_KEPT; absent if nothing failed. */
  failures?: SourceFailure[];
  /** Time of the first reading, ISO. */
  first_read: string;
  /** Time of the last reading, ISO. */
  last_read: string;
  /** Number of complete readings. */
  readings: number;
}

/** A completely read file, as the ingest reports it. */
export type EndedSource = Omit<SourceRecord, 'first_read' | 'last_read' | 'readings'>;

/** Failures that the ledger keeps of a file, and the length of their texts. */
export const FAILURES_KEPT = 100;
const FAILURE_MAX_CHARS = 200;

/** A failure as the ledger keeps it. */
export function keptFailure({ position, patent_id, reason }: SourceFailure): SourceFailure {
  const short = (text: string) =>
    text.length > FAILURE_MAX_CHARS ? `${text.slice(0, FAILURE_MAX_CHARS)}…` : text;
  return {
    position: short(position),
    ...(patent_id === undefined ? {} : { patent_id: short(patent_id) }),
    reason: short(reason),
  };
}

export const NO_COUNTS: Readonly<SourceCounts> = {
  ingested: 0,
  updated: 0,
  unchanged: 0,
  skipped: 0,
  failed: 0,
};
