/**
 * The checks of a request in their order: maintenance, key, rate limit, quota; and the headers RateLimit and
 * RateLimit-Policy, as in the IETF's draft of the RateLimit header fields.
 */

import { KEY_PREFIX } from '../../access/key.js';
import type { QuotaState, Reservation, Settled } from '../../access/quota-record.js';
import type { Account, ApiKey } from '../../access/records.js';
import type { Allowance } from '../../access/window.js';
import { type ErrorCode, isPriorartError, PriorartError } from '../../errors.js';
import type { HttpRequest } from '../adapters/adapter.js';
import type { Route, Services } from '../route.js';
import { LOGIN, requireAdministrator } from './administrator.js';
import { bearerOf, type Caller, requireKey, requireKeyId } from './api-key.js';
import { isOfPage, requirePage } from './page-session.js';

const MINUTE_S = 60;
/** Refusals of callers without a valid key. */
const REFUSED: ReadonlySet<ErrorCode> = new Set(['unauthorized', 'key_deactivated', 'forbidden']);

export class Admission {
  readonly #services: Services;
  #caller: Caller | undefined;
  #key: ApiKey | undefined;
  #account: Account | undefined;
  #allowance: Allowance | undefined;
  #reservation: Reservation | undefined;
  /** State of the quota when the reservation was settled. */
  #state: QuotaState | undefined;

  constructor(services: Services) {
    this.#services = services;
  }

  get hasReservation(): boolean {
    return this.#reservation !== undefined;
  }

  /** The account that is signed in, on routes with access `account`. */
  get account(): Account | undefined {
    return this.#account;
  }

  get caller(): Caller | undefined {
    return this.#caller;
  }

  /** The key of the request, active or deactivated; undefined if the key is unknown. */
  get key(): ApiKey | undefined {
    return this.#key;
  }

  /** Admission of a further request of the same caller, which the rate limit has counted with this one. */
  shared(): Admission {
    const other = new Admission(this.#services);
    other.#caller = this.#caller;
    other.#key = this.#key;
    other.#allowance = this.#allowance;
    return other;
  }

  /**
   * Counts more calls of the caller.
   * @throws PriorartError `rate_limited`, `unavailable`, as a rejection
   */
  async countCalls(more: number): Promise<void> {
    const { limits } = this.#services;
    for (let n = 0; n < more; n++) {
      const allowance = await limits.whenUnlocked(() => limits.takeCall(this.#caller!.key.id));
      this.#allowance = allowance;
      if (!allowance.admitted) throw rateLimited(allowance, true);
    }
  }

  /**
   * Admits a request to a route, or throws the reason of the refusal.
   * @returns a promise if the request has to wait
   * @throws PriorartError `unavailable`, `unauthorized`, `key_deactivated`, `rate_limited`; a promise rejects
   *   with the same errors
   */
  admit(request: HttpRequest, route: Route): Promise<void> | undefined {
    // The administration has a separate check, and is one place to turn maintenance off.
    if (route.access === 'health') return undefined;
    if (route.access !== 'public') this.#requireFolder();
    if (route.access === 'admin') {
      const { admin } = this.#services;
      if (!admin) throw new PriorartError('not_found', 'there is no such endpoint');
      return route.endpoint === LOGIN ? undefined : requireAdministrator(request, admin);
    }
    if (route.access === 'key') {
      const token = this.#tokenOf(request, route);
      if (token !== undefined) return this.#admitToken(request, route, token);
      // Only the last step counts, so all steps can be retried.
      return this.#services.limits.whenUnlocked(() => this.#admitCaller(request, route)) ?? undefined;
    }
    this.#admitCaller(request, route);
    if (route.access === 'account') this.#account = this.#accountOf(request);
    return undefined;
  }

  /** Checks again the session that a request was admitted by. @throws PriorartError `unauthorized` */
  checkSession(request: HttpRequest, route: Route): void {
    const { admin } = this.#services;
    if (route.access === 'account') this.#accountOf(request);
    if (route.access === 'admin' && route.endpoint !== LOGIN && bearerOf(request) === undefined) {
      void requireAdministrator(request, admin!);
    }
  }

  /** @throws PriorartError `not_found`, `unauthorized`, `forbidden`, `unavailable` */
  #accountOf(request: HttpRequest): Account {
    const { page } = this.#services;
    if (!page) throw new PriorartError('not_found', 'there is no such endpoint');
    requirePage(request);
    const { session, account } = page.require(request);
    if (session.kind === 'account') return account;
    throw new PriorartError('unauthorized', 'a visitor sees nothing of the account; sign in');
  }

  /** The token of an authorization server in a request; undefined without one, and if the request has an API key. */
  #tokenOf(request: HttpRequest, { takesBearer }: Route): string | undefined {
    if (!takesBearer || !this.#services.oauth || request.headers['x-api-key'] !== undefined) return undefined;
    const bearer = bearerOf(request);
    return bearer?.startsWith(KEY_PREFIX) ? undefined : bearer;
  }

  async #admitToken(request: HttpRequest, route: Route, token: string): Promise<void> {
    const { limits, oauth } = this.#services;
    await limits.whenUnlocked(() => this.#checkMaintenance(route));
    let id: string;
    try {
      id = await oauth!.keyOf(token);
    } catch (error) {
      await limits.whenUnlocked(() => this.#countStranger(request, error));
      throw error;
    }
    await limits.whenUnlocked(() => this.#admitCaller(request, route, id));
  }

  /**
   * Keys, counters, logs and drawings are in the data folder. They are unavailable without the folder. If a
   * different folder replaces it, the data belongs to that folder.
   * @throws PriorartError `unavailable`
   */
  #requireFolder(): void {
    const { ready, missing } = this.#services.engine.ready();
    if (!ready) throw new PriorartError('unavailable', `not ready: ${missing.join('; ')}`, { retryAfter: 2 });
  }

  /** @throws PriorartError `maintenance`, `unavailable` */
  #checkMaintenance({ duringMaintenance }: Route): void {
    const maintenance = duringMaintenance ? undefined : this.#services.access.maintenance();
    if (!maintenance) return;
    throw new PriorartError('maintenance', 'the service is down for maintenance', {
      retryAfter: maintenance.retry_after,
    });
  }

  /** @param id of the key that a checked token stands for */
  #admitCaller(request: HttpRequest, route: Route, id?: string): void {
    const { limits } = this.#services;
    this.#checkMaintenance(route);
    if (route.access === 'signed') this.#allowance = limits.takeFile(request.remoteAddress);
    else if (route.access === 'public' || route.access === 'account')
      this.#allowance = limits.takePublic(request.remoteAddress);
    else {
      this.#caller = this.#callerOf(request, route, id);
      this.#allowance = limits.takeCall(this.#caller.key.id);
    }
    if (!this.#allowance.admitted) throw rateLimited(this.#allowance, route.access === 'key');
  }

  /**
   * The caller. The client address limits calls without a valid key, so that a client cannot try keys without
   * a limit.
   * @throws PriorartError `unauthorized`, `key_deactivated`, `rate_limited`, `unavailable`
   */
  #callerOf(request: HttpRequest, route: Route, id: string | undefined): Caller {
    const { access } = this.#services;
    try {
      const known = (key: ApiKey) => {
        this.#key = key;
      };
      const keyId = id ?? this.#sessionKeyOf(request, route);
      if (keyId !== undefined) return requireKeyId(request, access, known, keyId);
      return requireKey(request, access, known, route.takesBearer === true);
    } catch (error) {
      this.#countStranger(request, error);
      throw error;
    }
  }

  /** The key of a session, if a page of this server sent the request instead of a client with an API key. */
  #sessionKeyOf(request: HttpRequest, { takesSession }: Route): string | undefined {
    const { page } = this.#services;
    if (!takesSession || !page || request.headers['x-api-key'] !== undefined) return undefined;
    return isOfPage(request) ? page.keyOf(request) : undefined;
  }

