/**
 * Attempts at a secret take turns, by the network that they come from. Otherwise attempts at the same time would share
 * one pause. A network has a few turns at once, and each of its lanes has one: a lane is what the attempts are at, such
 * as an account.
 *
 * The number of attempts that wait is bounded. If there are too many, the one that has waited longest is refused, not the
 * new one: attempts that hang do not keep others out. It is one of the lane with most of them, so guesses at one
 * account do not push out sign-ins at another.
 */
import { PriorartError } from '../errors.js';

export interface TurnLimits {
  /** Turns of a network at the same time. */
  atOnce: number;
  /** Attempts that may wait: in a lane, and of a network. */
  waitingInLane: number;
  waiting: number;
  /** Time after which a refused client may try again, s. */
  retryAfter: number;
}

interface Waiting {
  lane: unknown;
  begin(): void;
  refuse(error: PriorartError): void;
}

/** The attempts of a network. */
interface Line {
  /** Lanes that have a turn. */
  readonly busy: Set<unknown>;
  /** In the order of their arrival. */
  readonly waiting: Waiting[];
}

export class Turns {
  readonly #what: string;
  readonly #limits: TurnLimits;
  readonly #lines = new Map<string, Line>();

  /** @param what the attempts are, for the message of a refusal */
  constructor(what: string, limits: TurnLimits) {
    this.#what = what;
    this.#limits = limits;
  }

  /**
   * Runs work in its turn.
   * @throws PriorartError `rate_limited`, as a rejection, if too many later attempts wait
   */
  async take<T>(network: string, lane: unknown, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(network) ?? { busy: new Set(), waiting: [] };
    this.#lines.set(network, line);
    await this.#turnIn(line, lane);
    try {
      return await work();
    } finally {
      line.busy.delete(lane);
      this.#callUp(line);
      if (line.busy.size === 0) this.#lines.delete(network);
    }
  }

  /** Number of networks in memory. */
  get size(): number {
    return this.#lines.size;
  }

  #turnIn(line: Line, lane: unknown): Promise<void> {
    return new Promise((begin, refuse) => {
      line.waiting.push({ lane, begin, refuse });
      this.#callUp(line);
      this.#makeRoom(line, lane);
    });
  }

  /** Begins the turns that are free, in the order of arrival. */
  #callUp(line: Line): void {
    while (line.busy.size < this.#limits.atOnce) {
      const at = line.waiting.findIndex(({ lane }) => !line.busy.has(lane));
      if (at < 0) return;
      const [next] = line.waiting.splice(at, 1);
      line.busy.add(next!.lane);
      next!.begin();
    }
  }

  /** Refuses the attempt that has waited longest, if too many wait: in the lane of the new one, or in all. */
  #makeRoom({ waiting }: Line, lane: unknown): void {
    const { waitingInLane, retryAfter } = this.#limits;
    const counts = new Map<unknown, number>();
    for (const each of waiting) counts.set(each.lane, (counts.get(each.lane) ?? 0) + 1);
    let crowded: unknown;
    if ((counts.get(lane) ?? 0) > waitingInLane) crowded = lane;
    else if (waiting.length > this.#limits.waiting) {
      const most = Math.max(...counts.values());
      crowded = waiting.find((each) => counts.get(each.lane) === most)!.lane;
    } else return;
    const [oldest] = waiting.splice(
      waiting.findIndex((each) => each.lane === crowded),
      1,
    );
    const message = `too many ${this.#what} at the same time; try again in ${retryAfter} s`;
    oldest!.refuse(new PriorartError('rate_limited', message, { retryAfter }));
  }
}
