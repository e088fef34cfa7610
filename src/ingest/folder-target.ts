/** A data folder as the place where an ingest stores documents. Each commit is a segment. */
import { mergeSegments } from '../index/merge.js';
import { discardSegment, writeSegment } from '../index/segment.js';
import { commitDocuments, type Outcome, type Outdated } from '../store/commit.js';
import type { PreparedDocument } from '../store/document.js';
import { enterSources, isJoined, isRead } from '../store/ledger.js';
import type { ModelIdentity } from '../store/manifest.js';
import type { Publications } from '../store/publications.js';
import type { EndedSource, SourceFile } from '../store/source-record.js';
import type { Store } from '../store/store.js';
import { READER_VERSIONS } from './readers/registry.js';
import { type Revision, revise } from './revise.js';
import type { IngestOptions } from './summary.js';
import type { IngestTarget, StoredHeads } from './target.js';

/** Finds the publications of a store. */
export function headsOf(store: Publications): StoredHeads {
  return async () => {
    store.refresh();
    return (patentId) => {
      const id = store.ids.get(patentId);
      return id === undefined ? undefined : store.documents.get(id);
    };
  };
}

export class FolderTarget implements IngestTarget {
  readonly #store: Store;
  readonly #options: Pick<IngestOptions, 'signal' | 'indexFrom'>;
  #merging: Promise<unknown> | undefined;
  /** Passages of the documents that were committed. */
  #added = 0;
  #onProgress: (note: string) => void = () => {};

  constructor(store: Store, options: Pick<IngestOptions, 'signal' | 'indexFrom'>) {
    this.#store = store;
    this.#options = options;
  }

  async revise(documents: readonly PreparedDocument[]): Promise<Revision> {
    this.#store.refresh();
    return revise(this.#store, documents);
  }

  async commit(
    model: ModelIdentity,
    documents: readonly PreparedDocument[],
  ): Promise<(Outcome | Outdated)[]> {
    let written: string | undefined;
    let added = 0;
    try {
      const outcomes = commitDocuments(this.#store, model, documents, (segment, firstDoc, fitting) => {
        written = segment;
        added = fitting.reduce((sum, { passages }) => sum + passages.length, 0);
        return writeSegment(this.#store, segment, firstDoc, fitting);
      });
      this.#added += added;
      return outcomes;
    } catch (error) {
      if (written !== undefined) discardSegment(this.#store, written);
      throw error;
    }
  }

  isRead(file: SourceFile): boolean {
    return isRead(this.#store, file, READER_VERSIONS);
  }

  isJoined(file: SourceFile): boolean {
    return isJoined(this.#store, file);
  }

  async enter(files: readonly EndedSource[]): Promise<void> {
    enterSources(this.#store, files);
  }

  tend(onProgress: (note: string) => void): void {
    this.#onProgress = onProgress;
    this.#merge();
  }

  /** @param added see `MergeOptions` */
  #merge(added?: number): void {
    this.#merging ??= mergeSegments(this.#store, {
      ...this.#options,
      added,
      onProgress: (note) => this.#onProgress(note),
    }).finally(() => {
      this.#merging = undefined;
    });
    this.#merging.catch(() => {}); // `settle` merges again and reports the error.
  }

  async stop(): Promise<void> {
    await this.#merging?.catch(() => {});
  }

  async settle(): Promise<void> {
    await this.stop();
    if (!this.#options.signal?.aborted) this.#merge(this.#added);
    await this.#merging;
  }
}
