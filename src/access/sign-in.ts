/**
 * Sign-ins with the password of an account. Guesses are slowed by the account and by the network that they come
 * from, and the right password is never refused because of them. The attempts of one network at one account run
 * one after another: otherwise attempts at the same time would share one pause.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { PriorartError } from '../errors.js';
import { PASSWORD_PAUSE, SIGN_INS_WAITING } from '../limits.js';
import { networkOf } from './address-limit.js';
import { Attempts, type PauseLimits } from './attempts.js';
import { hashSecret } from './key.js';

/** The part of the access store that checks passwords. */
export interface PasswordCheck<Found> {
  /** The id of an account with a password, by its id or name. */
  accountWithPassword(asked: string): string | undefined;
  /** Undefined if the password is wrong. */
  check(asked: string, password: string): Promise<Found | undefined>;
}

interface SignInOptions {
  /** Default: PASSWORD_PAUSE. */
  limits?: PauseLimits;
  /** Monotonic clock, ms. */
  now?: () => number;
  pause?: (ms: number) => Promise<unknown>;
}

export class SignIns<Found> {
  readonly #access: PasswordCheck<Found>;
  readonly #pause: (ms: number) => Promise<unknown>;
  readonly #networks: Attempts;
  readonly #accounts: Attempts;
  /** The last attempt of a network at an account, and how many wait. */
  readonly #lanes = new Map<string, { last: Promise<unknown>; waiting: number }>();
  /** Attempts that run or wait, by network. */
  readonly #open = new Map<string, number>();

  constructor(access: PasswordCheck<Found>, options: SignInOptions = {}) {
    const { limits = PASSWORD_PAUSE, now, pause = sleep } = options;
    this.#access = access;
    this.#pause = pause;
    this.#networks = new Attempts(limits, now);
    this.#accounts = new Attempts(limits, now, (account) => account);
  }

  /**
   * Checks a password from a network.
   * @param asked id or name of the account
   * @param address of the client
   * @returns undefined if it is wrong, or there is no such account
   * @throws PriorartError `rate_limited` if the network has too many attempts that wait, `overloaded`,
   *   `unavailable`
   */
  async check(asked: string, password: string, address: string): Promise<Found | undefined> {
    // Unknown names are slowed like accounts, and a long one takes no memory.
    const account = this.#access.accountWithPassword(asked) ?? hashSecret(asked).toString('base64');
    const network = networkOf(address);
    return this.#inTurn(network, account, async () => {
      const pauseMs = Math.max(this.#networks.pauseMs(address), this.#accounts.pauseMs(account));
      if (pauseMs > 0) await this.#pause(pauseMs);
      const found = await this.#access.check(asked, password);
      if (found === undefined) {
        this.#networks.wrong(address);
        this.#accounts.wrong(account);
      }
      return found;
    });
  }

  /** Runs work after the earlier attempts of the network at the account. */
  async #inTurn<T>(network: string, account: string, work: () => Promise<T>): Promise<T> {
    const name = `${network} ${account}`;
    const lane = this.#lanes.get(name) ?? { last: Promise.resolve(), waiting: 0 };
    const open = this.#open.get(network) ?? 0;
    if (lane.waiting >= SIGN_INS_WAITING.perAccount || open >= SIGN_INS_WAITING.perNetwork) {
      throw new PriorartError('rate_limited', 'too many sign-ins at the same time; try again in 2 s', {
        retryAfter: PASSWORD_PAUSE.longestMs / 1000,
      });
    }
    this.#open.set(network, open + 1);
    lane.waiting++;
    this.#lanes.set(name, lane);
    const result = lane.last.then(work);
    lane.last = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      lane.waiting--;
      if (lane.waiting === 0) this.#lanes.delete(name);
      const left = this.#open.get(network)! - 1;
      if (left === 0) this.#open.delete(network);
      else this.#open.set(network, left);
    }
  }
}
