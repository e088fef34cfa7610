/** What one search works on: a folder's newest state, and models that fit it. */
import type { Embedder } from '../embed/embedder.js';
import type { OpenSnapshot } from '../index/segment.js';
import type { Reranker } from '../rerank/reranker.js';
import { sameModel } from '../store/manifest.js';
import type { Store } from '../store/store.js';
import type { Folder } from './folder.js';
import type { RecallChecks } from './recall-checks.js';

/** The folder was embedded anew with another model since this search got its models: it has to begin again. */
export class ModelReplaced extends Error {}

export class Reader {
  readonly #folder: Folder;
  readonly embedder: Embedder;
  readonly reranker: Reranker;
  /** Checks some of the searches behind their backs, where that is wanted. */
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
