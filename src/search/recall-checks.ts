/**
 * Measures the recall of live searches: a small share of them is repeated by an exact scan, after the answer, on a thread
 * of the lowest priority. A process runs one check at a time and does not check searches meanwhile, so that the cost is
 * bounded.
 */
import type { FilterClause, NativeSnapshot, SearchHits, ShownScore } from '../index/native.js';
import { RECALL_CHECK } from '../limits.js';
import type { RecallCount } from '../observe/observations.js';
import type { Plan } from './plan.js';

/** A search as it was answered. */
export interface AnsweredSearch {
  native: NativeSnapshot;
  vector: Float32Array;
  clauses: FilterClause[];
  dedupe: boolean;
  shown: ShownScore;
  plan: Plan;
  hits: SearchHits;
}

/** The checks of one thread. */
export class RecallChecks {
  readonly #share: number;
  readonly #random: () => number;
  #running: Promise<void> | undefined;
  #count: RecallCount | undefined;

  /**
   * @param share of the searches by an approximate plan, 0 to 1
   * @param random numbers in 0..1 that choose them
   */
  constructor(share: number, random: () => number = Math.random) {
    this.#share = share;
    this.#random = random;
  }

  /** Offers a search to be checked. Returns at once; the snapshot may be closed afterwards. */
  offer({ native, vector, clauses, dedupe, shown, plan, hits }: AnsweredSearch): void {
    if (plan.exact || this.#running !== undefined || this.#random() >= this.#share) return;
    const { places, mostPassages } = RECALL_CHECK;
    const found = hits.scores.slice(0, places);
    this.#running = native
      .recallCheck(vector, clauses, found, { dedupe, shown, places, mostPassages })
      .run()
      .then(
        (checked) => checked && this.#add({ checks: 1, failed: 0, ...checked }),
        () => this.#add({ checks: 0, failed: 1, wanted: 0, found: 0 }),
      )
      .then(() => {
        this.#running = undefined;
      });
  }

  /** Counts since the last call; undefined if nothing was checked. */
  take(): RecallCount | undefined {
    const count = this.#count;
    this.#count = undefined;
    return count;
  }

  /** Resolves when no check is running. */
  async settled(): Promise<void> {
    await this.#running;
  }

  #add({ checks, failed, wanted, found }: RecallCount): void {
    const before = this.#count ?? { checks: 0, failed: 0, wanted: 0, found: 0 };
    this.#count = {
      checks: before.checks + checks,
      failed: before.failed + failed,
      wanted: before.wanted + wanted,
      found: before.found + found,
    };
  }
}
