/** A folder open for searches by a plan of one's choice, and the recall of what a plan finds. */
import type { NativeSnapshot, SearchHits } from '../../src/index/native.js';
import { clausesOf, deduplicates } from '../../src/search/filter.js';
import { Folder } from '../../src/search/folder.js';
import { type Plan, type PlanOptions, planOf, scansOf } from '../../src/search/plan.js';
import type { SemanticQuery } from '../../src/search/query.js';
import type { Manifest, SegmentEntry } from '../../src/store/manifest.js';
import type { Store } from '../../src/store/store.js';

/** How segments are scanned: as the planner decides, or by probing the index, by all codes, or exactly. */
export const WAYS = ['planned', 'index', 'codes', 'exact'] as const;
export type Way = (typeof WAYS)[number];

const OPTIONS: Record<Way, PlanOptions> = {
  planned: {},
  index: { only: 'index' },
  codes: { only: 'codes' },
  exact: { exact: true },
};

export interface Answered {
  /** By each way that was asked for. */
  hits: SearchHits;
  plan: Plan;
  /** Processor time, ms. */
  cpuMs: number;
}

export class Target {
  readonly #folder: Folder;
  readonly manifest: Manifest;
  readonly native: NativeSnapshot;
  readonly #trusted: readonly SegmentEntry[];

  constructor(dir: string) {
    this.#folder = new Folder(dir);
    const { manifest, native } = this.#folder.snapshot();
    this.manifest = manifest;
    this.native = native;
    this.#trusted = manifest.segments.map((entry) =>
      entry.index ? { ...entry, index: { ...entry.index, recall: 1 } } : entry,
    );
  }

  get store(): Store {
    return this.#folder.store;
  }

  /**
   * The best `documents` of what a query's filters allow.
   * @param sure how many of them the plan finds with full recall; see `PlanOptions`
   */
  search(
    vector: Float32Array,
    filters: SemanticQuery['filters'],
    documents: number,
    way: Way,
    sure?: number,
  ): Answered {
    const before = process.cpuUsage();
    const selection = this.native.select(clausesOf(filters, this.store));
    // The planner leaves an index alone that missed too much when it was built.
    const segments = way === 'index' ? this.#trusted : this.manifest.segments;
    const plan = planOf(segments, this.native.segments, selection, documents, {
      ...OPTIONS[way],
      sure,
    });
    const hits = this.native.search(vector, selection, scansOf(plan), {
      documents,
      chunks: 1,
      dedupe: deduplicates(filters),
      minScore: -2,
    });
    const { user, system } = process.cpuUsage(before);
    return { hits, plan, cpuMs: (user + system) / 1e3 };
  }

  async close(): Promise<void> {
    await this.#folder.close();
  }
}

/**
 * Share of the best k that was found. A document that scores as much as the kth is as good as the kth. Fewer than k
 * where the filter allows fewer; undefined where it allows none.
 */
export function recallAt(k: number, found: ArrayLike<number>, truth: ArrayLike<number>): number | undefined {
  const count = Math.min(k, truth.length);
  if (count === 0) return undefined;
  const least = truth[count - 1]!;
  let good = 0;
  for (let n = 0; n < Math.min(count, found.length); n++) if (found[n]! >= least) good += 1;
  return good / count;
}
