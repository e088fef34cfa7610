/**
 * The limit of endpoints that need no key: calls of one client address in any 60 seconds, in this process. Its
 * memory is bounded: of more addresses than it keeps, the one that has been quiet the longest is forgotten.
 */
import { PUBLIC_ADDRESSES_MAX } from '../limits.js';
import { type Allowance, monotonicMs, SlidingWindow } from './window.js';

export class AddressLimit {
  /** In the order of their last call: a Map keeps the order in which keys came in. */
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

/** An IPv4 address as it is; of an IPv6 address its /64, since that is what one customer of a network has. */
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
