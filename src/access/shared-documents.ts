/**
 * What the accounts of several servers need of the store that they share: documents that are changed one at a time, each
 * only if it is still as it was read (optimistic concurrency). `src/cluster` implements it.
 *
 * Every method rejects with a PriorartError `unavailable` if the store does not answer. After that, the caller does not know
 * whether a write was done.
 */
import type { LogLimits } from './log-records.js';
import type { LogStore } from './log-store.js';

/** What the servers on a cluster share. */
export interface SharedStore {
  /** Accounts, keys and quotas. */
  documents: SharedDocuments;
  /** Opens the log of requests. It is usable until the documents are closed. */
  openLog(limits: Partial<LogLimits>): LogStore;
}

/** A state of a document. */
export interface DocumentVersion {
  seqNo: number;
  term: number;
}

export interface Stored<T> {
  value: T;
  version: DocumentVersion;
}

/** A document with the number of the change that wrote it. */
export interface NumberedDocument<T> {
  id: string;
  number: number;
  value: T;
}

export interface SharedDocuments {
  /** The last states that were acknowledged, in the order of the ids; undefined for a document that does not exist. */
  read<T>(ids: readonly string[]): Promise<(Stored<T> | undefined)[]>;
  /**
   * Writes a document if it is still in the state that was read.
   * @param known absent: it must not exist
   * @returns its new version; undefined if another writer was first
   */
  write<T extends object>(
    id: string,
    value: T,
    known: DocumentVersion | undefined,
  ): Promise<DocumentVersion | undefined>;
  /** Writes numbered documents, except those that are there with the same number or a higher one. */
  putNumbered<T extends object>(documents: readonly NumberedDocument<T>[]): Promise<void>;
  /** All numbered documents with a higher number, in the order of the numbers. */
  numberedAfter<T>(number: number): Promise<NumberedDocument<T>[]>;
  close(): Promise<void>;
}
