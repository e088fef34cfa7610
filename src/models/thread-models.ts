/**
 * The models of a thread: those that the folder's manifest names. If a re-embedding changes the folder's model, the new
 * models are opened. The old ones stay open until the last request that uses them ends.
 */
import { type Manifest, type ModelIdentity, sameModel } from '../store/manifest.js';
import { type ModelsConfig, storedModels } from './config.js';
import { checkModel, type ModelChange } from './identity.js';
import { closeModels, loadModels, type Models } from './load.js';

/** How a program chooses the models of a folder. */
export type ModelChoice =
  | {
      /** The user's configuration. Overrides the manifest's until the folder's model changes. */
      explicit?: ModelsConfig;
      /** The model of the folder when it was opened. */
      opened: ModelIdentity;
    }
  /** Always these models, whatever the folder's model is: for re-embedding. */
  | { always: ModelsConfig };

/** Models in use by one request. */
export interface ModelsLease {
  readonly models: Models;
  /** Ends the use of the models. To be called once. */
  release(): void;
}

interface Loaded {
  /** Configuration and identity that the models were opened for. */
  key: string;
  models: Models;
  users: number;
  retired: boolean;
}

type Wanted = Pick<Manifest, 'model' | 'models'>;

export class ThreadModels {
  readonly #name: string;
  readonly #choice: ModelChoice;
  readonly #change: ModelChange;
  #loaded: Loaded | undefined;
  #loading: { key: string; done: Promise<Loaded> } | undefined;
  /** The state that was last compared with the loaded models. Most requests pass the same object again. */
  #seen: Wanted | undefined;

  /**
   * @param name of the data folder or of the index, for messages
   * @param change that gives the index another model
   */
  constructor(name: string, choice: ModelChoice, change: ModelChange = 'reembed') {
    this.#name = name;
    this.#choice = choice;
    this.#change = change;
  }

  /** Requests that this thread should have in flight. */
  get concurrency(): number {
    const { embedder, reranker } = this.#loaded?.models ?? {};
    return Math.max(embedder?.concurrency ?? 1, reranker?.concurrency ?? 1);
  }

  /**
   * The models for the folder's state.
   * @param current returns the newest known state; called again if the state was replaced while models were opened
   * @throws PriorartError `model_mismatch`, and the errors of `loadModels`
   */
  async lease(current: () => Wanted): Promise<ModelsLease> {
    for (;;) {
      const loaded = await this.#load(current());
      if (loaded.retired) continue;
      loaded.users += 1;
      return { models: loaded.models, release: () => this.#release(loaded) };
    }
  }

  /** Closes the models. To be called when no request is running. */
  async close(): Promise<void> {
    const loaded = (await this.#loading?.done.catch(() => undefined)) ?? this.#loaded;
    this.#loaded = undefined;
    if (loaded) await closeModels(loaded.models);
  }

  #load(wanted: Wanted): Loaded | Promise<Loaded> {
    if (this.#loaded && (this.#seen === wanted || 'always' in this.#choice)) return this.#loaded;
    const config = this.#configFor(wanted);
    // Not before: the models of a state that cannot be used must not pass for those of that state.
    this.#seen = wanted;
    const key = JSON.stringify([config, wanted.model]);
    if (this.#loaded?.key === key) return this.#loaded;
    if (this.#loading?.key === key) return this.#loading.done;
    // New requests do not use the old models, and two large models may not fit in memory.
    if (this.#loaded) this.#retire(this.#loaded);
    this.#loaded = undefined;
    const loading = { key, done: this.#open(key, config, wanted.model) };
    this.#loading = loading;
    // Only the waiting requests fail. The next request tries again.
    loading.done.then(
      (loaded) => {
        if (this.#loading !== loading) return this.#retire(loaded);
        [this.#loaded, this.#loading] = [loaded, undefined];
      },
      () => {
        if (this.#loading === loading) this.#loading = undefined;
      },
    );
    return loading.done;
  }

  async #open(key: string, config: ModelsConfig, model: ModelIdentity): Promise<Loaded> {
    const models = await loadModels(config);
    try {
      if (!('always' in this.#choice)) checkModel(model, models.embedder, this.#name, this.#change);
    } catch (error) {
      await closeModels(models);
      throw error;
    }
    return { key, models, users: 0, retired: false };
  }

  #configFor({ model, models }: Wanted): ModelsConfig {
    if ('always' in this.#choice) return this.#choice.always;
    const { explicit, opened } = this.#choice;
    return explicit && sameModel(model, opened) ? explicit : storedModels(models, this.#name);
  }

  #retire(loaded: Loaded): void {
    loaded.retired = true;
    if (loaded.users === 0) this.#closeUnused(loaded);
  }

  #release(loaded: Loaded): void {
    loaded.users -= 1;
    if (loaded.retired && loaded.users === 0) this.#closeUnused(loaded);
  }

  #closeUnused({ models }: Loaded): void {
    // No request uses these models, so a failure to close them has no effect.
    closeModels(models).catch(() => {});
  }
}
