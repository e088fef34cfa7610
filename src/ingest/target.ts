/** Where an ingest stores documents. The data folder is one such place (folder-target.ts). */
import type { Outcome, Outdated } from '../store/commit.js';
import type { DocumentHead, PreparedDocument } from '../store/document.js';
import type { ModelIdentity } from '../store/manifest.js';
import type { EndedSource, SourceFile } from '../store/source-record.js';
import type { Revision } from './revise.js';

/** Finds stored publications by patent_id, also under those that they have taken the place of. */
export type StoredHeads = (
  patentIds: readonly string[],
) => Promise<(patentId: string) => DocumentHead | undefined>;

/** Why a document is not stored, though others of its commit are. */
export interface Refusal {
  refused: string;
}

export interface IngestTarget {
  /**
   * Merges parts and corrections with each other and with the stored documents. The results have a basis: what they were
   * merged with.
   */
  revise(documents: readonly PreparedDocument[]): Promise<Revision>;
  /**
   * Stores documents durably, so that searches find them. Those with a basis that has changed are `outdated` and not stored as
   * they are: their sources must be revised again.
   * @param model that made their vectors
   * @throws PriorartError `model_mismatch` if the vectors must be of another model by now; nothing is stored then
   */
  commit(
    model: ModelIdentity,
    documents: readonly PreparedDocument[],
  ): Promise<readonly (Outcome | Outdated | Refusal)[]>;
  /** Whether the current version of a file was read completely by the current readers. */
  isRead(file: SourceFile): boolean;
  /** Whether a file was read as a table that is joined with others of its folder. */
  isJoined(file: SourceFile): boolean;
  /** Enters completely read files in the ledger. */
  enter(files: readonly EndedSource[]): Promise<void>;
  /** Begins work that follows a commit, such as a merge, in the background. @param onProgress what is done */
  tend(onProgress: (note: string) => void): void;
  /** Waits for this work. Its errors are thrown by `settle`. */
  stop(): Promise<void>;
  /** Finishes this work. */
  settle(): Promise<void>;
}
