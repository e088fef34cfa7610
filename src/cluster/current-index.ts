/** The index behind the alias, and the models of its vectors. Another index may take its place at any time. */
import type { Models } from '../models/load.js';
import type { ThreadModels } from '../models/thread-models.js';
import { again } from './again.js';
import { type ClusterClient, unavailable } from './client.js';
import { type ClusterMeta, readMeta } from './meta.js';

/** Milliseconds for which form, model and number of commits of the index are not read again. */
const META_MS = 1_000;

export class CurrentIndex {
  readonly #client: ClusterClient;
  readonly #models: ThreadModels;
  readonly #changes: Int32Array;
  #known: { meta: ClusterMeta; readAt: number; changes: number };

  /** @param changes number of changes, one i32 that all threads of an engine share */
  constructor(client: ClusterClient, models: ThreadModels, meta: ClusterMeta, changes: SharedArrayBuffer) {
    this.#client = client;
    this.#models = models;
    this.#changes = new Int32Array(changes);
    this.#known = { meta, readAt: performance.now(), changes: Atomics.load(this.#changes, 0) };
  }

  /** Makes all threads of the engine read again what is known of the index. */
  changed(): void {
    Atomics.add(this.#changes, 0, 1);
  }

  /**
   * Runs work on the index. If its state is lost, because a node left or another index took its place, the work is
   * repeated on a new one.
   */
  run<T>(work: (meta: ClusterMeta) => Promise<T>, signal?: AbortSignal): Promise<T> {
    let isFirst = true;
    return again(
      async () => {
        const meta = await this.#current(isFirst);
        isFirst = false;
        return work(meta);
      },
      'answer',
      signal,
    );
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
  withNewestModels<T>(work: (models: Models) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return again(async () => this.withModels(await this.#current(false), work), 'ingest', signal);
  }

  /** @param mayBeOld whether what was read a moment ago will do */
  async #current(mayBeOld: boolean): Promise<ClusterMeta> {
    // Read before the cluster is asked: a change meanwhile counts as unknown.
    const changes = Atomics.load(this.#changes, 0);
    const { meta: known, readAt } = this.#known;
    const isNew = this.#known.changes === changes && performance.now() - readAt < META_MS;
    if (mayBeOld && isNew) return known;
    const meta = (await readMeta(this.#client, true)) ?? (await readMeta(this.#client));
    if (meta === undefined) {
      throw unavailable(`the index ${this.#client.settings.index} of the cluster was deleted`);
    }
    this.#known = { meta, readAt: performance.now(), changes };
    return meta;
  }
}
