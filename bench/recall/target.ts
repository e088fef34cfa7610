/** Opens a folder for searches with a chosen plan, and measures recall. */
import { NEUTRAL_CALIBRATION, SHOWN_DECIMALS } from '../../src/embed/calibration.js';
import type { NativeSnapshot, SearchHits } from '../../src/index/native.js';
import { clausesOf, deduplicates } from '../../src/search/filter.js';
import { Folder } from '../../src/search/folder.js';
import { type Plan, type PlanOptions, planOf, scansOf } from '../../src/search/plan.js';
import type { SemanticQuery } from '../../src/search/query.js';
import type { Manifest, SegmentEntry } from '../../src/store/manifest.js';
import type { Store } from '../../src/store/store.js';

/** How segments are scanned: as planned, by sketches, by probing the index, by a full PQ scan, or exactly. */
export const WAYS = ['planned', 'documents', 'index', 'codes', 'exact'] as const;
export type Way = (typeof WAYS)[number];

const OPTIONS: Record<Way, PlanOptions> = {
  planned: {},
  documents: { only: 'documents' },
  index: { only: 'index' },
  codes: { only: 'codes' },
  exact: { exact: true },
};

export interface Answered {
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

  /** The ways that the folder's segments offer: those of a FAISS index only with one. */
  get ways(): Way[] {
    const hasIndex = this.manifest.segments.some(({ index }) => index !== undefined);
    return WAYS.filter((way) => hasIndex || (way !== 'index' && way !== 'codes'));
  }

  /**
   * Searches for the best `documents` documents that pass a query's filters.
   * @param sure number of documents to find with full recall; see `PlanOptions`
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
    // The planner would not use an index with a low measured recall.
    const segments = way === 'index' ? this.#trusted : this.manifest.segments;
    const plan = planOf(segments, this.native.segments, selection, documents, {
      ...OPTIONS[way],
      sure,
    });
    const hits = this.native.search(vector, selection, scansOf(plan), {
      documents,
      chunks: 1,
      dedupe: deduplicates(filters),
      // Recall and cost hardly depend on the curve.
      shown: { ...NEUTRAL_CALIBRATION, decimals: SHOWN_DECIMALS },
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
 * Share of the best k that was found. Any document with the least score of these counts as found. Fewer than k count if the
 * filter allows fewer. Undefined if it allows none.
 */
export function recallAt(k: number, found: ArrayLike<number>, truth: ArrayLike<number>): number | undefined {
  const count = Math.min(k, truth.length);
  if (count === 0) return undefined;
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < count; n++) least = Math.min(least, truth[n]!);
  let good = 0;
  for (let n = 0; n < Math.min(count, found.length); n++) if (found[n]! >= least) good += 1;
  return good / count;
}
