/**
 * States of the documents that are pinned for somebody, one for all who want the same. Each takes one of the places
 * for readers that all processes on a folder share, and keeps what was freed since from being used again, so there are
 * few at a time: of more, the oldest is released while it is wanted still.
 */
import { PINNED_STATES_MAX } from '../limits.js';
import { PinnedDocuments } from '../store/pinned.js';
import type { Store } from '../store/store.js';

export class Pins {
  readonly #store: Store;
  readonly #max: number;
  /** In the order in which they were pinned. */
  readonly #users = new Map<PinnedDocuments, number>();

  constructor(store: Store, max: number = PINNED_STATES_MAX) {
    this.#store = store;
    this.#max = max;
  }

  /** States that are pinned. */
  get size(): number {
    return this.#users.size;
  }

  /** The state of a generation, to be left again; undefined where something was committed since. */
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
    // It was released before its time.
    if (users === undefined) return;
    if (users > 1) this.#users.set(pinned, users - 1);
    else this.#release(pinned);
  }

  #release(pinned: PinnedDocuments): void {
    this.#users.delete(pinned);
    pinned.release();
  }
}
