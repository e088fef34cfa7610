/** What an application sees of an ingest. Apart from the ingest itself: a public type must not lead to the store's. */
import type { Failure } from './readers/reader.js';

/** How far an ingest is. */
export interface IngestProgress {
  /** Bytes of the source that were read. */
  bytesRead: number;
  /** Bytes of all files; 0 for records, whose number is not known. */
  totalBytes: number;
  /** Publications that were read. */
  documents: number;
  /** Failures so far. */
  failed: number;
  /** Drawings of publications that are there; absent where drawings are off. */
  drawings?: number;
  /** What else is going on, such as a merge. */
  note?: string;
}

/** Options of `ingest`. */
export interface IngestOptions {
  /** Of records: what they are called in failures and in the ledger. Default: `records`. */
  name?: string | undefined;
  /** Aborting rejects the call with a PriorartError of code `cancelled`; what was committed stays. */
  signal?: AbortSignal | undefined;
  /** Told how far the ingest is. */
  onProgress?: ((progress: IngestProgress) => void) | undefined;
  /** Pass over files that the ledger holds as they are now. Default: false, all are read. */
  onlyNew?: boolean | undefined;
  /** Milliseconds: a folder in which a file changed later than that ago is left for the next time. Default: 0. */
  settledMs?: number | undefined;
  /** Passages that are committed at once as one segment. Default: 16,384; fewer need less memory. */
  segmentPassages?: number | undefined;
  /** Passages from which on a segment gets a FAISS index. Default: 20,000; smaller indexes gain nothing. */
  indexFrom?: number | undefined;
  /** Whether drawings are taken in. Default: true, where sharp is installed. */
  drawings?: boolean | undefined;
}

/** What an ingest did, counting publications. */
export interface IngestSummary {
  /** All publications that were read: ingested + updated + unchanged + skipped. */
  documents: number;
  /** Publications that were new. */
  ingested: number;
  /** Publications that replaced or completed a stored one. */
  updated: number;
  /** Publications that were stored already. */
  unchanged: number;
  /** Publications left out on purpose, such as those of other offices. */
  skipped: number;
  /** Files and entries of folders and archives that are no patent data; a file that was named is a failure. */
  skipped_files: number;
  /** Why publications and files were skipped, most frequent first. */
  skip_reasons: {
    /** Why. */
    reason: string;
    /** How many. */
    count: number;
  }[];
  /** What could not be read, 10,000 entries at most. */
  failed: Failure[];
  /** Seconds that it took. */
  seconds: number;
  /** With `onlyNew`: files that were passed over. */
  known_files?: number;
  /** Absent where drawings are off. */
  drawings?: DrawingSummary;
}

/** What became of the drawings that the publications of an ingest name, each counted once a publication. */
export interface DrawingSummary {
  /** Drawings that are new. */
  stored: number;
  /** Stored before, from the same file. */
  unchanged: number;
  /** Named, and neither found now nor before. */
  missing: number;
  /** The first of those, as `US…A1: US…-D00001.TIF`. */
  missing_first: string[];
  /** Images that no publication names: formulas, mostly. */
  unclaimed: number;
  /** Images that can not be read. */
  failed: Failure[];
  /** Why no drawing could be taken in on this system, although they are on. */
  unavailable?: string;
}

/** How far a re-embedding is. */
export interface ReembedProgress {
  /** Passages that have a vector of the new model, and all. */
  passages: number;
  /** Passages of the folder. */
  totalPassages: number;
  /** Documents that this run has embedded. */
  documents: number;
  /** What else is going on, such as a merge. */
  note?: string;
}

/** Options of a re-embedding. */
export interface ReembedOptions {
  /** Aborting rejects the call with a PriorartError of code `cancelled`; what is done stays. */
  signal?: AbortSignal | undefined;
  /** Told how far the re-embedding is. */
  onProgress?: ((progress: ReembedProgress) => void) | undefined;
  /** As in an ingest. */
  segmentPassages?: number | undefined;
  /** Passages from which on a segment gets a FAISS index. Default: 20,000. */
  indexFrom?: number | undefined;
}

/** What a re-embedding did. */
export interface ReembedSummary {
  /** Name and version that the folder has now. */
  model: string;
  /** Documents that this run embedded; 0 where the folder was of this model already. */
  embedded: number;
  /** Seconds that it took. */
  seconds: number;
}
