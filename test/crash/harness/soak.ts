/**
 * Searches during ingests, replacements, deletions, merges, index builds and snapshots. Every answer is compared with
 * a model in memory that has no segments: all documents that were certain before the question must be there, and
 * every shown document must have been possible at some moment of the search.
 *
 * Segments of some hundred passages get a FAISS index here, and the planner gets high costs for exact scans, so that
 * all plans occur: probed lists, full scans of the codes, and exact scans after selective filters.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Engine, open } from '../../../src/engine.js';
import { checkFolder } from '../../../src/index/check.js';
import { mergeSegments } from '../../../src/index/merge.js';
import { commitEntry } from '../../../src/store/commit.js';
import { Store } from '../../../src/store/store.js';
import { writeLines } from '../folder.js';
import { Finding, type PartOptions, type PartResult, random } from './part.js';
import {
  APPLICANTS,
  COUNTRIES,
  type Doc,
  docOf,
  patentId,
  question,
  record,
  SUBCLASSES,
  vectorOf,
  YEARS,
} from './soak-corpus.js';
import {
  faultOfDetails,
  type Judged,
  judgeAnalytics,
  judgeSearch,
  Model,
  type Wanted,
} from './soak-model.js';

/** Number of concurrent searches, and the pause of each before the next one, ms. */
const CLIENTS = 2;
const PAUSE_MS = 100;
const DOCUMENTS = { perSecond: 60, min: 800, max: 6_000 };
/** Minimum recall of all approximate searches together, over documents that are certainly among the best. */
const RECALL_LEAST = 0.9;
/** Minimum duration with enough documents for every kind of plan, s. Longer runs check that each plan answers. */
const ENOUGH_SECONDS = 60;
/** Questions within which each kind of plan must have answered at least once. */
const QUESTIONS_FOR_PLANS = 400;

export interface SoakOptions extends PartOptions {
  /** Duration of the run, s; `cases` is ignored. */
  seconds: number;
}

export async function soak(options: SoakOptions): Promise<PartResult> {
  const run = new Soak(options);
  return run.result();
}

class Soak {
  readonly #options: SoakOptions;
  readonly #finding: Finding;
  readonly #next: () => number;
  readonly #model = new Model();
  readonly #documents: number;
  /** Times of searches by concurrent writes, ms; `fresh`: from an acknowledged ingest to an answer that contains it. */
  readonly #times: Record<'idle' | 'busy' | 'fresh', number[]> = { idle: [], busy: [], fresh: [] };
  /** Number of documents that approximate searches should find, and that they found. */
  readonly #recall = { search: { wanted: 0, found: 0 }, analytics: { wanted: 0, found: 0 } };
  #version = 0;

  constructor(options: SoakOptions) {
    this.#options = options;
    this.#finding = new Finding('soak', options);
    this.#next = random(options.seed);
    const { perSecond, min, max } = DOCUMENTS;
    this.#documents = Math.min(max, Math.max(min, Math.round(options.seconds * perSecond)));
  }

