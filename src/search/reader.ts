/** The state of a folder and the models that one search works with. */
import type { Calibration } from '../embed/calibration.js';
import type { Embedder } from '../embed/embedder.js';
import type { OpenSnapshot } from '../index/segment.js';
import type { Reranker } from '../rerank/reranker.js';
import { sameModel } from '../store/manifest.js';
import type { Publications } from '../store/publications.js';
import type { AnalyticsQuery, SemanticQuery } from './query.js';
import type { RecallChecks } from './recall-checks.js';
import type { Subject } from './subject.js';

/** Publications and their segments, of one state. */
export interface Searched {
  readonly store: Publications;
  /** The newest state. Until the caller next awaits, store and segments are of one state. */
  snapshot(): OpenSnapshot;
}

/** The folder was embedded again with another model since the search got its models. The search must start again. */
export class ModelReplaced extends Error {}

export class IndexReader {
  readonly #folder: Searched;
  readonly embedder: Embedder;
  readonly reranker: Reranker;
  /** Repeats a share of the searches exactly, to measure recall; absent if that is off. */
  readonly checks: RecallChecks | undefined;

  constructor(
    folder: Searched,
    models: { embedder: Embedder; reranker: Reranker },
    checks?: RecallChecks | undefined,
  ) {
    this.checks = checks;
    this.#folder = folder;
    this.embedder = models.embedder;
    this.reranker = models.reranker;
  }

  /**
   * Puts the publications that a search needs into the next snapshot. Undefined: every snapshot has all publications.
   * @param query its text is what is reranked
   */
  gather(
    _query: SemanticQuery | AnalyticsQuery,
    _subject: Subject,
    _calibration: Calibration,
  ): Promise<void> | undefined {
    return undefined;
  }

  /**
   * Puts the texts of documents that an answer shows into the store. Undefined: they are there. A reader that fetches them
   * keeps one state of store and snapshot.
   */
  gatherTexts(_docs: readonly number[]): Promise<void> | undefined {
    return undefined;
  }

  /**
   * How the last `gather` compared documents with the question: `index` may have missed some. Undefined if nothing is
   * gathered.
   */
  get gathered(): 'exact' | 'index' | undefined {
    return undefined;
  }

  get store(): Publications {
    return this.#folder.store;
  }

  /**
   * The newest committed state, whose vectors are of this reader's embedder; see `Folder.snapshot`.
   * @throws ModelReplaced
   */
  snapshot(): OpenSnapshot {
    const snapshot = this.#folder.snapshot();
    if (!sameModel(snapshot.manifest.model, this.embedder)) throw new ModelReplaced();
    return snapshot;
  }
}
