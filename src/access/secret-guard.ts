/**
 * Slows guesses at the administrator's secret, by the network that they come from. An attempt without a pause is checked
 * at once. The others take turns, so a network has a few guesses in each pause over all its connections.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN_PAUSE, ADMIN_TURNS } from '../limits.js';
import { networkOf } from './address-limit.js';
import { Attempts, type PauseLimits } from './attempts.js';
import { Turns } from './turns.js';

interface GuardOptions {
  /** Default: ADMIN_PAUSE. */
  limits?: PauseLimits;
  /** Monotonic clock, ms. */
  now?: () => number;
  pause?: (ms: number) => Promise<unknown>;
}

export class SecretGuard {
  readonly #attempts: Attempts;
  readonly #pause: (ms: number) => Promise<unknown>;
  readonly #turns = new Turns("attempts at the administrator's secret", ADMIN_TURNS);
  /** Attempts whose secret has yet to arrive, by network. */
  readonly #open = new Map<string, number>();

  constructor({ limits = ADMIN_PAUSE, now, pause = sleep }: GuardOptions = {}) {
    this.#attempts = new Attempts(limits, now);
    this.#pause = pause;
  }

  /**
   * Checks a secret from an address, after its pause.
   * @returns a promise if the check has to wait
   * @throws what `check` throws; as a rejection also PriorartError `rate_limited` if too many later attempts wait
   */
  check<T>(address: string, check: () => T): T | Promise<T> {
    if (this.#pauseMs(address) === 0) return check();
    // Each attempt is a lane of its own.
    return this.#turns.take(networkOf(address), {}, async () => {
      const ms = this.#pauseMs(address);
      if (ms > 0) await this.#pause(ms);
      return check();
    });
  }

  /**
   * Reads a secret and checks it, after the pause. It counts as wrong until it ends, so attempts that are opened
   * together and sent later do not share a pause. No turn is held meanwhile: clients that send nothing hold up no other.
   * @throws what `work` throws, and PriorartError `rate_limited`; as a rejection
   */
  async read<T>(address: string, work: () => Promise<T>): Promise<T> {
    const network = networkOf(address);
    await this.check(address, () => this.#count(network, 1));
    try {
      return await work();
    } finally {
      this.#count(network, -1);
    }
  }

  /** Records a wrong secret. */
  wrong(address: string): void {
    this.#attempts.wrong(address);
  }

  #pauseMs(address: string): number {
    return this.#attempts.pauseMs(address, this.#open.get(networkOf(address)));
  }

  #count(network: string, more: number): void {
    const open = (this.#open.get(network) ?? 0) + more;
    if (open === 0) this.#open.delete(network);
    else this.#open.set(network, open);
  }
}
