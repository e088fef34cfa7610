/**
 * A data folder open for searching: the store, and the segments of its newest manifest. One per thread; the
 * segments themselves are shared by all threads of the process.
 */
import type { BackgroundOpening } from '../index/native.js';
import { type OpenSnapshot, openBeside, openSnapshot } from '../index/segment.js';
import { type Manifest, type SegmentEntry, sameModel } from '../store/manifest.js';
import { Store } from '../store/store.js';

/**
 * Passages. If a commit adds more, searches go on with the older segments until the new ones are open. Reading and
 * verifying an index costs about 0.2 µs of CPU a passage.
 */
const BESIDE_FROM = 50_000;

export interface FolderOptions {
  besideFrom?: number;
  openBeside?: typeof openBeside;
}

export class Folder {
  readonly store: Store;
  #snapshot: OpenSnapshot;
  /** The manifest of the snapshot, as it is stored. */
  #stored: Buffer;
  readonly #options: Required<FolderOptions>;
  /** Segments of a merge that are being opened. */
  #coming: { names: string; opening: BackgroundOpening } | undefined;

  /** @throws PriorartError `no_data`, `data_version`, `data_corrupt` */
  constructor(dir: string, options: FolderOptions = {}) {
    this.#options = { besideFrom: BESIDE_FROM, openBeside, ...options };
    this.store = Store.open(dir);
    try {
      this.#snapshot = openSnapshot(this.store);
      this.#stored = this.store.manifestBytes();
    } catch (error) {
      void this.store.close();
      throw error;
    }
  }

  /** The manifest of the last snapshot. */
  get manifest(): Manifest {
    return this.#snapshot.manifest;
  }

  /**
   * The newest committed state. If that state holds the same documents in merged segments, the state before it, until the
   * merged segments are open. Until the caller next awaits, store and segments are of one state. After an await the
   * segments may be closed, because another request of this thread may have found a newer state.
   */
  snapshot(): OpenSnapshot {
    this.store.refresh();
    if (this.store.isManifest(this.#stored)) return this.#snapshot;
    const newest = this.store.manifest();
    if (this.#isComing(newest)) {
      // The texts are those of the newest state, whose generation it therefore has.
      const { generation, updatedAt } = newest;
      const { native, manifest } = this.#snapshot;
      return { native, manifest: { ...manifest, generation, updatedAt } };
    }
    const fresh = openSnapshot(this.store);
    this.#stored = this.store.manifestBytes();
    // Segments of both snapshots stay open: the new snapshot holds them already.
    this.#snapshot.native.close();
    this.#snapshot = fresh;
    this.#forget();
    return fresh;
  }

  /** Whether a state holds the snapshot's documents in other segments that are not open yet. Starts to open them. */
  #isComing(newest: Manifest): boolean {
    const { manifest } = this.#snapshot;
    if (!holdTheSame(manifest, newest)) return false;
    const open = new Set(manifest.segments.map(nameOf));
    const fresh = newest.segments.filter((entry) => !open.has(nameOf(entry)));
    const { besideFrom } = this.#options;
    if (fresh.reduce((sum, { passages }) => sum + passages, 0) < besideFrom) return false;
    const names = fresh.map(nameOf).join();
    if (this.#coming?.names !== names) {
      this.#forget();
      this.#coming = { names, opening: this.#options.openBeside(this.store, fresh) };
    }
    return !this.#coming.opening.done;
  }

  #forget(): void {
    this.#coming?.opening.close();
    this.#coming = undefined;
  }

  async close(): Promise<void> {
    this.#forget();
    this.#snapshot.native.close();
    await this.store.close();
  }
}

function nameOf({ id, index }: SegmentEntry): string {
  return `${id}/${index?.file ?? ''}`;
}

/** Whether two states hold the same documents: an id is never given twice, so a new one raises the next. */
function holdTheSame(a: Manifest, b: Manifest): boolean {
  return (
    a.nextDoc === b.nextDoc &&
    a.documents === b.documents &&
    a.passages === b.passages &&
    sameModel(a.model, b.model)
  );
}
