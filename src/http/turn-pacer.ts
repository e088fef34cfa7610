/**
 * Keeps turns of the event loop short when many calls arrive at once. Without it, a burst of a thousand
 * searches is one turn, and a health check waits for its end. Each turn works on calls for a short time; the
 * others wait for the next turns, in order. The number of waiting calls is bounded by the number of
 * connections: the adapters bound the requests of each.
 *
 * On node:http, libuv accepts one connection per turn. Behind a thousand new connections, the connection of a
 * health check waits for a thousand turns. So calls give way to new connections: a turn that accepts a
 * connection begins no call. If connections do not end, calls soon have half of the time.
 *
 * The queue before the workers refuses overload, after all other checks. If thousands of calls wait here, most of
 * them would get this refusal late. So calls that have waited long are refused in a part of each turn, after
 * key and rate limit, before their body is read. A deactivated key is answered 403 and the calls of a key are
 * counted exactly at any load. The other part of the turn is for calls as usual, so the workers stay busy.
 *
 * `node dist/test/attack/attack.js 'waves of 1,000 searches'` measures the effect. p99 of /livez on node:http, on
 * two busy cores: 28 to 46 ms. Without giving way, a health check with a new connection takes up to 2.2 s. If the
 * work in microtasks is not counted, turns last 30 to 80 ms, and p99 of the checks on open connections is 60 to
 * 90 ms.
 */

/** Time for which a turn works on calls, ms. Includes the work of a call until it waits for something else. */
export const TURN_MS = 8;
/**
 * Longest time for which calls give way to new connections, ms. If more connections come, calls then have half
 * of the time. On two busy cores, 1,000 connections take about 300 ms.
 */
export const GIVE_WAY_MS = 400;
/** A call that waited longer is late, ms. */
export const LATE_MS = 1_000;
/** Time of each turn before late calls are refused, ms. */
export const ADMIT_MS = 4;
/** With fewer waiting calls, none is late: the machine is busy with other work. */
export const MANY = 64;

interface WaitingCall {
  /** Time of its arrival, ms. */
  since: number;
  begin(isLate: boolean): void;
}

export class TurnPacer {
  readonly #now: () => number;
  readonly #afterTurn: (then: () => void) => void;
  readonly #afterMicrotasks: (then: () => void) => void;
  /** Time at which this turn began to work on calls; undefined before it. */
  #begun: number | undefined;
  #isTurnScheduled = false;
  /** Whether this turn accepted a connection. */
  #accepted = false;
  /** Whether the last turn gave way to connections, and the time of its end, ms. */
  #gaveWay = false;
  #turnedAt = 0;
  /** Time for which calls gave way, less the time in which they did not, ms. */
  #givenMs = 0;
  #waiting: WaitingCall[] = [];

  /**
   * @param now a clock in ms
   * @param afterTurn calls back after the turn
   * @param afterMicrotasks calls back when the microtasks of this turn are done
   */
  constructor(
    now: () => number = () => performance.now(),
    afterTurn: (then: () => void) => void = setImmediate,
    afterMicrotasks: (then: () => void) => void = (then) => queueMicrotask(() => process.nextTick(then)),
  ) {
    this.#now = now;
    this.#afterTurn = afterTurn;
    this.#afterMicrotasks = afterMicrotasks;
  }

  /** Reports a new connection behind which others may wait until the next turn. */
  connectionAccepted(): void {
    this.#accepted = true;
    this.#scheduleTurn();
  }

  /**
   * Starts a call at once, or returns a promise of its result if it must wait for another turn.
   * @param call `isLate`: it waited too long and must be refused
   */
  begin<T>(call: (isLate: boolean) => T | Promise<T>): T | Promise<T> {
    if (this.#waiting.length === 0 && !this.#accepted && !this.#isOver()) return call(false);
    this.#scheduleTurn();
    return new Promise((resolve, reject) => {
      const begin = (isLate: boolean) => {
        try {
          resolve(call(isLate));
        } catch (error) {
          reject(error);
        }
      };
      this.#waiting.push({ since: this.#now(), begin });
    });
  }

  #isOver(): boolean {
    const now = this.#now();
    this.#begun ??= now;
    this.#scheduleTurn();
    return now - this.#begun >= TURN_MS;
  }

  #scheduleTurn(): void {
    if (this.#isTurnScheduled) return;
    this.#isTurnScheduled = true;
    this.#afterTurn(() => this.#turn());
  }

  #turn(): void {
    this.#isTurnScheduled = false;
    this.#begun = undefined;
    const givesWay = this.#givesWay();
    this.#accepted = false;
    if (this.#waiting.length === 0) return;
    if (givesWay) this.#scheduleTurn();
    else this.#beginNext();
  }

  #givesWay(): boolean {
    const now = this.#now();
    const elapsed = now - this.#turnedAt;
    this.#turnedAt = now;
    this.#givenMs = this.#gaveWay ? this.#givenMs + elapsed : Math.max(0, this.#givenMs - elapsed);
    this.#gaveWay = this.#accepted && this.#waiting.length > 0 && this.#givenMs < GIVE_WAY_MS;
    return this.#gaveWay;
  }

  /** Begins one call. Most of its work is in microtasks, so they are done before the next call. */
  #beginNext(): void {
    if (this.#isOver()) return;
    const call = this.#waiting.shift();
    if (!call) return;
    call.begin(this.#isLate(call));
    this.#afterMicrotasks(() => this.#beginNext());
  }

  #isLate({ since }: WaitingCall): boolean {
    const now = this.#now();
    return this.#waiting.length >= MANY && now - since > LATE_MS && now - this.#begun! >= ADMIT_MS;
  }
}
