/**
 * Where a request of a web page comes from. A page of another site can reach a server on the user's machine or in
 * its network, also by a name of its own that it points to the server (DNS rebinding). Host and Origin show that.
 */
import { isIP } from 'node:net';
import type { Config } from '../config.js';
import { PriorartError } from '../errors.js';
import type { HttpRequest } from './adapters/adapter.js';

export type SourceConfig = Pick<Config, 'host'> &
  Partial<Pick<Config, 'mcpHosts' | 'corsOrigins' | 'publicUrl'>>;

type Headed = Pick<HttpRequest, 'headers'>;

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const EVERY_ADDRESS = new Set(['0.0.0.0', '::']);
/** Headers that proxies add. */
const FORWARDED = ['forwarded', 'via', 'x-real-ip', 'cf-connecting-ip', 'true-client-ip'];

export class RequestSource {
  #config: SourceConfig;
  readonly #hosts: ReadonlySet<string> | undefined;

  constructor(config: SourceConfig) {
    this.#config = config;
    this.#hosts = hostsOf(config);
  }

  /** Changes the origins of pages. The other settings need a restart. */
  reload({ corsOrigins }: Pick<SourceConfig, 'corsOrigins'>): void {
    const { corsOrigins: _, ...config } = this.#config;
    this.#config = { ...config, ...(corsOrigins === undefined ? {} : { corsOrigins }) };
  }

  /**
   * Refuses pages of other sites, also if they reach this server by a name of their own.
   * @throws PriorartError `forbidden`
   */
  check(request: Headed): void {
    this.checkHost(request);
    const origin = request.headers['origin'];
    if (origin === undefined || this.#isOwnPage(origin, request.headers['host'] ?? '')) return;
    throw new PriorartError(
      'forbidden',
      `Origin: got ${JSON.stringify(origin)}; expected the origin of --public-url, one of --cors-origins, or none`,
    );
  }

  /**
   * Refuses names that are not of this server.
   * @throws PriorartError `forbidden`
   */
  checkHost({ headers }: Headed): void {
    const host = hostName(headers['host'] ?? '');
    if (this.#hosts && (host === undefined || !this.#hosts.has(host))) {
      throw wrongHost(headers, 'a name of this server: set --mcp-hosts or --public-url');
    }
  }

  /** Whether a page is of this server, of the machine itself, or of an origin that the operator names. */
  #isOwnPage(origin: string, host: string): boolean {
    const { corsOrigins, publicUrl } = this.#config;
    if (publicUrl !== undefined && new URL(publicUrl).origin === origin) return true;
    if (isLoopbackOrigin(origin) || this.#isAtHost(origin, host)) return true;
    const allowed = (corsOrigins ?? '').split(',').map((part) => part.trim());
    return allowed.includes('*') || allowed.includes(origin);
  }

  /**
   * Whether a page was loaded from the address that the request goes to, by its IP address or by a name that the operator
   * gave the server. Another site can point a name of its own to this server, but its pages cannot have an IP address as
   * their origin.
   */
  #isAtHost(origin: string, host: string): boolean {
    const name = hostName(host);
    if (name === undefined || !URL.canParse(origin) || new URL(origin).host !== host.toLowerCase())
      return false;
    return isIP(name.replace(/^\[|\]$/g, '')) !== 0 || this.#hosts?.has(name) === true;
  }
}

/**
 * Refuses requests that do not come from a page of this machine: other names of the server, pages of other
 * origins, and requests that a proxy forwards.
 * @throws PriorartError `forbidden`
 */
export function requireThisMachine({ headers }: Headed): void {
  const host = hostName(headers['host'] ?? '');
  if (host === undefined || !LOOPBACK.includes(host)) throw wrongHost(headers, LOOPBACK.join(', '));
  const origin = headers['origin'];
  if (origin !== undefined && !isLoopbackOrigin(origin)) {
    throw new PriorartError(
      'forbidden',
      `Origin: got ${JSON.stringify(origin)}; expected a page of this machine`,
    );
  }
  const proxy = Object.keys(headers).find(
    (name) => FORWARDED.includes(name) || name.startsWith('x-forwarded-'),
  );
  if (proxy !== undefined) {
    throw new PriorartError('forbidden', `a proxy forwards this request (${proxy}); sign in to search`);
  }
}

/** Whether a server that listens on this address can be reached from its own machine only. */
export function isLoopbackHost(host: string): boolean {
  const name = isIP(host) === 6 ? `[${host}]` : host.toLowerCase();
  return LOOPBACK.includes(name) || (isIP(host) === 4 && host.startsWith('127.'));
}

function isLoopbackOrigin(origin: string): boolean {
  const page = URL.canParse(origin) ? new URL(origin) : undefined;
  return page?.origin === origin && LOOPBACK.includes(page.hostname);
}

function wrongHost(headers: HttpRequest['headers'], expected: string): PriorartError {
  const got = JSON.stringify(headers['host'] ?? '');
  return new PriorartError('forbidden', `Host: got ${got}; expected ${expected}`);
}

/** Names by which clients may reach the server; undefined if any name is possible. */
function hostsOf({ host, mcpHosts, publicUrl }: SourceConfig): ReadonlySet<string> | undefined {
  const named = (mcpHosts ?? '').split(',').flatMap((part) => hostName(part.trim()) ?? []);
  if (mcpHosts === undefined && publicUrl === undefined && EVERY_ADDRESS.has(host)) return undefined;
  const own = isIP(host) === 6 ? `[${host}]` : host.toLowerCase();
  const outside = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  return new Set([...LOOPBACK, own, ...outside, ...named]);
}

/** The name in a Host header, without its port; undefined if it is not valid. */
function hostName(header: string): string | undefined {
  return /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?::\d{1,5})?$/.exec(header.toLowerCase())?.[1];
}
