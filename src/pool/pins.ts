/**
 * Pinned snapshots of the documents, shared by all users of the same generation. Each takes one of the reader
 * slots that all processes on a folder share, and keeps freed pages from being reused. Their number is
 * therefore limited: if it is exceeded, the oldest is released even if it is in use.
 */
import { PINNED_STATES_MAX } from '../limits.js';
import { PinnedDocuments } from '../store/pinned.js';
import type { Store } from '../store/store.js';

export class Pins {
  readonly #store: Store;
  readonly #max: number;
  /** Snapshots with their number of users, oldest first. */
  readonly #users = new Map<PinnedDocuments, number>();

  constructor(store: Store, max: number = PINNED_STATES_MAX) {
    this.#store = store;
    this.#max = max;
  }

  /** Number of pinned snapshots. */
  get size(): number {
    return this.#users.size;
  }

  /**
   * The snapshot of a generation. Call `leave` after its use. Undefined if the store has changed since
   * that generation.
   */
  take(generation: number): PinnedDocuments | undefined {
    for (const [pinned, users] of this.#users) {
      if (pinned.generation !== generation) continue;
      this.#users.set(pinned, users + 1);
      return pinned;
    }
    const pinned = new PinnedDocuments(this.#store);
    if (pinned.generation !== generation) {
      pinned.release();
      return undefined;
    }
    this.#users.set(pinned, 1);
    if (this.#users.size > this.#max) this.#release(this.#users.keys().next().value!);
    return pinned;
  }

  leave(pinned: PinnedDocuments): void {
    const users = this.#users.get(pinned);
    // It was released early.
    if (users === undefined) return;
    if (users > 1) this.#users.set(pinned, users - 1);
    else this.#release(pinned);
  }

  #release(pinned: PinnedDocuments): void {
    this.#users.delete(pinned);
    pinned.release();
  }
}
