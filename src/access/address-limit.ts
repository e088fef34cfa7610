/**
 * A rate limit by client address: calls of one address in any 60 seconds, in this process. For public endpoints, and for
 * calls without a valid key.
 * The number of addresses is bounded. If the memory is full, it drops the address with the oldest last call.
 */
import { PUBLIC_ADDRESSES_MAX } from '../limits.js';
import { type Allowance, monotonicMs, SlidingWindow } from './window.js';

export class AddressLimit {
  /** Windows by address, in the order of their last calls. A Map keeps the order of insertion. */
  readonly #windows = new Map<string, SlidingWindow>();
  readonly #max: number;

  constructor(max: number = PUBLIC_ADDRESSES_MAX) {
    this.#max = max;
  }

  take(address: string, limit: number, now: number = monotonicMs()): Allowance {
    const network = networkOf(address);
    let window = this.#windows.get(network);
    if (window) this.#windows.delete(network);
    else {
      window = new SlidingWindow();
      if (this.#windows.size >= this.#max) this.#windows.delete(this.#windows.keys().next().value!);
    }
    this.#windows.set(network, window);
    return window.take(now, limit);
  }

  get size(): number {
    return this.#windows.size;
  }
}

/**
 * The network of an address: an IPv4 address itself, or the /64 of an IPv6 address. A provider assigns a /64
 * to one customer.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const after = tail === '' ? [] : tail.split(':');
    while (groups.length + after.length < 8) groups.push('0');
    groups.push(...after);
  }
  return `${groups.slice(0, 4).join(':')}::`;
}
