/**
 * Sign-ins with the password of an account. Guesses are slowed by the account and by the network that they come
 * from, and no number of wrong passwords closes an account. The attempts of one network at one account take turns. The
 * room for attempts that wait is bounded: a flood of guesses can push out the sign-ins of its own network, as long as it
 * lasts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { PASSWORD_PAUSE, SIGN_IN_TURNS } from '../limits.js';
import { networkOf } from './address-limit.js';
import { Attempts, type PauseLimits } from './attempts.js';
import { hashSecret } from './key.js';
import { Turns } from './turns.js';

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
  readonly #turns = new Turns('sign-ins', SIGN_IN_TURNS);

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
   * @throws PriorartError `rate_limited` if later attempts of the network pushed it out, `overloaded`, `unavailable`
   */
  async check(asked: string, password: string, address: string): Promise<Found | undefined> {
    // Unknown names are slowed like accounts, and a long one takes no memory.
    const account = this.#access.accountWithPassword(asked) ?? hashSecret(asked).toString('base64');
    return this.#turns.take(networkOf(address), account, async () => {
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
}
