/** What accounts of a folder have used of their quotas, read from the file that its servers count in. */
import { join } from 'node:path';
import { isPriorartError, PriorartError } from '../errors.js';
import type { Cycle } from './billing.js';
import { COUNTERS_FILE, Counters } from './counters.js';
import { FileMissing } from './sqlite.js';

export class CountersReader {
  readonly #folder: string;
  readonly #waitMs: number;
  #counters: Counters | undefined;

  /** @param folder folder of the access store */
  constructor(folder: string, waitMs: number) {
    this.#folder = folder;
    this.#waitMs = waitMs;
  }

  /** @throws PriorartError `unavailable` if the counters cannot be read */
  used(account: string, cycle: Cycle): number {
    return this.#open()?.used(account, cycle) ?? 0;
  }

  /** Copies the file into a folder, if any call has been counted. */
  copyTo(folder: string): void {
    this.#open()?.copyTo(join(folder, COUNTERS_FILE));
  }

  close(): void {
    const counters = this.#counters;
    this.#counters = undefined;
    counters?.close();
  }

  /** The counters; undefined if no call has been counted. */
  #open(): Counters | undefined {
    if (this.#counters && !this.#counters.isMoved()) return this.#counters;
    this.close();
    try {
      this.#counters = new Counters(this.#folder, { create: false, waitMs: this.#waitMs });
      return this.#counters;
    } catch (error) {
      if (error instanceof FileMissing) return undefined;
      if (isPriorartError(error)) throw error;
      throw new PriorartError('unavailable', `quotas cannot be read: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
}
