/** The Set-Cookie headers of sessions: of the page, and of the administration. */
import type { HttpRequest } from '../adapters/adapter.js';
import { requireThisMachine } from '../request-source.js';

/** How browsers reach the server. */
export interface CookieConfig {
  /** May have a path, below which a proxy serves this server. */
  publicUrl?: string | undefined;
  tlsCert?: string | undefined;
}

export interface SessionCookie {
  name: string;
  /** Empty to remove the cookie. */
  token: string;
  /** Path of this server. The path of the public address is added. */
  path: string;
  /** Seconds until the browser removes the cookie. */
  maxAge: number;
}

/** The Set-Cookie header. The cookie is Secure if browsers reach this server by TLS. */
export function sessionCookie(
  request: Pick<HttpRequest, 'headers'>,
  { name, token, path, maxAge }: SessionCookie,
  { publicUrl, tlsCert }: CookieConfig,
): string {
  // Behind a proxy that terminates TLS, the connection is plain. The public address or the proxy tells of TLS.
  const isSecure =
    tlsCert !== undefined ||
    request.headers['x-forwarded-proto'] === 'https' ||
    publicUrl?.startsWith('https:') === true;
  const prefix = publicUrl === undefined || isDirect(request) ? '' : pathOf(publicUrl);
  const age = token === '' ? 0 : maxAge;
  const attributes = `Path=${prefix}${path}; HttpOnly; SameSite=Strict; Max-Age=${age}`;
  return `${name}=${token}; ${attributes}${isSecure ? '; Secure' : ''}`;
}

/** Path of an address, without a slash at its end. */
function pathOf(address: string): string {
  const { pathname } = new URL(address);
  return pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
}

/** Whether a request comes from this machine without a proxy, so that paths are those of this server. */
function isDirect(request: Pick<HttpRequest, 'headers'>): boolean {
  try {
    requireThisMachine(request);
    return true;
  } catch {
    return false;
  }
}
