/**
 * A sliding minute: at most `limit` calls in any 60 seconds. Refused calls are not counted.
 *
 * Up to EXACT_LIMIT the window keeps the time of every call, and the limit is exact. Above it, the calls of
 * one second share an entry with the time of the last call. The limit still holds for any 60 seconds, but a
 * call expires up to one second late. So a window has at most EXACT_LIMIT entries at any limit.
 */

export const WINDOW_MS = 60_000;
/** Largest limit at which each call has its own entry. */
export const EXACT_LIMIT = 240;
/** Length of the time that calls share in one entry above EXACT_LIMIT, ms. */
const COARSE_MS = 1_000;

/** Result of a call, and the rest of the limit. */
export interface Allowance {
  admitted: boolean;
  limit: number;
  /** Calls that are allowed now. */
  remaining: number;
  /** Time until `remaining` grows or, for a refused call, until a call is admitted, ms. */
  resetMs: number;
}

/** Buffer to read and write the bytes of windows. A limit above EXACT_LIMIT has fewer entries. */
let pairs = new Float64Array(2 * EXACT_LIMIT);

export class SlidingWindow {
  /** Time and number of calls of each entry, oldest first. */
  #times: number[] = [];
  #counts: number[] = [];
  #total = 0;

  /**
   * Counts a call if the limit admits it.
   * @param now monotonic clock, ms
   */
  take(now: number, limit: number): Allowance {
    this.#expire(now);
    if (this.#total >= limit)
      return { admitted: false, limit, remaining: 0, resetMs: this.#wait(now, limit) };
    const last = this.#times.length - 1;
    if (last >= 0 && this.#shares(this.#times[last]!, now, limit)) {
      this.#times[last] = now;
      this.#counts[last]!++;
    } else {
      this.#times.push(now);
      this.#counts.push(1);
    }
    this.#total++;
    const resetMs = this.#times[0]! + WINDOW_MS - now;
    return { admitted: true, limit, remaining: limit - this.#total, resetMs };
  }

  /** Whether all calls in it have expired. */
  isOver(now: number): boolean {
    const last = this.#times.at(-1);
    return last === undefined || last <= now - WINDOW_MS || last > now;
  }

  /** Pairs of time and count, as doubles. Valid until the next call of this method on any window. */
  toBytes(): Uint8Array {
    const doubles = this.#times.length * 2;
    // All windows share one buffer.
    makeRoom(doubles);
    for (let i = 0; i < this.#times.length; i++) {
      pairs[2 * i] = this.#times[i]!;
      pairs[2 * i + 1] = this.#counts[i]!;
    }
    return new Uint8Array(pairs.buffer, 0, doubles * 8);
  }

  /** @param bytes result of toBytes; a view of any kind, read up to its `length` */
  static of(bytes: Uint8Array | undefined): SlidingWindow {
    const window = new SlidingWindow();
    if (bytes === undefined) return window;
    const doubles = bytes.length >> 3;
    makeRoom(doubles);
    // Copied: the bytes of a database begin at any address, doubles only at multiples of eight.
    new Uint8Array(pairs.buffer).set(new Uint8Array(bytes.buffer, bytes.byteOffset, doubles * 8));
    for (let i = 0; i + 1 < doubles; i += 2) {
      window.#times.push(pairs[i]!);
      window.#counts.push(pairs[i + 1]!);
      window.#total += pairs[i + 1]!;
    }
    return window;
  }

  #expire(now: number): void {
    // A time in the future is from an earlier boot: the clock starts at zero with each boot.
    if (this.#times.length > 0 && this.#times.at(-1)! > now) {
      this.#times = [];
      this.#counts = [];
      this.#total = 0;
    }
    let gone = 0;
    while (gone < this.#times.length && this.#times[gone]! <= now - WINDOW_MS) {
      this.#total -= this.#counts[gone]!;
      gone++;
    }
    if (gone === 0) return;
    this.#times.splice(0, gone);
    this.#counts.splice(0, gone);
  }

  #shares(last: number, now: number, limit: number): boolean {
    return limit > EXACT_LIMIT && Math.floor(last / COARSE_MS) === Math.floor(now / COARSE_MS);
  }

  /** Time until the next call fits, ms. If the limit was lowered, more than one entry has to expire. */
  #wait(now: number, limit: number): number {
    let left = this.#total;
    for (let i = 0; i < this.#times.length; i++) {
      left -= this.#counts[i]!;
      if (left < limit) return this.#times[i]! + WINDOW_MS - now;
    }
    return WINDOW_MS;
  }
}

function makeRoom(doubles: number): void {
  if (pairs.length < doubles) pairs = new Float64Array(doubles);
}

/** Time since the start of the machine, ms. All processes share this clock, and it never goes back. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
