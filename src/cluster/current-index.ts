/** The index behind the alias, and the models of its vectors. Another index may take its place at any time. */
import type { Models } from '../models/load.js';
import type { ThreadModels } from '../models/thread-models.js';
import { type ClusterClient, LostState, unavailable } from './client.js';
import { type ClusterMeta, readMeta } from './meta.js';

/** Milliseconds for which form, model and number of commits of the index are not read again. */
const META_MS = 1_000;

export class CurrentIndex {
  readonly #client: ClusterClient;
  readonly #models: ThreadModels;
  #known: { meta: ClusterMeta; readAt: number };

  constructor(client: ClusterClient, models: ThreadModels, meta: ClusterMeta) {
    this.#client = client;
    this.#models = models;
    this.#known = { meta, readAt: performance.now() };
  }

  /** Forgets what was read of the index. */
  changed(): void {
    this.#known = { ...this.#known, readAt: Number.NEGATIVE_INFINITY };
  }

  /**
   * Runs work on the index. If its state is lost, because a node left or another index took its place, the work is done
   * once more, on a new one.
   */
  async run<T>(work: (meta: ClusterMeta) => Promise<T>): Promise<T> {
    try {
      return await work(await this.#current());
    } catch (error) {
      if (!(error instanceof LostState)) throw error;
      this.changed();
      return await work(await this.#current());
    }
  }

  /** Runs work with the models of an index. */
  async withModels<T>(meta: ClusterMeta, work: (models: Models) => Promise<T>): Promise<T> {
    const lease = await this.#models.lease(() => meta);
    try {
      return await work(lease.models);
    } finally {
      lease.release();
    }
  }

  /** For an ingest: vectors of a model that was replaced a moment ago would be refused. */
  withNewestModels<T>(work: (models: Models) => Promise<T>): Promise<T> {
    this.changed();
    return this.run((meta) => this.withModels(meta, work));
  }

  async #current(): Promise<ClusterMeta> {
    if (performance.now() - this.#known.readAt < META_MS) return this.#known.meta;
    const meta = (await readMeta(this.#client, true)) ?? (await readMeta(this.#client));
    if (meta === undefined) {
      throw unavailable(`the index ${this.#client.settings.index} of the cluster was deleted`);
    }
    this.#known = { meta, readAt: performance.now() };
    return meta;
  }
}