  /** Counts a call that has no valid key or token. @throws PriorartError `rate_limited` */
  #countStranger(request: HttpRequest, error: unknown): void {
    if (!isPriorartError(error) || !REFUSED.has(error.code)) return;
    this.#allowance = this.#services.limits.takeStranger(request.remoteAddress);
    if (!this.#allowance.admitted) throw rateLimited(this.#allowance, false);
  }

  /** @throws PriorartError `quota_exceeded`, `unavailable` */
  async reserveQuota(): Promise<void> {
    if (!this.#caller) throw new Error('a route without a key has no quota');
    if (this.#reservation) throw new Error('a request reserves its quota once');
    this.#reservation = await this.#services.limits.reserve(this.#caller.account);
  }

  /**
   * Settles the quota with the status of the answer.
   * @returns a promise if the settlement has to wait
   * @throws PriorartError `quota_exceeded`, `unavailable` if a 200 must not be sent; a promise rejects with
   *   the same errors
   */
  settle(status: number): Promise<void> | undefined {
    const reservation = this.#reservation;
    if (!reservation) return undefined;
    this.#reservation = undefined;
    const settled = this.#services.limits.settle(reservation, status === 200);
    if (settled instanceof Promise) return settled.then((known) => this.#settled(reservation, known));
    this.#settled(reservation, settled);
    return undefined;
  }

  #settled(reservation: Reservation, { answerable, state }: Settled): void {
    this.#state = state;
    if (answerable) return;
    throw new PriorartError('quota_exceeded', 'the monthly quota was used up while the search ran', {
      retryAfter: (reservation.cycle.end - Date.now()) / 1000,
    });
  }

  /** Adds the headers of the limits that were checked. */
  addHeaders(headers: Record<string, string>): void {
    const allowance = this.#allowance;
    if (!allowance) return;
    let policy = `"minute";q=${allowance.limit};w=${MINUTE_S}`;
    let state = `"minute";r=${allowance.remaining};t=${seconds(allowance.resetMs)}`;
    const month = this.#quota();
    if (month) {
      const { quota, remaining, cycle } = month;
      policy += `, "month";q=${quota};w=${(cycle.end - cycle.start) / 1000}`;
      state += `, "month";r=${remaining};t=${seconds(cycle.end - Date.now())}`;
    }
    headers['ratelimit-policy'] = policy;
    headers['ratelimit'] = state;
  }

  #quota(): QuotaState | undefined {
    if (!this.#caller || this.#state) return this.#state;
    try {
      return this.#services.limits.quotaState(this.#caller.account);
    } catch {
      // The answer exists. Unreadable counters fail the next call.
      return undefined;
    }
  }
}

/** Whole seconds, rounded up. */
function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

function rateLimited({ limit, resetMs }: Allowance, byKey: boolean): PriorartError {
  const whose = byKey ? 'API key' : 'client address';
  return new PriorartError(
    'rate_limited',
    `more than ${limit} requests within a minute with this ${whose}; try again in ${seconds(resetMs)} s`,
    { retryAfter: resetMs / 1000 },
  );
}
