/**
 * Public types of an ingest. They are separate from the ingest: a public type must not import types of the
 * store.
 */
import type { Failure } from './readers/reader.js';

/** Progress of an ingest. */
export interface IngestProgress {
  /** Bytes of the source read so far. */
  bytesRead: number;
  /** Bytes of all files; 0 for records, whose number is unknown. */
  totalBytes: number;
  /** Publications read so far. */
  documents: number;
  /** Failures so far. */
  failed: number;
  /** Drawings of publications that are stored; absent if drawings are off. */
  drawings?: number;
  /** Other current work, such as a merge. */
  note?: string;
}

/** Options of `ingest`. */
export interface IngestOptions {
  /** Name of the records in failures and in the ledger. Default: `records`. */
  name?: string | undefined;
  /** Aborting rejects the call with a PriorartError of code `cancelled`. Committed documents stay. */
  signal?: AbortSignal | undefined;
  /** Called with the progress of the ingest. */
  onProgress?: ((progress: IngestProgress) => void) | undefined;
  /** Skip files that are in the ledger and unchanged. Default: false, all files are read. */
  onlyNew?: boolean | undefined;
  /**
   * Milliseconds: a folder with a file that changed less than this time ago is left for the next ingest.
   * Default: 0.
   */
  settledMs?: number | undefined;
  /**
   * Passages that are committed at once as one segment. Default: 16,384. A smaller number needs less memory.
   */
  segmentPassages?: number | undefined;
  /**
   * Number of passages from which a segment gets a FAISS index. Default: 20,000. Smaller indexes have no
   * benefit.
   */
  indexFrom?: number | undefined;
  /** Whether drawings are stored. Default: true if sharp is installed. */
  drawings?: boolean | undefined;
}

/** A place in the source, as that of a failure. */
export type SourcePlace = Pick<Failure, 'file' | 'position'>;

/** Result of an ingest. Counts are publications. */
export interface IngestSummary {
  /** All publications read: ingested + updated + unchanged + skipped. */
  documents: number;
  /** New publications. */
  ingested: number;
  /** Publications that replaced or completed a stored one. */
  updated: number;
  /** Publications that were already stored. */
  unchanged: number;
  /** Publications left out on purpose, such as publications of other offices. */
  skipped: number;
  /**
   * Files and entries of folders and archives that are not patent data. A named file is a failure instead.
   */
  skipped_files: number;
  /** Reasons for skipped publications and files, most frequent first. */
  skip_reasons: {
    /** Reason in words. */
    reason: string;
    /** Number of publications and files. */
    count: number;
    /** Where the first of them is. */
    first: SourcePlace;
  }[];
  /** Number of unreadable parts of the source. */
  failures: number;
  /** The first 10,000 of them. */
  failed: Failure[];
  /** Duration in seconds. */
  seconds: number;
  /** With `onlyNew`: skipped files. */
  known_files?: number;
  /** Absent if drawings are off. */
  drawings?: DrawingSummary;
}

/** Results for the drawings that the publications of an ingest name, each counted once per publication. */
export interface DrawingSummary {
  /** New drawings. */
  stored: number;
  /** Drawings stored before from the same file. */
  unchanged: number;
  /** Drawings named by a publication and not found, now or before. */
  missing: number;
  /** The first missing drawings, as `US…A1: US…-D00001.TIF`. */
  missing_first: string[];
  /** Images that no publication names, mostly formulas. */
  unclaimed: number;
  /** Number of unreadable images. */
  failures: number;
  /** The first 1,000 of them. */
  failed: Failure[];
  /** Reason if drawings are on but this system cannot convert images. */
  unavailable?: string;
}

/** Progress of a re-embedding. */
export interface ReembedProgress {
  /** Passages with a vector of the new model. */
  passages: number;
  /** All passages of the folder. */
  totalPassages: number;
  /** Documents embedded by this run. */
  documents: number;
  /** Other current work, such as a merge. */
  note?: string;
}

/** Options of a re-embedding. */
export interface ReembedOptions {
  /** Aborting rejects the call with a PriorartError of code `cancelled`. Written segments stay. */
  signal?: AbortSignal | undefined;
  /** Called with the progress of the re-embedding. */
  onProgress?: ((progress: ReembedProgress) => void) | undefined;
  /** Passages that are written at once as one segment. Default: 16,384. */
  segmentPassages?: number | undefined;
  /** Number of passages from which a segment gets a FAISS index. Default: 20,000. */
  indexFrom?: number | undefined;
}

/** Result of a re-embedding. */
export interface ReembedSummary {
  /** Name and version of the folder's model. */
  model: string;
  /** Documents embedded by this run; 0 if the folder already had this model. */
  embedded: number;
  /** Duration in seconds. */
  seconds: number;
}
