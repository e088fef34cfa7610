/**
 * Consistent pages of semantic-analytics. The ranking of a first page is kept for a while, and later pages
 * are cut from it without another search. It is kept on the asking thread, so that any worker may answer.
 *
 * Document ids are never reused, so a worker reads a page's documents from the newest state if all still
 * exist. Otherwise the page is read from the snapshot that was pinned for the ranking's generation.
 */
import { createHash } from 'node:crypto';
import { giveBack } from '../give-back.js';
import { RANKING_KEPT_MS, RANKINGS_KEPT } from '../limits.js';
import { analyticsPage, pageOfRanking, type Ranking } from '../search/analytics.js';
import type { AnalyticsQuery } from '../search/query.js';
import type { Body } from '../search/types.js';
import type { PinnedDocuments } from '../store/pinned.js';
import type { Store } from '../store/store.js';
import { Pins } from './pins.js';
import type { Answers, AskOptions } from './pool.js';

interface KeptRanking {
  ranking: Ranking;
  /** Absent if the store changed between each search and its pinning. May be released early. */
  documents: PinnedDocuments | undefined;
  until: number;
}

export interface KeepingLimits {
  rankings: number;
  ms: number;
}

/** Searches for a first page, at most, until the state of one can be pinned. */
const SEARCHES_MAX = 5;

const encoder = new TextEncoder();

export class Rankings {
  readonly #pins: Pins;
  readonly #answers: Answers;
  readonly #limits: KeepingLimits;
  /** By owner and query, oldest first. */
  readonly #kept = new Map<string, KeptRanking>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(
    store: Store,
    answers: Answers,
    limits: KeepingLimits = { rankings: RANKINGS_KEPT, ms: RANKING_KEPT_MS },
  ) {
    this.#pins = new Pins(store);
    this.#answers = answers;
    this.#limits = limits;
  }

  /** Number of kept rankings. */
  get size(): number {
    return this.#kept.size;
  }

  /**
   * A page of a ranking.
   * @param owner of the query. A first page replaces only the ranking of the same owner
   */
  async page(query: AnalyticsQuery, owner: string, options: AskOptions = {}): Promise<Body> {
    const key = keyOf(query, owner);
    const kept = query.page > 1 ? this.#find(key) : undefined;
    const later = kept && (await this.#laterPage(kept, query, options));
    if (later) return later;
    const ask = () => this.#answers.ask({ kind: 'analytics', query }, options);
    let answer = await ask();
    for (let n = 1; ; n++) {
      const { json, results, ranking } = answer;
      if (!ranking || ranking.docs.length <= query.pageSize) {
        // Later pages must not show an older state than the first one.
        this.#drop(key);
        return { json, results };
      }
      if (this.#closed) return { json, results };
      const documents = this.#pins.take(ranking.generation);
      // If a commit came between the search and the pinning, the search is repeated: later pages need the state that the first
      // one shows. An answer is worth more than that, if the server has no time for another search.
      const repeated =
        documents === undefined && n < SEARCHES_MAX ? await ask().catch(() => undefined) : undefined;
      if (repeated === undefined) {
        this.#keep(key, ranking, documents);
        return { json, results };
      }
      giveBack(json);
      answer = repeated;
    }
  }

  /** Drops all rankings. Searches that end later keep none. */
  close(): void {
    this.#closed = true;
    for (const key of [...this.#kept.keys()]) this.#drop(key);
  }

  async #laterPage(kept: KeptRanking, query: AnalyticsQuery, options: AskOptions): Promise<Body | undefined> {
    const page = pageOfRanking(kept.ranking, query);
    const results = page.docs.length;
    const { json } = await this.#answers.ask({ kind: 'page', query, page }, options);
    if (json) return { json, results };
    const { documents } = kept;
    if (documents === undefined || documents.released) return undefined;
    const response = analyticsPage(documents, query, page);
    return response && { json: encoder.encode(JSON.stringify(response)), results };
  }

  #find(key: string): KeptRanking | undefined {
    this.#dropOld();
    return this.#kept.get(key);
  }

  #keep(key: string, ranking: Ranking, documents: PinnedDocuments | undefined): void {
    this.#drop(key);
    const until = Date.now() + this.#limits.ms;
    this.#kept.set(key, { ranking, documents, until });
    if (this.#kept.size > this.#limits.rankings) this.#drop(this.#kept.keys().next().value!);
    this.#dropOld();
  }

  #drop(key: string): void {
    const { documents } = this.#kept.get(key) ?? {};
    if (documents) this.#pins.leave(documents);
    this.#kept.delete(key);
    if (this.#kept.size === 0) clearTimeout(this.#timer);
  }

  /** Drops expired rankings now, and later ones by a timer, so that nothing stays pinned. */
  #dropOld(): void {
    clearTimeout(this.#timer);
    const now = Date.now();
    for (const [key, { until }] of this.#kept) {
      if (until > now) {
        this.#timer = setTimeout(() => this.#dropOld(), until - now).unref();
        return;
      }
      this.#drop(key);
    }
  }
}

/** Key of a ranking. Pages of any size belong to the same ranking, explained or not. */
function keyOf({ page: _, pageSize: __, explain: ___, ...query }: AnalyticsQuery, owner: string): string {
  return createHash('sha256')
    .update(JSON.stringify([owner, query]))
    .digest('base64');
}
