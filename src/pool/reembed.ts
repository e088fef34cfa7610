/** Re-embeds a folder on worker threads while other processes search it. */
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
import { joinedSignal } from '../joined-signal.js';
import { WORKERS_MAX } from '../limits.js';
import {
  type ModelsConfig,
  type ModelsInput,
  readModels,
  storedModels,
  storingModels,
} from '../models/config.js';
import { warnOfCopies } from '../models/copies.js';
import { type ModelIdentity, sameModel } from '../store/manifest.js';
import { forgetReembedding, reembeddingOf } from '../store/reembedding.js';
import { Store } from '../store/store.js';
import { folderThreads } from './folder-thread.js';
import { answersOf } from './pool.js';

/** Options of `reembed`. */
export interface ReembedFolderOptions extends ReembedOptions {
  /**
   * Path of a models.json, or its contents. Default: the models of the unfinished re-embedding; without one, the folder's own
   * models, of which another version is installed.
   */
  models?: string | ModelsInput | undefined;
  /** Threads that embed; 0 uses the calling thread. Default: one per processor. */
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
 * Embeds every passage of a folder with another model. Searches in this and other processes use the old model
 * until it is complete, and the new one afterwards. Completed work survives an abort or a kill.
 * @throws PriorartError `no_data`, `unavailable` while another process re-embeds, `invalid_models`,
 *   `model_missing`, `disk_full`, `cancelled` if the signal fires, `usage` without models and with nothing to do
 */
export async function reembed(dir: string, options: ReembedFolderOptions = {}): Promise<ReembedSummary> {
  checkOptions('reembed', options, OPTIONS);
  const { workers = availableParallelism() } = options;
  const given = options.models === undefined ? undefined : readModels(options.models);
  return withLock(dir, async (store) => {
    const { config, isOwn } = given ? { config: given, isOwn: false } : withoutModels(store);
    const opened = storingModels(config);
    warnOfCopies(opened, workers);
    const choice = { always: opened };
    const answers = answersOf(folderThreads({ dir, choice }), { workers });
    const { signal, abort, release } = joinedSignal(options.signal);
    try {
      const embedder = {
        embed: (documents: DocumentTexts[]) => answers.ask({ kind: 'embed', documents }, { signal }),
        get parallel() {
          return answers.parallel;
        },
      };
      // An empty call returns the identity of the model.
      const { model } = await embedder.embed([]);
      if (isOwn && sameModel(model, store.manifest().model)) nothingToDo(model);
      return await reembedStore(store, { model, models: { ...config } }, embedder, options);
    } catch (error) {
      // `close` waits for what runs.
      abort(error);
      throw error;
    } finally {
      release();
      await answers.close();
    }
  });
}

/**
 * Discards an unfinished re-embedding and frees its disk space.
 * @returns false if no re-embedding is unfinished
 * @throws PriorartError `no_data`, `unavailable` while a process re-embeds
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
      throw new PriorartError(
        'unavailable',
        `${dir} is being re-embedded by another process; wait until it has finished`,
      );
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

/** The models of an unfinished re-embedding, or those that the folder is configured with: another version may be installed. */
function withoutModels(store: Store): { config: ModelsConfig; isOwn: boolean } {
  const left = reembeddingOf(store);
  if (left !== undefined) return { config: storedModels(left.models, store.dir), isOwn: false };
  return { config: storedModels(store.manifest().models, store.dir), isOwn: true };
}

/** @throws PriorartError `usage`: the folder's own model is the installed one */
function nothingToDo(model: ModelIdentity): never {
  const missing = `no model given, no unfinished re-embedding, and the folder has the installed version of its model, ${model.name} ${model.version}; expected`;
  throw new PriorartError('usage', `${missing} { models }`, { inCommand: `${missing} --models FILE` });
}
