/** The settings of oidc-provider: OAuth 2.1 for public clients of one resource, without sign-ins that last. */
import { generateKeyPairSync, timingSafeEqual } from 'node:crypto';
import { randomBase62 } from '../../access/key.js';
import { PriorartError } from '../../errors.js';
import { OAUTH_DOCUMENT, OAUTH_LIFETIME_S } from '../../limits.js';
import { adapterOf, type GrantRules, hashOfSecret } from './adapter.js';
import { usedMetadata } from './client-metadata.js';
import type { DocumentFetch } from './document-fetch.js';
import { type Context, errors, type OidcClient, Provider } from './library.js';
import { errorPage } from './pages.js';
import type { OAuthStore } from './store.js';

export const OAUTH_PATH = '/oauth';
export const CLIENT_AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post'];
export const INTERACTION_PATH = `${OAUTH_PATH}/sign-in`;
export const INTERACTION_COOKIE = 'priorart_oauth';
export const RESUME_COOKIE = 'priorart_oauth_resume';
/** The library sets it. A sign-in ends with its request, so this cookie is neither sent nor read. */
const SESSION_COOKIE = 'priorart_oauth_session';

export interface ProviderParts extends GrantRules {
  /** Address of this server for clients, without a slash at its end. */
  issuer: string;
  /** The address of /mcp. */
  resource: string;
  scope: string;
  store: OAuthStore;
  cookieKeys: readonly string[];
  fetchDocument: DocumentFetch;
  /** Whether the client of this request may cause a fetch now. Outside of a request of the library there is no context. */
  mayFetch(context: Context | undefined): boolean;
  /** Whether an account exists. */
  hasAccount(id: string): boolean;
  /** Receives the faults of this server. */
  onFault(context: Context, error: Error): void;
}

export function newProvider(parts: ProviderParts): Provider {
  const { issuer, resource, scope, store, cookieKeys, fetchDocument } = parts;
  const cookie = { httpOnly: true, sameSite: 'lax', overwrite: true };
  const provider = new Provider(issuer, {
    adapter: adapterOf(store, parts),
    clientAuthMethods: CLIENT_AUTH_METHODS,
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'ES256',
    },
    responseTypes: ['code'],
    scopes: ['offline_access'],
    subjectTypes: ['public'],
    jwks: { keys: [unusedKey()] },
    cookies: {
      names: { session: SESSION_COOKIE, interaction: INTERACTION_COOKIE, resume: RESUME_COOKIE },
      keys: [...cookieKeys],
      long: cookie,
      short: cookie,
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      revocation: { enabled: true, allowedPolicy: isOwnToken },
      registration: { enabled: true, issueRegistrationAccessToken: false, idFactory: newClientId },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: (_: Context, wanted: string) => {
          if (wanted !== resource) throw new errors.InvalidTarget(`expected the resource ${resource}`);
          const accessTokenTTL = OAUTH_LIFETIME_S.accessToken;
          return { scope, audience: resource, accessTokenFormat: 'opaque', accessTokenTTL };
        },
      },
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        allowFetch: (context: Context | undefined) => parts.mayFetch(context),
        allowClient: () => true,
        cacheDuration: { min: OAUTH_DOCUMENT.keptMinS, max: OAUTH_DOCUMENT.keptMaxS },
      },
    },
    fetch: async (address: string) => documentOf(await fetchDocument(address)),
    fetchResponseBodyLimits: { 'client_id metadata document': 2 * OAUTH_DOCUMENT.maxBytes },
    findAccount: (_: Context, id: string) =>
      parts.hasAccount(id) ? { accountId: id, claims: () => ({ sub: id }) } : undefined,
    interactions: { url: (_: Context, { uid }: { uid: string }) => interactionPath(issuer, uid) },
    // A code, and each refresh token, belongs to a grant, which was agreed to with this request.
    loadExistingGrant: (context: { oidc: { result?: { consent?: { grantId?: string } } } }) => {
      const id = context.oidc.result?.consent?.grantId;
      return id === undefined ? undefined : (provider.Grant as unknown as Finder).find(id);
    },
    issueRefreshToken: (_: Context, client: { grantTypeAllowed(type: string): boolean }) =>
      client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    clientBasedCORS: () => false,
    renderError: (context: Context, { error, error_description: why }: Record<string, string>) => {
      const page = errorPage(context.status, 'startAgain', [error, why].filter(Boolean).join(': '));
      for (const [name, value] of Object.entries(page.headers)) context.set(name, value);
      context.body = page.body;
    },
    routes: {
      authorization: `${OAUTH_PATH}/authorize`,
      token: `${OAUTH_PATH}/token`,
      registration: `${OAUTH_PATH}/register`,
      revocation: `${OAUTH_PATH}/revoke`,
    },
    ttl: {
      AccessToken: OAUTH_LIFETIME_S.accessToken,
      AuthorizationCode: OAUTH_LIFETIME_S.code,
      RefreshToken: OAUTH_LIFETIME_S.refreshToken,
      Interaction: OAUTH_LIFETIME_S.interaction,
      Session: OAUTH_LIFETIME_S.interaction,
      Grant: OAUTH_LIFETIME_S.grant,
    },
  });
  // The header is set by this server, to the address that clients use.
  provider.proxy = true;
  provider.on('server_error', parts.onFault);
  provider.Client.prototype.compareClientSecret = function (this: OidcClient, actual: string) {
    const [stored, given] = [this.clientSecret ?? '', hashOfSecret(actual)].map((one) => Buffer.from(one));
    return stored!.length === given!.length && timingSafeEqual(stored!, given!);
  };
  return provider;
}

/**
 * The library wants a key for ID tokens. There are none: access tokens are random and looked up, so nothing is signed,
 * and the key is neither kept nor published.
 */
function unusedKey(): object {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ format: 'jwk' });
}

interface Finder {
  find(id: string): Promise<unknown>;
}

/** The path of the page of a sign-in, as browsers see it. */
function interactionPath(issuer: string, uid: string): string {
  const { pathname } = new URL(issuer);
  return `${pathname === '/' ? '' : pathname}${INTERACTION_PATH}/${uid}`;
}

/** Whether a client may revoke a token. For a token of another client it gets the answer for an unknown one. */
function isOwnToken(_: Context, client: { clientId: string }, token: { clientId: string }): boolean {
  return client.clientId === token.clientId;
}

function newClientId(): string {
  return `client_${randomBase62(16)}`;
}

/** A metadata document, with the fields that this server uses. */
function documentOf({ headers, text }: { headers: Headers; text: string }): Response {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (cause) {
    throw new PriorartError('invalid_request', 'the metadata document is not JSON', { cause });
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new errors.InvalidClientMetadata('the metadata document is not a JSON object');
  const used = usedMetadata(given as Record<string, unknown>, true);
  if (typeof used === 'string') throw new errors.InvalidClientMetadata(used);
  return new Response(JSON.stringify(used), { status: 200, headers });
}
