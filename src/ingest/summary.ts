/** What an application sees of an ingest. Apart from the ingest itself: a public type must not lead to the store's. */
import type { Failure } from './readers/reader.js';

export interface IngestProgress {
  bytesRead: number;
  totalBytes: number;
  documents: number;
  failed: number;
  /** Drawings of publications that are there; absent where drawings are off. */
  drawings?: number;
  /** What else is going on, such as a merge. */
  note?: string;
}

export interface IngestOptions {
  /** Of records: what they are called in failures and in the ledger. Default: `records`. */
  name?: string | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: IngestProgress) => void) | undefined;
  /** Pass over files that the ledger holds as they are now. Default: false, all are read. */
  onlyNew?: boolean | undefined;
  /** Leave folders for the next time in which a file changed less than so many ms ago. Default: 0. */
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
  ingested: number;
  updated: number;
  unchanged: number;
  skipped: number;
  /** Files and entries of folders and archives that are no patent data; a file that was named is a failure. */
  skipped_files: number;
  /** Why publications and files were skipped, most frequent first. */
  skip_reasons: { reason: string; count: number }[];
  failed: Failure[];
  seconds: number;
  /** With `onlyNew`: files that were passed over. */
  known_files?: number;
  /** Absent where drawings are off. */
  drawings?: DrawingSummary;
}

/** What became of the drawings that the publications of an ingest name, each counted once a publication. */
export interface DrawingSummary {
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

export interface ReembedProgress {
  /** Passages that have a vector of the new model, and all. */
  passages: number;
  totalPassages: number;
  /** Documents that this run has embedded. */
  documents: number;
  note?: string;
}

export interface ReembedOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: ReembedProgress) => void) | undefined;
  /** As in an ingest. */
  segmentPassages?: number | undefined;
  indexFrom?: number | undefined;
}

/** What a re-embedding did. */
export interface ReembedSummary {
  /** Name and version that the folder has now. */
  model: string;
  /** Documents that this run embedded; 0 where the folder was of this model already. */
  embedded: number;
  seconds: number;
}
