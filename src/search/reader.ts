/** The state of a folder and the models that one search works with. */
import type { Embedder } from '../embed/embedder.js';
import type { OpenSnapshot } from '../index/segment.js';
import type { Reranker } from '../rerank/reranker.js';
import { sameModel } from '../store/manifest.js';
import type { Store } from '../store/store.js';
import type { Folder } from './folder.js';
import type { RecallChecks } from './recall-checks.js';

/** The folder was embedded again with another model since the search got its models. The search must start again. */
export class ModelReplaced extends Error {}

export class IndexReader {
  readonly #folder: Folder;
  readonly embedder: Embedder;
  readonly reranker: Reranker;
  /** Repeats a share of the searches exactly, to measure recall; absent if that is off. */
  readonly checks: RecallChecks | undefined;

  constructor(
    folder: Folder,
    models: { embedder: Embedder; reranker: Reranker },
    checks?: RecallChecks | undefined,
  ) {
    this.checks = checks;
    this.#folder = folder;
    this.embedder = models.embedder;
    this.reranker = models.reranker;
  }

  get store(): Store {
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
