/**
 * Sessions of the web page: who may open one, and what a request with one may do.
 *
 * A browser also sends cookies with requests that other sites cause. So the cookie is SameSite=Strict, and every
 * use of it needs a header that only a page of this server can add: a page of another origin would have to ask
 * for it in a CORS preflight, which never allows it.
 */
import { type AccountSession, SessionSigner } from '../../access/account-session.js';
import { type Account, pageKeyOf } from '../../access/records.js';
import type { SignIns } from '../../access/sign-in.js';
import type { AccessStore } from '../../access/store.js';
import { DEMONSTRATION_ACCOUNT, NO_PAGE_ACCOUNT } from '../../config.js';
import { PriorartError } from '../../errors.js';
import { ACCOUNT_SESSION_S } from '../../limits.js';
import type { HttpRequest } from '../adapters/adapter.js';
import { isLoopbackHost, RequestSource, requireThisMachine, type SourceConfig } from '../request-source.js';
import { sessionCookie } from './cookie.js';

export const PAGE_COOKIE = 'priorart_session';
/** The header of a page of this server. Its value is ignored. */
export const PAGE_HEADER = 'x-priorart-page';

export interface PageConfig extends SourceConfig {
  /** Name of the account of visitors, or `none`. Absent: the demonstration account, on loopback only. */
  pageAccount?: string | undefined;
  tlsCert?: string | undefined;
}

/** A session that has not ended, and its account. */
export interface PageCaller {
  session: AccountSession;
  account: Account;
}

/** Checks of passwords, with the number for a session. */
export type AccountSignIns = SignIns<{ account: Account; epoch: number }>;

export class PageSessions {
  readonly #store: AccessStore;
  readonly #signer: SessionSigner;
  readonly #signIns: AccountSignIns;
  readonly #config: PageConfig;
  readonly #source: RequestSource;

  /** @param signIns the sign-ins of all doors of the server, so that guesses at one of them slow the others */
  constructor(store: AccessStore, config: PageConfig, signIns: AccountSignIns) {
    this.#store = store;
    this.#config = config;
    this.#source = new RequestSource(config);
    this.#signer = new SessionSigner(store.folder);
    this.#signIns = signIns;
  }

  /** Changes the origins of pages. The other settings need a restart. */
  reload(config: Pick<PageConfig, 'corsOrigins'>): void {
    this.#source.reload(config);
  }

  /** The name of the account of visitors that the operator set, if there is no such account. */
  missingAccount(): string | undefined {
    const { pageAccount } = this.#config;
    if (pageAccount === undefined || pageAccount === NO_PAGE_ACCOUNT) return undefined;
    return this.#store.accountNamed(pageAccount) ? undefined : pageAccount;
  }

