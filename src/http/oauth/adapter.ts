/** What oidc-provider keeps, in the store. */
import { createHash } from 'node:crypto';
import { OAUTH_LIFETIME_S } from '../../limits.js';
import { errors } from './library.js';
import type { OAuthStore } from './store.js';

type Payload = Record<string, unknown>;

/**
 * Kinds that are not kept. A sign-in is for one client and ends with it, so there are no sessions. The others
 * belong to features that are off.
 */
const UNKEPT: ReadonlySet<string> = new Set(['Session', 'ReplayDetection']);

export interface GrantRules {
  /** Whether the key of a grant is active. */
  hasKey(id: string): boolean;
  /** Ends a grant with all its tokens. */
  endGrant(id: string): Promise<void>;
}

export function adapterOf(store: OAuthStore, grants: GrantRules): (kind: string) => object {
  return (kind) => new Adapter(kind, store, grants);
}

class Adapter {
  readonly #kind: string;
  readonly #store: OAuthStore;
  readonly #grants: GrantRules;

  constructor(kind: string, store: OAuthStore, grants: GrantRules) {
    this.#kind = kind;
    this.#store = store;
    this.#grants = grants;
  }

  async upsert(id: string, given: Payload, seconds: number | undefined): Promise<void> {
    if (UNKEPT.has(this.#kind)) return;
    // The id is what a client or a browser presents. The library takes it from the record, so `find` adds it again.
    const { jti: _, ...payload } = given;
    const secret = payload['client_secret'];
    if (typeof secret === 'string') payload['client_secret'] = hashOfSecret(secret);
    const expires = Date.now() + (seconds ?? OAUTH_LIFETIME_S.unusedClient) * 1000;
    await this.#store.put(this.#kind, id, { payload, expires });
  }

  async find(id: string): Promise<Payload | undefined> {
    if (UNKEPT.has(this.#kind)) return undefined;
    const found = this.#store.record(this.#kind, id)?.payload;
    if (found === undefined || this.#kind === 'Client') return found;
    // Without its key, a grant gives no new tokens. The client then asks for consent again.
    if (this.#kind === 'Grant' && !this.#grants.hasKey(id)) return undefined;
    return { ...found, jti: id };
  }

  async findByUid(): Promise<undefined> {
    return undefined;
  }

  async findByUserCode(): Promise<undefined> {
    return undefined;
  }

  async destroy(id: string): Promise<void> {
    if (UNKEPT.has(this.#kind)) return;
    if (this.#kind === 'Grant') await this.#grants.endGrant(id);
    else await this.#store.remove(this.#kind, id);
  }

  /** Of two uses at the same time, one fails, and ends the tokens of both. */
  async consume(id: string): Promise<void> {
    const grant = this.#store.record(this.#kind, id)?.payload['grantId'];
    if (await this.#store.consume(this.#kind, id)) return;
    if (typeof grant === 'string') await this.#grants.endGrant(grant);
    throw new errors.InvalidGrant('it was used before, or its grant has had too many tokens within a day');
  }

  async revokeByGrantId(id: string): Promise<void> {
    await this.#grants.endGrant(id);
  }
}

/** A client's secret as it is stored. It is random, so a fast hash is enough. */
export function hashOfSecret(secret: string): string {
  return `sha256:${createHash('sha256').update(secret).digest('base64url')}`;
}
