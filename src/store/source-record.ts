/**
 * What the ledger holds of a file. Apart from the ledger itself: a public type must not lead to the store's.
 */

/** What became of the publications of a file, counted. */
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

/** A file as the disk shows it: by size and time of change it is told whether it is still the same. */
export interface SourceFile {
  /** Absolute path. */
  path: string;
  /** Size. */
  bytes: number;
  /** Time of the last change, ISO. */
  modified: string;
}

/** One file that was read to its end. The counts are those of its last reading. */
export interface SourceRecord extends SourceFile, SourceCounts {
  /** Format of its documents → version of the reader that read them. */
  readers: Record<string, number>;
  /** It is a table that is joined with others of its folder: one of them by itself says nothing. */
  joined?: boolean;
  /** Stands for all readers that there were: with others, what failed is worth another try. */
  registry: string;
  /** Time of the first reading, ISO. */
  first_read: string;
  /** Time of the last reading, ISO. */
  last_read: string;
  /** How often it was read to its end. */
  readings: number;
}

/** A file that was read to its end, as the reading knows it. */
export type EndedSource = Omit<SourceRecord, 'first_read' | 'last_read' | 'readings'>;

export const NO_COUNTS: Readonly<SourceCounts> = {
  ingested: 0,
  updated: 0,
  unchanged: 0,
  skipped: 0,
  failed: 0,
};