  async result(): Promise<PartResult> {
    const { seconds, root } = this.#options;
    const finding = this.#finding;
    const dir = join(root, 'data');
    const observe = ({ scans }: { scans?: readonly string[] }) => {
      for (const scan of new Set(scans)) finding.count(`answers by ${scan}`);
    };
    const engine = await open(dir, {
      ...{ create: true, indexKind: 'ivf-pq', workers: CLIENTS },
      ...{ observe, recallCheck: 0.1 },
    });
    const store = Store.open(dir);
    try {
      await this.#put(
        engine,
        Array.from({ length: this.#documents }, (_, n) => n),
        this.#documents,
      );
      await this.#merge(store, true);
      await this.#everyPlan(engine, store);
      await this.#search(engine, 'idle', performance.now() + seconds * 200);
      this.#resident('at first');
      let running = true;
      const end = performance.now() + seconds * 800;
      const writing = this.#write(engine, store, end).finally(() => {
        running = false;
      });
      await this.#search(engine, 'busy', Number.POSITIVE_INFINITY, () => running);
      await writing;
      this.#resident('in the end');
      const { problems } = await checkFolder(store);
      for (const { where, reason } of problems) finding.fault(`in the end: ${where}: ${reason}`);
      this.#summarise();
    } finally {
      await store.close();
      await engine.close();
    }
    return finding.result();
  }

  #resident(when: string): void {
    this.#finding.count(`MB resident ${when}`, Math.round(process.memoryUsage().rss / 2 ** 20));
  }

  #summarise(): void {
    const finding = this.#finding;
    for (const [what, times] of Object.entries(this.#times)) {
      for (const [name, share] of [
        ['p50', 0.5],
        ['p99', 0.99],
        ['longest', 1],
      ] as const) {
        finding.count(`${name} ${what}, µs`, Math.round(1000 * quantile(times, share)));
      }
    }
    for (const [what, { wanted, found }] of Object.entries(this.#recall)) {
      const recall = wanted === 0 ? 1 : found / wanted;
      finding.count(`‰ recall of ${what}`, Math.floor(1000 * recall));
      if (recall < RECALL_LEAST) finding.fault(`${what}: ${found} of ${wanted} were found`);
    }
  }

  /**
   * Asks until each kind of plan has answered. Bounded by the number of questions, not by time, because a busy
   * machine answers few questions a second.
   */
  async #everyPlan(engine: Engine, store: Store): Promise<void> {
    if (this.#options.seconds < ENOUGH_SECONDS) return;
    const kinds = ['ivf', 'codes', 'exact'];
    const missing = () => kinds.filter((kind) => !this.#finding.counted(`answers by ${kind}`));
    for (let asked = 0; asked < QUESTIONS_FOR_PLANS && missing().length > 0; asked++) {
      if (asked % 20 === 0) this.#pretendCosts(store, (asked / 20 + 1) % 2);
      await this.#judge(engine, this.#times.idle);
    }
    for (const kind of missing()) this.#finding.fault(`no answer used ${kind}`);
  }

  /** Searches until the end of the run, and judges each answer. */
  async #search(
    engine: Engine,
    what: 'idle' | 'busy',
    end: number,
    goesOn: () => boolean = () => true,
  ): Promise<void> {
    const client = async () => {
      while (performance.now() < end && goesOn()) {
        await this.#judge(engine, this.#times[what]);
        await sleep(PAUSE_MS);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
  }

  /** Asks one question and judges the answer. */
  async #judge(engine: Engine, times: number[]): Promise<void> {
    const { fault, wanted = 0, found = 0, shown = 0, kind } = await this.#ask(engine, times);
    if (fault) this.#finding.fault(`${kind}: ${fault}`);
    this.#finding.count('documents shown', shown);
    if (kind === 'search' || kind === 'analytics') {
      this.#recall[kind].wanted += wanted;
      this.#recall[kind].found += found;
    }
    this.#finding.count(`${kind} answers`);
    this.#finding.passed();
  }

  /** A question of any kind, and the verdict on its answer. */
  async #ask(engine: Engine, times: number[]): Promise<Judged & { kind: string }> {
    const next = this.#next;
    const kind = next();
    const query = question(next);
    const vector = await vectorOf(query);
    const wanted = next() < 0.5 ? {} : filter(next);
    const { states, end } = this.#model.watch();
    try {
      if (kind < 0.1) {
        const numbers = [...new Set(Array.from({ length: 5 }, () => Math.floor(next() * this.#documents)))];
        const answer = await engine.details({ patent_ids: numbers.map(patentId) });
        const fault = faultOfDetails(answer, numbers, states());
        return { kind: 'details', ...(fault ? { fault } : {}) };
      }
      const began = performance.now();
      if (kind < 0.3) {
        // Usual minimum scores. With 0.05 to 0.3, which count nearly everything, approximate plans miss a tenth here.
        const [minScore, pageSize] = [0.35 + 0.5 * next(), 10];
        const { filing_date_from: from, filing_date_to: to, ...others } = wanted;
        const asked = { query, ...others, ...days(from, to), min_score: minScore, page_size: pageSize };
        const axes = ['year', 'country', 'applicant', 'ipc'] as const;
        const answer = await engine.analyze({ ...asked, max_results: 5_000, stats_group_by: [...axes] });
        return {
          kind: 'analytics',
          ...judgeAnalytics(answer, states(), { vector, wanted, minScore, pageSize }),
        };
      }
      const exact = kind < 0.55;
      const top = 1 + Math.floor(next() * 100);
      const answer = await engine.search({ query, ...wanted, top_k: top }, { exact, rerank: false });
      times.push(performance.now() - began);
      const judged = judgeSearch(answer, states(), { vector, wanted, top, exact });
      return { kind: exact ? 'exact search' : 'search', ...judged };
    } finally {
      end();
    }
  }

  /** Writes of all kinds until the end of the run. */
  async #write(engine: Engine, store: Store, end: number): Promise<void> {
    while (performance.now() < end) {
      const roll = this.#next();
      if (roll < 0.5) await this.#renew(engine);
      else if (roll < 0.65) await this.#delete(engine);
      else if (roll < 0.85) await this.#merge(store, roll < 0.72);
      else if (roll < 0.9) await this.#snapshot(engine);
      else await sleep(PAUSE_MS * 10 * this.#next());
    }
  }

  #some(most: number): number[] {
    const wanted = 1 + Math.floor(this.#next() * most);
    return [...new Set(Array.from({ length: wanted }, () => Math.floor(this.#next() * this.#documents)))];
  }

  /** Ingests publications: new ones, and replacements of older versions. */
  async #put(engine: Engine, numbers: readonly number[], segmentPassages = 60): Promise<void> {
    const version = ++this.#version;
    const file = join(this.#options.root, 'new.jsonl');
    writeLines(
      file,
      numbers.map((n) => record(n, version)),
    );
    const docs = new Map(this.#model.newest);
    for (const n of numbers) docs.set(n, await docOf(n, version));
    this.#model.begin(docs);
    const indexFrom = this.#documents;
    const { failed } = await engine.ingest(file, { segmentPassages, indexFrom, drawings: false });
    if (failed.length > 0) this.#finding.fault(`not ingested: ${failed[0]!.reason}`);
    this.#model.done();
    this.#finding.count('ingests');
  }

  /** Ingests some publications, and searches for one of them right after the acknowledgement. */
  async #renew(engine: Engine): Promise<void> {
    const numbers = this.#some(40);
    await this.#put(engine, numbers);
    const { patent, texts } = this.#model.newest.get(numbers[0]!) as Doc;
    const began = performance.now();
    const { results } = await engine.search({ query: texts[0]! }, { exact: true, rerank: false });
    this.#times.fresh.push(performance.now() - began);
    if (!results.some(({ patent_id: id, title }) => id === patent.patent_id && title === patent.title)) {
      this.#finding.fault(`${patent.patent_id} is missing in the first search after its acknowledgement`);
    }
  }

  async #delete(engine: Engine): Promise<void> {
    const numbers = this.#some(30);
    const docs = new Map(this.#model.newest);
    const there = numbers.filter((n) => docs.delete(n));
    this.#model.begin(docs);
    const { deleted } = await engine.delete(numbers.map(patentId));
    this.#model.done();
    if (deleted.length !== there.length) {
      this.#finding.fault(`${deleted.length} of ${there.length} publications were deleted`);
    }
    this.#finding.count('deletions');
  }

  /** Merges due segments or all, and gives the planner high costs for exact scans. */
  async #merge(store: Store, full: boolean): Promise<void> {
    const merges = await mergeSegments(store, { full, indexFrom: this.#documents });
    this.#finding.count('merges', merges);
    this.#pretendCosts(store);
  }

  /**
   * Commits invented costs to every index, so that exact scans appear expensive. `scan` is the cost of scanning one
   * code: 0 favours the full scan of the codes, 1 the lists. Default: a random one of these for each segment.
   */
  #pretendCosts(store: Store, chosen?: number): void {
    store.refresh();
    for (const entry of store.manifest().segments) {
      if (entry.index === undefined) continue;
      const scan = chosen ?? (this.#next() < 0.5 ? 1 : 0);
      const costs = { row: 3_000, start: 1, code: 1, scan };
      if (commitEntry(store, { ...entry, index: { ...entry.index, costs } })) this.#finding.count('indexes');
    }
  }

  /** Copies the folder during ingests, and opens the copy. */
  async #snapshot(engine: Engine): Promise<void> {
    const copy = join(this.#options.root, 'copy');
    const { states, end } = this.#model.watch();
    try {
      await Promise.all([engine.snapshot(copy), this.#put(engine, this.#some(40))]);
      const fault = await faultOfCopy(copy, states());
      if (fault) this.#finding.fault(`snapshot: ${fault}`);
    } finally {
      end();
      rmSync(copy, { recursive: true, force: true });
    }
    this.#finding.count('snapshots');
  }
}

/** Finds faults in a copy of the folder: damaged files, or publications of a state that the copy cannot have. */
async function faultOfCopy(
  copy: string,
  states: readonly ReadonlyMap<number, Doc>[],
): Promise<string | undefined> {
  const store = Store.open(copy);
  try {
    const { problems } = await checkFolder(store);
    if (problems.length > 0) return `${problems[0]!.where}: ${problems[0]!.reason}`;
    const there = new Map([...store.documents.getRange()].map(({ value }) => [value.patent_id, value.title]));
    for (const n of new Set(states.flatMap((docs) => [...docs.keys()]))) {
      const id = patentId(n);
      const possible = states.map((docs) => docs.get(n)?.patent.title);
      if (!possible.includes(there.get(id))) return `${id} is "${there.get(id)}", possible were ${possible}`;
      there.delete(id);
    }
    const [strange] = there.keys();
    return strange === undefined ? undefined : `${strange} was never in the index`;
  } finally {
    await store.close();
  }
}

/** A range of days in the form of statistics. */
function days(from?: string, to?: string): { date_range?: { from?: string; to?: string } } {
  if (from === undefined && to === undefined) return {};
  return { date_range: { ...(from ? { from } : {}), ...(to ? { to } : {}) } };
}

/** A filter of any selectivity. */
function filter(next: () => number): Wanted {
  const pick = <T>(of: readonly T[]) => of[Math.floor(next() * of.length)]!;
  const wanted: Wanted = {};
  if (next() < 0.5) wanted.countries = [...new Set([pick(COUNTRIES), pick(COUNTRIES)])];
  if (next() < 0.3) wanted.applicant = pick(APPLICANTS);
  if (next() < 0.3) wanted.ipc_codes = [pick(SUBCLASSES)];
  const from = pick(YEARS);
  if (next() < 0.4) wanted.filing_date_from = `${from}-03-01`;
  if (next() < 0.2) wanted.filing_date_to = `${from + Math.floor(next() * 5)}-08-20`;
  return wanted;
}

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
