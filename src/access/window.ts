/**
 * A sliding minute: at most so many calls in any 60 seconds. What was refused does not count.
 *
 * Up to EXACT_LIMIT the time of every call is kept, and the limit is exact to the request. Above, calls of one
 * second share an entry that has the time of the last of them: never more than the limit in any 60 seconds, but
 * a call is let go up to a second late. So a window has at most EXACT_LIMIT entries, whatever the limit.
 */

export const WINDOW_MS = 60_000;
/** Calls a minute up to which each is remembered by itself. */
export const EXACT_LIMIT = 240;
/** Calls that share an entry above that, ms. */
const COARSE_MS = 1_000;

/** What a caller may still do. */
export interface Allowance {
  admitted: boolean;
  limit: number;
  /** Calls that are left at this moment. */
  remaining: number;
  /** Until `remaining` grows, or where the call was refused until one is admitted, ms. */
  resetMs: number;
}

/** Where bytes of a window are read into and written from: a limit above EXACT_LIMIT has fewer entries. */
let pairs = new Float64Array(2 * EXACT_LIMIT);

export class SlidingWindow {
  /** Time and number of calls of each entry, oldest first. */
  #times: number[] = [];
  #counts: number[] = [];
  #total = 0;

  /** Counts a call where the limit lets it. `now`: ms of a clock that never goes back. */
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

  /** Whether nothing of it counts any more. */
  isOver(now: number): boolean {
    const last = this.#times.at(-1);
    return last === undefined || last <= now - WINDOW_MS || last > now;
  }

  /** Pairs of time and count, doubles; good until the next call of this, on whichever window. */
  toBytes(): Uint8Array {
    const doubles = this.#times.length * 2;
    // lmdb notes the address of the memory that it writes from on its ArrayBuffer: much dearer than the copy for a new one.
    makeRoom(doubles);
    for (let i = 0; i < this.#times.length; i++) {
      pairs[2 * i] = this.#times[i]!;
      pairs[2 * i + 1] = this.#counts[i]!;
    }
    return new Uint8Array(pairs.buffer, 0, doubles * 8);
  }

  /** @param bytes those of toBytes; only `length` of them count, whatever view they come as */
  static of(bytes: Uint8Array | undefined): SlidingWindow {
    const window = new SlidingWindow();
    if (bytes === undefined) return window;
    const doubles = bytes.length >> 3;
    makeRoom(doubles);
    // Copied: the bytes of a database begin anywhere, doubles only at multiples of eight.
    new Uint8Array(pairs.buffer).set(new Uint8Array(bytes.buffer, bytes.byteOffset, doubles * 8));
    for (let i = 0; i + 1 < doubles; i += 2) {
      window.#times.push(pairs[i]!);
      window.#counts.push(pairs[i + 1]!);
      window.#total += pairs[i + 1]!;
    }
    return window;
  }

  #expire(now: number): void {
    // A time in the future is of an earlier boot: the clock starts at zero with each boot.
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

  /** Until enough has expired that one more fits: more than one entry where the limit has been lowered. */
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

/** ms of the machine's clock since it was started: the same in all processes, and never set back. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
