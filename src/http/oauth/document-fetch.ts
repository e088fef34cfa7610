/**
 * Fetches metadata documents of clients. Any caller can name such an address. So only https, only addresses of the public
 * internet, no redirects, and little time and size. The check is made of the addresses that the name resolves to, which
 * are those connected to, and again of the connection.
 */
import { lookup as systemLookup } from 'node:dns';
import { request } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { OAUTH_DOCUMENT } from '../../limits.js';

/** Networks that are not of the public internet (IANA's registries of special-purpose addresses), and multicast. */
const PRIVATE = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const;
/** Of IPv6, 2000::/3 is the public internet, without these networks. */
const PUBLIC_V6 = ['2000::', 3] as const;
const PRIVATE_V6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const;

const blocked = new BlockList();
for (const [net, prefix] of PRIVATE) blocked.addSubnet(net, prefix);
for (const [net, prefix] of PRIVATE_V6) blocked.addSubnet(net, prefix, 'ipv6');
const publicV6 = new BlockList();
publicV6.addSubnet(...PUBLIC_V6, 'ipv6');

/** Whether an address is of the public internet. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !blocked.check(address);
  // An IPv4 address in IPv6 (::ffff:…) is not in 2000::/3.
  return version === 6 && publicV6.check(address, 'ipv6') && !blocked.check(address, 'ipv6');
}

/** Where a test puts other servers in the place of the internet. */
export interface Internet {
  lookup: LookupFunction;
  isPublic(address: string): boolean;
  /** Certificates that are trusted; default: those of Node. */
  ca?: string;
}

const INTERNET: Internet = { lookup: systemLookup as LookupFunction, isPublic: isPublicAddress };

/** The bytes of a document. Rejects for every other outcome than a 200 in time. */
export type DocumentFetch = (address: string) => Promise<{ headers: Headers; text: string }>;

export function documentFetch(
  internet: Internet = INTERNET,
  timeoutMs: number = OAUTH_DOCUMENT.timeoutMs,
): DocumentFetch {
  let running = 0;
  return async (address) => {
    if (running >= OAUTH_DOCUMENT.atOnce) throw new Error('too many documents are fetched now');
    running++;
    try {
      return await fetched(new URL(address), internet, timeoutMs);
    } finally {
      running--;
    }
  };
}

/** Looks names up, and fails if any address of a name is not public. */
function guardedLookup({ lookup, isPublic }: Internet): LookupFunction {
  return (name, options, done) =>
    lookup(name, { ...options, all: true }, (error, found) => {
      if (error) return done(error, '');
      const all = found as { address: string; family: number }[];
      const hidden = all.find(({ address }) => !isPublic(address));
      if (all.length === 0 || hidden) return done(new Error(`${name} has an address that is not public`), '');
      if (options.all) return done(null, all);
      return done(null, all[0]!.address, all[0]!.family);
    });
}

function fetched(
  url: URL,
  internet: Internet,
  timeoutMs: number,
): Promise<{ headers: Headers; text: string }> {
  const { hostname, protocol } = url;
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (protocol !== 'https:') return Promise.reject(new Error('expected https'));
  // No look-up is made for an address.
  if (isIP(literal) !== 0 && !internet.isPublic(literal))
    return Promise.reject(new Error(`${literal} is not public`));
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const call = request(
      url,
      {
        signal,
        // A connection of its own, whose address is known.
        agent: false,
        lookup: guardedLookup(internet),
        headers: { accept: 'application/json', 'accept-encoding': 'identity' },
        ...(internet.ca === undefined ? {} : { ca: internet.ca }),
      },
      (response) => {
        // Redirects are not followed.
        if (response.statusCode !== 200) {
          call.destroy();
          reject(new Error(`status ${response.statusCode}`));
          return;
        }
        const parts: Buffer[] = [];
        let bytes = 0;
        response.on('data', (part: Buffer) => {
          bytes += part.length;
          if (bytes <= OAUTH_DOCUMENT.maxBytes) {
            parts.push(part);
            return;
          }
          reject(new Error(`more than ${OAUTH_DOCUMENT.maxBytes} bytes`));
          call.destroy();
        });
        response.on('error', reject);
        response.on('end', () => {
          const headers = new Headers();
          for (const name of ['cache-control', 'expires'])
            if (response.headers[name] !== undefined) headers.set(name, String(response.headers[name]));
          resolve({ headers, text: Buffer.concat(parts).toString('utf8') });
        });
      },
    );
    call.on('socket', (socket) =>
      socket.on('connect', () => {
        const { remoteAddress = '' } = socket;
        if (!internet.isPublic(remoteAddress))
          call.destroy(new Error('connected to an address that is not public'));
      }),
    );
    call.on('error', reject);
    call.end();
  });
}
