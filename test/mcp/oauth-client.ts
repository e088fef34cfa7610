/** A client of OAuth as the library of the protocol uses it, and a person with a browser without scripts. */
import assert from 'node:assert/strict';
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthTokens,
} from '@modelcontextprotocol/client';

export const REDIRECT = 'http://127.0.0.1:9/callback';

/** What the client keeps. */
export class Kept implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadata: OAuthClientMetadata;
  readonly clientMetadataUrl?: string;
  client: OAuthClientInformationMixed | undefined;
  kept: OAuthTokens | undefined;
  verifier = '';
  page: URL | undefined;

  constructor({
    redirect = REDIRECT,
    name = 'A test client',
    metadataUrl = '',
    scope = 'patents:read',
  } = {}) {
    this.redirectUrl = redirect;
    if (metadataUrl !== '') this.clientMetadataUrl = metadataUrl;
    this.clientMetadata = {
      client_name: name,
      redirect_uris: [redirect],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: `${scope} offline_access`,
    };
  }

  clientInformation() {
    return this.client;
  }
  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.client = client;
  }
  tokens() {
    return this.kept;
  }
  saveTokens(tokens: OAuthTokens): void {
    this.kept = tokens;
  }
  redirectToAuthorization(url: URL): void {
    this.page = url;
  }
  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }
  codeVerifier() {
    return this.verifier;
  }
  invalidateCredentials(which: string): void {
    if (which === 'all' || which === 'tokens') this.kept = undefined;
  }
}

export interface Seen {
  status: number;
  url: URL;
  headers: Headers;
  html: string;
}

/** A browser: it keeps cookies by their path, and follows redirects on one server. */
export class Visitor {
  readonly cookies = new Map<string, { value: string; path: string }>();
  readonly #client: string;

  /** @param client where the client waits for the answer */
  constructor(client: string = REDIRECT) {
    this.#client = client;
  }

  /** Opens a page, or sends a form, and follows redirects until there is a page, or the client has the answer. */
  async visit(
    address: URL | string,
    form?: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Seen> {
    let url = new URL(address);
    let body = form && new URLSearchParams(form);
    for (let steps = 0; steps < 10; steps++) {
      const own = [...this.cookies].filter(([, { path }]) => url.pathname.startsWith(path));
      const response = await fetch(url, {
        method: body ? 'POST' : 'GET',
        redirect: 'manual',
        headers: { cookie: own.map(([name, { value }]) => `${name}=${value}`).join('; '), ...headers },
        ...(body ? { body } : {}),
      });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = '', rest = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(line) ?? [];
        this.cookies.set(name, { value, path: /path=([^;]+)/i.exec(rest)?.[1] ?? '/' });
      }
      const location = response.headers.get('location');
      if (location === null)
        return { status: response.status, url, headers: response.headers, html: await response.text() };
      url = new URL(location, url);
      if (url.href.startsWith(this.#client))
        return { status: response.status, url, headers: response.headers, html: '' };
      body = undefined;
    }
    throw new Error('the redirects do not end');
  }

  /** Signs in and agrees, as a person does. Resolves to the address to which the client is sent back. */
  async agree(page: URL, account: string, password: string): Promise<URL> {
    const signIn = await this.visit(page);
    assert.equal(signIn.status, 200, signIn.html);
    assert.match(signIn.html, /<input id="password"/);
    const consent = await this.visit(signIn.url, { step: 'sign-in', account, password });
    assert.match(consent.html, /value="allow"/, consent.html);
    return (await this.visit(signIn.url, { step: 'allow' })).url;
  }
}
