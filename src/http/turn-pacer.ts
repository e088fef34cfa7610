/**
 * Keeps turns of the event loop short when many calls arrive at once. Without it, a burst of a thousand
 * searches is one turn, and a health check waits for its end. Each turn starts calls for a short time; the
 * others wait for the next turns, in order. No call is refused. The number of waiting calls is bounded by the
 * number of connections.
 *
 * `node dist/test/attack/attack.js 'waves of 1,000 searches'` measures the effect. p99 of /livez under waves
 * of 1,000 searches, on two idle cores: 463 ms without pacing and 44 ms with it (uWebSockets.js); 555 to
 * 1,670 ms without pacing and 65 to 82 ms with it (node:http).
 *
 * The slowest /livez on node:http is that of the first wave. In one turn, libuv delivers the data of up to 1,024
 * sockets, and node parses all of these requests before any other work. A thousand requests to code that is not
 * compiled yet take a turn of 150 ms of processor time; later ones take 30 to 80 ms.
 */

/** Time for which a turn starts calls, ms. Work after a call's first await is not included. */
const TURN_MS = 8;

export class TurnPacer {
  readonly #now: () => number;
  readonly #afterTurn: (then: () => void) => void;
  /** Time at which the first call of this turn started; undefined before it. */
  #begun: number | undefined;
  #waiting: (() => void)[] = [];

  /**
   * @param now a clock in ms
   * @param afterTurn calls back after the turn
   */
  constructor(
    now: () => number = () => performance.now(),
    afterTurn: (then: () => void) => void = setImmediate,
  ) {
    this.#now = now;
    this.#afterTurn = afterTurn;
  }

  /** Starts a call at once, or returns a promise of its result if it must wait for another turn. */
  begin<T>(call: () => T | Promise<T>): T | Promise<T> {
    if (this.#waiting.length === 0 && !this.#isOver()) return call();
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          resolve(call());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #isOver(): boolean {
    const now = this.#now();
    if (this.#begun === undefined) {
      this.#begun = now;
      this.#afterTurn(() => this.#next());
    }
    return now - this.#begun >= TURN_MS;
  }

  #next(): void {
    this.#begun = undefined;
    const waiting = this.#waiting;
    let begun = 0;
    while (begun < waiting.length && !this.#isOver()) waiting[begun++]!();
    this.#waiting = waiting.slice(begun);
  }
}
