/**
 * The address of a client behind proxies. Any client can write the header, so only the entries of trusted
 * proxies count. Each proxy appends the address of its peer, and the list is read from its end.
 */
import { BlockList, isIP } from 'node:net';
import { PriorartError } from '../../errors.js';
import { TRUSTED_HOPS_MAX } from '../../limits.js';
import type { ClientAddress } from '../adapters/adapter.js';

/** The header that the proxies write. The other header comes from the client and is ignored. */
export type ProxyHeader = 'x-forwarded-for' | 'forwarded';

/** Limit of addresses that are read, from the end of the list. */
const LISTED_MAX = 64;

/**
 * @param trusted number of proxies (`1`), or their addresses and networks (`10.0.0.0/8, ::1`)
 * @throws PriorartError `usage`
 */
export function trustingProxies(trusted: string, header: ProxyHeader): ClientAddress {
  const hops = /^\d+$/.test(trusted.trim()) ? Number(trusted) : undefined;
  if (hops !== undefined) {
    if (hops < 1 || hops > TRUSTED_HOPS_MAX) throw misspelt(trusted);
    return (peer, headers) => {
      const chain = chainOf(headers[header], header);
      // The last proxy wrote the last entry.
      return chain[Math.max(0, chain.length - hops)] ?? peer;
    };
  }
  const known = networks(trusted);
  return (peer, headers) => {
    if (!isKnown(known, peer)) return peer;
    const chain = chainOf(headers[header], header);
    let client = peer;
    for (let at = chain.length - 1; at >= 0 && isKnown(known, client); at--) client = chain[at]!;
    return client;
  };
}

function networks(text: string): BlockList {
  const list = new BlockList();
  for (const part of text.split(',').map((each) => each.trim())) {
    const [address = '', bits] = part.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    const widest = family === 'ipv4' ? 32 : 128;
    if (isIP(address) === 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) throw misspelt(part);
    if (bits === undefined) list.addAddress(address, family);
    else if (Number(bits) <= widest) list.addSubnet(address, Number(bits), family);
    else throw misspelt(part);
  }
  return list;
}

function isKnown(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** The addresses of the header in its order, from the end up to the first entry that is not an address. */
function chainOf(value: string | undefined, header: ProxyHeader): string[] {
  if (value === undefined) return [];
  const parts = value.split(',').slice(-LISTED_MAX);
  const chain: string[] = [];
  for (const part of parts.toReversed()) {
    const address = addressOf(header === 'forwarded' ? forwardedFor(part) : part);
    if (address === undefined) break;
    chain.unshift(address);
  }
  return chain;
}

/** `for="[2001:db8::1]:4711"; proto=https` (RFC 7239) */
function forwardedFor(element: string): string {
  for (const pair of element.split(';')) {
    const [name = '', ...value] = pair.split('=');
    if (name.trim().toLowerCase() !== 'for' || value.length === 0) continue;
    const quoted = value.join('=').trim();
    const from = quoted.startsWith('"') ? 1 : 0;
    const text = quoted.slice(from, quoted.endsWith('"') ? -1 : undefined);
    if (!text.includes('"')) return text;
  }
  return '';
}

/**
 * The address without port, brackets, and the prefix of an IPv4 address in IPv6; undefined for `unknown`,
 * `_hidden` and similar names.
 */
function addressOf(text: string): string | undefined {
  const bare = text
    .trim()
    .replace(/^\[([^\]]*)\](?::\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/i, '');
  return isIP(bare) === 0 || bare.includes('%') ? undefined : bare;
}

function misspelt(text: string): PriorartError {
  return new PriorartError(
    'usage',
    `--trust-proxy: got ${JSON.stringify(text)}; expected a number of proxies from 1 to ${TRUSTED_HOPS_MAX}, or addresses and networks such as 10.0.0.0/8, ::1`,
  );
}
