/**
 * The models that a thread has open: those of the folder's manifest, opened anew when a re-embedding has given the
 * folder another one. Requests that still work with the former keep it open until they are done.
 */
import { type Manifest, type ModelIdentity, sameModel } from '../store/manifest.js';
import { type ModelsConfig, storedModels } from './config.js';
import { checkModel } from './identity.js';
import { closeModels, loadModels, type Models } from './load.js';

/** How a program was told to open the models of a folder. */
export type ModelChoice =
  | {
      /** What the user named; wins over the manifest's for as long as the folder keeps the model it had. */
      explicit?: ModelsConfig;
      /** The model of the folder when it was opened. */
      opened: ModelIdentity;
    }
  /** These, whatever the folder's model: for a folder that is to become theirs. */
  | { always: ModelsConfig };

/** Models in use by one request. */
export interface Lease {
  readonly models: Models;
  /** To be called once, when the request needs them no more. */
  release(): void;
}

interface Loaded {
  /** What they were opened for: configuration and identity. */
  key: string;
  models: Models;
  users: number;
  retired: boolean;
}

type Wanted = Pick<Manifest, 'model' | 'models'>;

export class ThreadModels {
  readonly #dir: string;
  readonly #choice: ModelChoice;
  #loaded: Loaded | undefined;
  #loading: { key: string; done: Promise<Loaded> } | undefined;
  /** What was last compared with what is loaded: mostly the same object again. */
  #seen: Wanted | undefined;

  /** @param dir of the data folder, for messages */
  constructor(dir: string, choice: ModelChoice) {
    this.#dir = dir;
    this.#choice = choice;
  }

  /** Requests that this thread should have in flight. */
  get concurrency(): number {
    const { embedder, reranker } = this.#loaded?.models ?? {};
    return Math.max(embedder?.concurrency ?? 1, reranker?.concurrency ?? 1);
  }

  /**
   * The models for the folder's state.
   * @param current gives the newest state known; asked again where it was replaced while models were opened
   * @throws PriorartError `model_mismatch`, and what opening a model throws
   */
  async lease(current: () => Wanted): Promise<Lease> {
    for (;;) {
      const loaded = await this.#load(current());
      if (loaded.retired) continue;
      loaded.users += 1;
      return { models: loaded.models, release: () => this.#release(loaded) };
    }
  }

  /** To be called when no request is running. */
  async close(): Promise<void> {
    const loaded = (await this.#loading?.done.catch(() => undefined)) ?? this.#loaded;
    this.#loaded = undefined;
    if (loaded) await closeModels(loaded.models);
  }

  #load(wanted: Wanted): Loaded | Promise<Loaded> {
    if (this.#loaded && (this.#seen === wanted || 'always' in this.#choice)) return this.#loaded;
    this.#seen = wanted;
    const config = this.#configFor(wanted);
    const key = JSON.stringify([config, wanted.model]);
    if (this.#loaded?.key === key) return this.#loaded;
    if (this.#loading?.key === key) return this.#loading.done;
    // Nobody will ask for the former any more, and two large models at once may be one too many.
    if (this.#loaded) this.#retire(this.#loaded);
    this.#loaded = undefined;
    const loading = { key, done: this.#open(key, config, wanted.model) };
    this.#loading = loading;
    // A failure is that of the requests that wait for it; the next one tries again.
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
      if (!('always' in this.#choice)) checkModel(model, models.embedder, this.#dir);
    } catch (error) {
      await closeModels(models);
      throw error;
    }
    return { key, models, users: 0, retired: false };
  }

  #configFor({ model, models }: Wanted): ModelsConfig {
    if ('always' in this.#choice) return this.#choice.always;
    const { explicit, opened } = this.#choice;
    return explicit && sameModel(model, opened) ? explicit : storedModels(models, this.#dir);
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
    // Nobody waits for it, and nothing depends on it.
    closeModels(models).catch(() => {});
  }
}
