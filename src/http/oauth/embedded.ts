/**
 * The embedded authorization server: accounts sign in with their passwords, and give clients of /mcp access. A token
 * stands for an API key of the account that is made for the client, so plan, quota, rate limit and log hold for it.
 * Every token is looked up at every call, so an ended grant ends access at once, in all processes of the folder.
 */

import { statSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { AddressLimit } from '../../access/address-limit.js';
import { randomBase62 } from '../../access/key.js';
import type { Account } from '../../access/records.js';
import type { AccessStore } from '../../access/store.js';
import type { Allowance } from '../../access/window.js';
import { PriorartError } from '../../errors.js';
import {
  ENVIRONMENTS_MAX,
  OAUTH_AUTHORIZATIONS_PER_MINUTE,
  OAUTH_BODY_MAX_BYTES,
  OAUTH_FETCHES_PER_MINUTE,
  OAUTH_GRANTS_PER_ACCOUNT,
  OAUTH_LIFETIME_S,
  OAUTH_REGISTRATIONS_PER_MINUTE,
  OAUTH_SWEEP_MS,
  OAUTH_TOKEN_MAX_CHARS,
} from '../../limits.js';
import type { HttpReply, HttpRequest } from '../adapters/adapter.js';
import {
  bearerChallenge,
  hasScopes,
  RESOURCE_PATH,
  type Resource,
  resourceMetadata,
  type TokenCheck,
  TokenRefused,
} from '../admission/access-token.js';
import { shownName, usedMetadata } from './client-metadata.js';
import { cookieKeyFile, cookieKeys } from './cookie-keys.js';
import { type DocumentFetch, documentFetch } from './document-fetch.js';
import { endGrant, endGrantAtOnce, endGrantsOf, revokeUnused } from './grants.js';
import { HandlerRunner } from './handler-runner.js';
import type { Interaction, OidcClient, Provider } from './library.js';
import { openidMetadata, pathsOfMetadata, serverMetadata } from './metadata.js';
import type { Page } from './pages.js';
import { INTERACTION_PATH, newProvider, OAUTH_PATH } from './provider.js';
import { signInStep } from './sign-in.js';
import { OAuthStore } from './store.js';
import type { Connection } from './tables.js';

/** Scope of a token, unless the operator names others. */
export const DEFAULT_SCOPE = 'patents:read';
/** Environment of the keys that are made for clients; in an account that has no room for it, the first one. */
const ENVIRONMENT = 'mcp';

export interface EmbeddedParts {
  access: AccessStore;
  /** Address of this server for clients, without a slash at its end. */
  publicUrl: string;
  /** Separated by blanks. */
  scope?: string | undefined;
  /**
   * The account that a person names and the epoch of its sessions, if the password is right.
   * @param address of the client, by which guesses are slowed
   */
  checkPassword(
    account: string,
    password: string,
    address: string,
  ): Promise<{ account: Account; epoch: number } | undefined>;
  /** Receives errors of work that no request waits for. */
  onError(error: unknown): void;
  /** Default: https, from the public internet. */
  fetchDocument?: DocumentFetch | undefined;
}

interface Running {
  provider: Provider;
  callback: RequestListener;
  /** When the file of keys was changed that the provider uses. */
  keysOf: number;
}

export class EmbeddedOAuth implements TokenCheck {
  readonly #parts: EmbeddedParts;
  readonly #resource: Resource & { scope: string };
  readonly #fetchDocument: DocumentFetch;
  readonly #registrations = new AddressLimit();
  readonly #fetches = new AddressLimit();
  readonly #begun = new AddressLimit();
  readonly #handlers: HandlerRunner;
  readonly #timer: NodeJS.Timeout;
  /** The latest answer to each sign-in that is being answered, by the path of its page. */
  readonly #answers = new Map<string, Promise<unknown>>();
  #store: OAuthStore | undefined;
  #running: Promise<Running> | undefined;

  constructor(parts: EmbeddedParts) {
    const { publicUrl, scope = DEFAULT_SCOPE } = parts;
    this.#parts = parts;
    this.#resource = { publicUrl, issuer: publicUrl, scope };
    this.#handlers = new HandlerRunner(publicUrl);
    this.#fetchDocument = parts.fetchDocument ?? documentFetch();
    this.#timer = setInterval(() => void this.tend().catch(parts.onError), OAUTH_SWEEP_MS).unref();
  }

  get metadata(): object {
    return resourceMetadata(this.#resource);
  }

  /** The metadata document of RFC 8414. */
  get serverMetadata(): object {
    return serverMetadata(this.#resource);
  }

  /** The document of OpenID Connect Discovery. */
  get openidMetadata(): object {
    return openidMetadata(this.#resource);
  }

  /** What may follow the well-known path of the metadata. */
  get pathsOfMetadata(): string[] {
    return pathsOfMetadata(this.#resource);
  }

  challenge(error: unknown): string | undefined {
    return bearerChallenge(this.#resource, error);
  }

  async keyOf(token: string): Promise<string> {
    if (token.length > OAUTH_TOKEN_MAX_CHARS)
      throw new TokenRefused('invalid_token', 'the token is too long');
    const store = this.#opened();
    const found = store.record('AccessToken', token)?.payload;
    if (found === undefined)
      throw new TokenRefused('invalid_token', 'the token is not valid, has expired or was revoked');
    if (found['aud'] !== this.#resource.publicUrl + RESOURCE_PATH)
      throw new TokenRefused('invalid_token', 'the token is for another resource');
    const key = this.#keyOfGrant(String(found['grantId']));
    if (key === undefined) throw new TokenRefused('invalid_token', 'the access was ended');
    if (!hasScopes(found['scope'], this.#resource.scope))
      throw new TokenRefused('insufficient_scope', `the token lacks the scope ${this.#resource.scope}`);
    return key;
  }

  /** The key of a grant. The key may be revoked by itself; the client then asks for consent again. */
  #keyOfGrant(id: string): string | undefined {
    const connection = this.#opened().connection(id);
    return connection && this.#parts.access.verifyId(connection.key).ok ? connection.key : undefined;
  }

  /** The access that accounts have given to clients, oldest first. */
  connections(): Connection[] {
    return this.#opened().connections();
  }

  connection(id: string): Connection | undefined {
    return this.#opened().connection(id);
  }

  /** Ends a grant: its tokens are refused from the next call on. Resolves to undefined for an unknown id. */
  endGrant(id: string): Promise<Connection | undefined> {
    return endGrant(this.#opened(), this.#parts.access, id);
  }

  /** Ends all grants of an account. */
  endGrantsOf(account: string): Promise<void> {
    return endGrantsOf(this.#opened(), this.#parts.access, account);
  }

  /** Removes what has expired, and replaces old keys of cookies. */
  async tend(): Promise<void> {
    const store = this.#opened();
    await store.tendKeys();
    const now = new Date().toISOString();
    // If a key cannot be revoked, its grant stays, and the next turn tries again.
    for (const { id, expires_at } of store.connections()) if (expires_at <= now) await this.endGrant(id);
    for (const ended of await store.sweep()) await revokeUnused(store, this.#parts.access, ended.key);
  }

  /** Answers a request below /oauth, and for the metadata. */
  async handle(request: HttpRequest): Promise<HttpReply> {
    const running = await this.#current();
    const body = request.method === 'POST' ? await bodyOf(request) : undefined;
    const { path } = request;
    if (path === `${OAUTH_PATH}/register`) return this.#register(request, body!, running);
    if (path.startsWith(`${INTERACTION_PATH}/`)) {
      return this.#handlers.run(request, body, path, (incoming, response) =>
        this.#signIn(incoming, response, body, request.remoteAddress, running.provider),
      );
    }
    const isNew = path === `${OAUTH_PATH}/authorize`;
    if (isNew) {
      const allowance = this.#begun.take(request.remoteAddress, OAUTH_AUTHORIZATIONS_PER_MINUTE);
      if (!allowance.admitted) throw tooMany('sign-ins', allowance);
    }
    const query = isNew ? this.#withScope(request.query) : request.query;
    return this.#handlers.run(request, body, query === '' ? path : `${path}?${query}`, running.callback);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running?.catch(() => {});
    await this.#store?.close();
    this.#store = undefined;
  }

  /** @throws PriorartError `unavailable` while there is no key store, or the state cannot be read */
  #opened(): OAuthStore {
    const { access } = this.#parts;
    if (!access.isAvailable()) {
      const message = 'accounts cannot sign in, because the key store cannot be read';
      throw new PriorartError('unavailable', message, { retryAfter: 2 });
    }
    this.#store ??= new OAuthStore(access.folder);
    return this.#store;
  }

  /** The library with the keys of now, which another process may have replaced. */
  async #current(): Promise<Running> {
    const store = this.#opened();
    const changed = () => statSync(cookieKeyFile(store.folder), { throwIfNoEntry: false })?.mtimeMs;
    const known = await this.#running?.catch(() => undefined);
    if (known && known.keysOf === changed()) return known;
    const start = async (): Promise<Running> => {
      await store.tendKeys();
      const keysOf = changed() ?? 0;
      const provider = this.#newProvider(store);
      return { provider, callback: provider.callback(), keysOf };
    };
    this.#running = start();
    return this.#running;
  }

  #newProvider(store: OAuthStore): Provider {
    const { issuer, publicUrl, scope } = this.#resource;
    return newProvider({
      ...{ issuer, scope, store, resource: publicUrl + RESOURCE_PATH },
      cookieKeys: cookieKeys(store.folder),
      fetchDocument: this.#fetchDocument,
      // The pages of a sign-in, which have no context, share one limit.
      mayFetch: (context) =>
        this.#fetches.take(context?.req.socket.remoteAddress ?? '', OAUTH_FETCHES_PER_MINUTE).admitted,
      hasAccount: (id) => this.#account(id) !== undefined,
      hasKey: (id) => this.#keyOfGrant(id) !== undefined,
      endGrant: async (id) => void (await endGrantAtOnce(this.#opened(), this.#parts.access, id)),
      onFault: ({ req }, error) => this.#handlers.report(req, error),
    });
  }

  #account(id: string): Account | undefined {
    try {
      return this.#parts.access.account(id);
    } catch (error) {
      if (error instanceof PriorartError && error.code === 'not_found') return undefined;
      throw error;
    }
  }

  /** Every client may use all scopes, so they are added to what clients ask for. Unknown scopes are left out. */
  #withScope(query: string): string {
    const params = new URLSearchParams(query);
    if (params.getAll('scope').length > 1) return query;
    const asked = (params.get('scope') ?? '').split(' ');
    const { scope } = this.#resource;
    params.set('scope', asked.includes('offline_access') ? `${scope} offline_access` : scope);
    return params.toString();
  }

  async #register(request: HttpRequest, body: Uint8Array, { callback }: Running): Promise<HttpReply> {
    const allowance = this.#registrations.take(request.remoteAddress, OAUTH_REGISTRATIONS_PER_MINUTE);
    if (!allowance.admitted) throw tooMany('registrations', allowance);
    const used = registrationOf(body);
    if (typeof used === 'string') {
      const answer = { error: 'invalid_client_metadata', error_description: used };
      const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
      return { status: 400, headers, body: JSON.stringify(answer) };
    }
    return this.#handlers.run(request, Buffer.from(JSON.stringify(used)), request.path, callback);
  }

  async #signIn(
    request: IncomingMessage,
    response: ServerResponse,
    body: Uint8Array | undefined,
    address: string,
    provider: Provider,
  ): Promise<void> {
    const { publicUrl } = this.#resource;
    const { host, origin } = new URL(publicUrl);
    const form = body && new URLSearchParams(Buffer.from(body).toString('utf8'));
    const parts = {
      ...{ provider, origin, site: host },
      checkPassword: (account: string, password: string) =>
        this.#parts.checkPassword(account, password, address),
      accountOf: (id: string, epoch: number | undefined) =>
        this.#parts.access.passwords.sessionEpoch(id) === epoch ? this.#account(id) : undefined,
      endGrant: async (id: string) => void (await endGrantAtOnce(this.#opened(), this.#parts.access, id)),
      connect: (account: Account, client: OidcClient, params: Interaction['params']) =>
        this.#connect(account, client, params, provider),
    };
    const page = await this.#inTurn(request.url!, () => signInStep(request, response, form, parts));
    if (page) writePage(response, page);
  }

  /** Runs answers to one sign-in one after another, so that each sees the result of the one before. */
  async #inTurn<T>(path: string, work: () => Promise<T>): Promise<T> {
    const before = this.#answers.get(path) ?? Promise.resolve();
    const answer = before.then(work, work);
    this.#answers.set(path, answer);
    try {
      return await answer;
    } finally {
      if (this.#answers.get(path) === answer) this.#answers.delete(path);
    }
  }

  /** Makes a grant, with the key of the account for this client. Resolves to its id. */
  async #connect(
    account: Account,
    client: OidcClient,
    params: Interaction['params'],
    provider: Provider,
  ): Promise<string> {
    const store = this.#opened();
    const own = store.connections().filter((known) => known.account === account.id);
    const { scope } = this.#resource;
    const id = `grant_${randomBase62(16)}`;
    const expires = Date.now() + OAUTH_LIFETIME_S.grant * 1000;
    const name = shownName(client.clientName ?? '');
    const key = await this.#keyFor(account, client.clientId, name);
    try {
      await store.putConnection({
        ...{ id, account: account.id, client_id: client.clientId, client_name: name, scope, key },
        created_at: new Date().toISOString(),
        expires_at: new Date(expires).toISOString(),
      });
      const grant = new provider.Grant({ jti: id, accountId: account.id, clientId: client.clientId });
      grant.addResourceScope(this.#resource.publicUrl + RESOURCE_PATH, scope);
      if (params['scope']?.split(' ').includes('offline_access')) grant.addOIDCScope('offline_access');
      await grant.save();
    } catch (error) {
      // The client gets no token of this grant, so nothing of it may stay.
      await endGrantAtOnce(store, this.#parts.access, id).catch(() => {});
      await revokeUnused(store, this.#parts.access, key).catch(() => {});
      throw error;
    }
    // Only now: a client must not lose its access for a grant that was not made.
    for (const oldest of own.slice(0, Math.max(0, own.length + 1 - OAUTH_GRANTS_PER_ACCOUNT)))
      await this.endGrant(oldest.id).catch(this.#parts.onError);
    return id;
  }

  /** The key of an account for a client: that of another grant of both, or a new one. */
  async #keyFor(account: Account, client: string, name: string): Promise<string> {
    const { access } = this.#parts;
    for (const known of this.connections()) {
      const isSame = known.account === account.id && known.client_id === client;
      if (isSame && access.verifyId(known.key).ok) return known.key;
    }
    const { environments } = access.account(account.id);
    const isFull = environments.length >= ENVIRONMENTS_MAX && !environments.includes(ENVIRONMENT);
    const environment = isFull ? environments[0]! : ENVIRONMENT;
    // Its secret is not kept: only tokens use this key.
    return (await access.createKey({ account: account.id, environment, name })).id;
  }
}

function tooMany(what: string, { resetMs }: Allowance): PriorartError {
  return new PriorartError('rate_limited', `too many ${what} from this client address`, {
    retryAfter: resetMs / 1000,
  });
}

function writePage(response: ServerResponse, { status, headers, body }: Page): void {
  response.writeHead(status, headers).end(body);
}

/** @throws PriorartError `body_too_large`, and the errors of `HttpRequest.body`, as a rejection */
async function bodyOf(request: HttpRequest): Promise<Uint8Array> {
  const body = await request.body();
  if (body.length <= OAUTH_BODY_MAX_BYTES) return body;
  throw new PriorartError('body_too_large', `expected a body of at most ${OAUTH_BODY_MAX_BYTES} bytes`);
}

/** The metadata of a registration, or the reason why it cannot be accepted. */
function registrationOf(body: Uint8Array): Record<string, unknown> | string {
  let given: unknown;
  try {
    given = JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return 'expected a JSON object';
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return 'expected a JSON object';
  return usedMetadata(given as Record<string, unknown>, false);
}