  /**
   * The session of a request; undefined without one, and if it has ended.
   * @throws PriorartError `unavailable`
   */
  find({ headers }: Pick<HttpRequest, 'headers'>): PageCaller | undefined {
    for (const part of (headers['cookie'] ?? '').split(';')) {
      const [name, value = ''] = part.trim().split('=', 2);
      if (name !== PAGE_COOKIE) continue;
      const session = this.#signer.read(value);
      if (session === undefined || this.#store.passwords.isAccountSessionEnded(session)) continue;
      // The operator may have changed the account of visitors.
      if (session.kind === 'visitor' && this.#visitorAccount()?.id !== session.account) continue;
      return { session, account: this.#store.account(session.account) };
    }
    return undefined;
  }

  /**
   * The id of the key that the calls of a session run on.
   * @throws PriorartError `unauthorized` without a session, `forbidden` for a page of another origin,
   *   `unavailable`
   */
  keyOf(request: HttpRequest): string {
    requirePage(request);
    return pageKeyOf(this.require(request).account.id);
  }

  /** @throws PriorartError `unauthorized` without a session, `unavailable` */
  require(request: HttpRequest): PageCaller {
    const found = this.find(request);
    if (found) return found;
    throw new PriorartError('unauthorized', 'there is no session, or it has ended; sign in');
  }

  /** Whether an account has a password. @throws PriorartError `unavailable` */
  canSignIn(): boolean {
    return this.#store.passwords.hasPasswords();
  }

  /** Whether a request may open a session without a password. @throws PriorartError `unavailable` */
  canVisit(request: HttpRequest): boolean {
    try {
      this.#checkVisitor(request);
      return true;
    } catch (error) {
      if (error instanceof PriorartError && error.code === 'forbidden') return false;
      throw error;
    }
  }

  /**
   * Opens the session of a visitor.
   * @returns the value of its cookie
   * @throws PriorartError `forbidden` if visitors have to sign in, `unavailable`
   */
  async visit(request: HttpRequest): Promise<PageCaller & { token: string }> {
    return this.#begin(this.#checkVisitor(request), 'visitor');
  }

  /**
   * Signs in to an account.
   * @param asked its id or name
   * @returns the value of the session's cookie
   * @throws PriorartError `unauthorized`, `rate_limited`, `overloaded`, `unavailable`
   */
  async signIn(
    request: HttpRequest,
    asked: string,
    password: string,
  ): Promise<PageCaller & { token: string }> {
    const found = await this.#signIns.check(asked, password, request.remoteAddress);
    if (found === undefined)
      throw new PriorartError(
        'unauthorized',
        'the account or the password is wrong; if accounts share this name, sign in with the id',
      );
    return this.#begin(found.account, 'account', found.epoch);
  }

  /**
   * Changes the password of an account, which ends its sessions, and begins a new one.
   * @returns the value of the new session's cookie
   * @throws PriorartError `forbidden` if the current password is wrong, `usage` for a new one that is not allowed,
   *   `unauthorized` if the session ends meanwhile, `rate_limited`, `overloaded`, `unavailable`
   */
  async changePassword(
    request: HttpRequest,
    account: Account,
    { current, password }: { current: string; password: string },
  ): Promise<string> {
    const found = await this.#signIns.check(account.id, current, request.remoteAddress);
    if (found === undefined) throw new PriorartError('forbidden', 'the current password is wrong');
    // The operator may set or remove the password, or end the sessions, while this one is hashed.
    const epoch = await this.#store.passwords.set(account.id, password, found.epoch);
    return (await this.#begin(account, 'account', epoch)).token;
  }

  /**
   * Ends the session of a request on every server. The session of a visitor is not recorded as ended: anyone can open
   * and end any number of them, and the records of an account are bounded. A copy of its cookie gives no more than
   * a new visit.
   */
  async end(request: HttpRequest): Promise<void> {
    const found = this.find(request);
    if (found?.session.kind === 'account') await this.#store.passwords.endAccountSession(found.session);
  }

  /** The Set-Cookie header. @param token empty to remove the cookie */
  cookie(request: HttpRequest, token: string): string {
    return sessionCookie(
      request,
      { name: PAGE_COOKIE, token, path: '/', maxAge: ACCOUNT_SESSION_S },
      this.#config,
    );
  }

  async #begin(account: Account, kind: AccountSession['kind'], epoch?: number) {
    const begun = epoch ?? this.#store.passwords.sessionEpoch(account.id);
    await this.#store.makePageKey(account.id);
    return { account, ...this.#signer.begin({ account: account.id, kind, epoch: begun }) };
  }

  /** The account of visitors, if the request may use it. @throws PriorartError `forbidden` */
  #checkVisitor(request: HttpRequest): Account {
    const account = this.#visitorAccount();
    if (account === undefined) throw new PriorartError('forbidden', 'this server needs a sign-in to search');
    // Without a decision of the operator, only people at this machine.
    if (this.#config.pageAccount === undefined) requireThisMachine(request);
    else this.#source.check(request);
    return account;
  }

  #visitorAccount(): Account | undefined {
    const { pageAccount, host, publicUrl } = this.#config;
    if (pageAccount === NO_PAGE_ACCOUNT) return undefined;
    if (pageAccount !== undefined) return this.#store.accountNamed(pageAccount);
    if (!isLoopbackHost(host) || publicUrl !== undefined) return undefined;
    return this.#store.accountNamed(DEMONSTRATION_ACCOUNT);
  }
}

/** Whether a page of a server sent a request, and not another client. */
export function isOfPage({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  return headers[PAGE_HEADER] !== undefined;
}

/** @throws PriorartError `forbidden` unless a page of this server sent the request */
export function requirePage(request: Pick<HttpRequest, 'headers'>): void {
  const site = request.headers['sec-fetch-site'];
  if (isOfPage(request) && (site === undefined || site === 'same-origin')) return;
  throw new PriorartError(
    'forbidden',
    `a request with a session needs the header ${PAGE_HEADER} and a page of this server`,
  );
}
