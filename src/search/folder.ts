/**
 * A data folder open for searching: the store, and the segments of its newest manifest. One per thread; the
 * segments themselves are shared by all threads of the process.
 */
import { type OpenSnapshot, openSnapshot } from '../index/segment.js';
import type { Manifest } from '../store/manifest.js';
import { Store } from '../store/store.js';

export class Folder {
  readonly store: Store;
  #snapshot: OpenSnapshot;
  /** The manifest of the snapshot, as it is stored. */
  #stored: Buffer;

  /** @throws PriorartError `no_data`, `data_version`, `data_corrupt` */
  constructor(dir: string) {
    this.store = Store.open(dir);
    try {
      this.#snapshot = openSnapshot(this.store);
      this.#stored = this.store.manifestBytes();
    } catch (error) {
      void this.store.close();
      throw error;
    }
  }

  /** The manifest as it was when somebody last asked for a snapshot. */
  get manifest(): Manifest {
    return this.#snapshot.manifest;
  }

  /**
   * The newest committed state. What is read from the store and searched in the segments until the caller next
   * awaits belongs together. After an await the segments may be closed: another request of this thread may have
   * found a newer state.
   */
  snapshot(): OpenSnapshot {
    this.store.refresh();
    if (this.store.isManifest(this.#stored)) return this.#snapshot;
    const fresh = openSnapshot(this.store);
    this.#stored = this.store.manifestBytes();
    // The segments that both have stay open: the new snapshot holds them already.
    this.#snapshot.native.close();
    this.#snapshot = fresh;
    return fresh;
  }

  async close(): Promise<void> {
    this.#snapshot.native.close();
    await this.store.close();
  }
}
