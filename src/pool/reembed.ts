/** Re-embeds a folder on threads of its own, beside whoever searches it. */
import { availableParallelism } from 'node:os';
import {
  abortSignal,
  callback,
  checkOptions,
  integer,
  type OptionRules,
  pathOrObject,
} from '../check-options.js';
import { PriorartError } from '../errors.js';
import type { DocumentTexts } from '../index/native.js';
import { removeSegmentFiles } from '../index/segment.js';
import { lockReembedding, reembed as reembedStore } from '../ingest/reembed.js';
import type { ReembedOptions, ReembedSummary } from '../ingest/summary.js';
import { QUEUE_PER_WORKER, WORKERS_MAX } from '../limits.js';
import { type ModelsConfig, type ModelsInput, readModels, storedModels } from '../models/config.js';
import { warnOfCopies } from '../models/copies.js';
import { forgetReembedding, reembeddingOf } from '../store/reembedding.js';
import { Store } from '../store/store.js';
import { Inline, Pool } from './pool.js';

/** Options of `reembed`. */
export interface ReembedFolderOptions extends ReembedOptions {
  /** Path of a models.json, or what stands in one. Default: that of the re-embedding that was not finished. */
  models?: string | ModelsInput | undefined;
  /** Threads that embed; 0 works on the calling thread. Default: one per processor. */
  workers?: number | undefined;
}

const OPTIONS: OptionRules<ReembedFolderOptions> = {
  models: pathOrObject,
  workers: integer(0, WORKERS_MAX),
  signal: abortSignal,
  onProgress: callback,
  segmentPassages: integer(1, Number.MAX_SAFE_INTEGER),
  indexFrom: integer(1, Number.MAX_SAFE_INTEGER),
};

/**
 * Gives every passage of a folder a vector of another model. Searches in this and other processes answer with the
 * old model until it is done, and with the new one from then on. What was done before an abort or a kill stays.
 * @throws PriorartError `no_data`, `unavailable` while another process does it, `invalid_models`, `model_missing`,
 *   `disk_full`, `cancelled` when the signal fires
 */
export async function reembed(dir: string, options: ReembedFolderOptions = {}): Promise<ReembedSummary> {
  checkOptions('reembed', options, OPTIONS);
  const { workers = availableParallelism() } = options;
  const given = options.models === undefined ? undefined : readModels(options.models);
  return withLock(dir, async (store) => {
    const config = given ?? unfinished(store);
    // Of rerankers only the static one keeps something in the segments; others are not opened.
    const reranker = config.reranker.kind === 'static' ? config.reranker : ({ kind: 'none' } as const);
    const opened = { embedder: config.embedder, reranker };
    warnOfCopies(opened, workers);
    const choice = { always: opened };
    const answers =
      workers === 0 ? new Inline(dir, choice) : new Pool(dir, choice, workers, QUEUE_PER_WORKER);
    try {
      const { signal } = options;
      const embedder = {
        embed: (documents: DocumentTexts[]) => answers.ask({ kind: 'embed', documents }, { signal }),
        get parallel() {
          return answers.parallel;
        },
      };
      // Nothing to embed: which model it is.
      const { model } = await embedder.embed([]);
      return await reembedStore(store, { model, models: { ...config } }, embedder, options);
    } finally {
      await answers.close();
    }
  });
}

/**
 * Forgets a re-embedding that was not finished, and gives its room back.
 * @returns false where there is none
 * @throws PriorartError `no_data`, `unavailable` while a process is at it
 */
export function forgetUnfinished(dir: string): Promise<boolean> {
  return withLock(dir, async (store) => {
    const left = reembeddingOf(store);
    if (left === undefined) return false;
    forgetReembedding(store);
    for (const name of [...left.segments.map(({ id }) => id), ...left.writing])
      removeSegmentFiles(store, name);
    return true;
  });
}

async function withLock<T>(dir: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = Store.open(dir);
  try {
    const lock = lockReembedding(store);
    if (lock === null) {
      throw new PriorartError('unavailable', `${dir} is being re-embedded by another process; let it finish`);
    }
    try {
      return await work(store);
    } finally {
      lock.release();
    }
  } finally {
    await store.close();
  }
}

function unfinished(store: Store): ModelsConfig {
  const left = reembeddingOf(store);
  if (left !== undefined) return storedModels(left.models, store.dir);
  const missing = 'no model given, and no re-embedding to go on with; expected';
  throw new PriorartError('usage', `${missing} { models }`, { inCommand: `${missing} --models FILE` });
}
