/**
 * The plan of a search: for each segment, whether every allowed passage is scored or the approximate index
 * proposes candidates, and how hard it tries. The plan is data: `explain` prints it and tests assert on it.
 */
import type { OpenSegment, SegmentScan, Selection } from '../index/native.js';
import type { IndexFile, SegmentEntry } from '../store/manifest.js';

/**
 * What an index costs, counted in exact scores of one passage (27 ns, 256 dimensions, one core with AVX2).
 * Measured over 28,775 passages of patents; an exact scan of all of them takes 0.8 ms.
 */
export interface Costs {
  /** A passage in a probed list. */
  code: Record<string, number>;
  /** A candidate on a walk through a graph: its neighbours are scored, and lie anywhere in memory. */
  candidate: number;
  /** A passage that the index proposes: kept in a heap, then its document is scored exactly. */
  proposed: number;
  /** Of the effort: a sample of the query's neighbours is looked at to judge a filter. */
  filter: number;
}

export const COSTS: Costs = {
  code: { 'ivf-flat': 1.5, 'ivf-sqfp16': 1.1, 'ivf-sq8': 1.3, 'ivf-pq': 0.35 },
  candidate: 60,
  proposed: 20,
  filter: 0.5,
};

/** An index is asked where it promises to cost less than this part of an exact scan, which misses nothing. */
const WORTH = 0.7;
/** Real questions lie further from every passage than the parts of passages that effort is measured with. */
const EFFORT_MARGIN = 1.3;
/** An index that misses more than this, however hard it tries, is not asked. */
const RECALL_LEAST = 0.9;
/** A filter that allows more than this is not judged by a sample (`NEARLY_ALL` in native/core/src/search.rs). */
const NEARLY_ALL = 0.9;
/** HNSW walks past forbidden nodes and loses its way when few are allowed. */
const HNSW_EXACT_SHARE = 0.1;
/** Passages asked of an index for each document wanted: the best ones of a document crowd together. */
const PASSAGES_PER_DOCUMENT = 4;
/** Quantised codes only propose; the finer the code, the fewer proposals are needed. */
const WIDENING: Record<string, number> = { 'ivf-pq': 4 };
/** Documents for which the measured effort of an index is enough; hits beyond are spread over more lists. */
const EFFORT_FOR_DOCUMENTS = 50;

export interface SegmentPlan {
  segment: string;
  scan: 'exact' | 'ivf' | 'hnsw' | 'none';
  index?: string;
  /** Live passages that the filter allows, and all. */
  allowed: number;
  passages: number;
  /** What asking the index was expected to cost, in exact scores of a passage; absent without an index. */
  indexCost?: number;
  k?: number;
  nprobe?: number;
  lists?: number;
  efSearch?: number;
}

export interface Plan {
  /** Exact where every segment is scanned exactly. */
  exact: boolean;
  /** Documents allowed by the filter, before deduplication. */
  documents: number;
  segments: SegmentPlan[];
}

export interface PlanOptions {
  /** Scan everything exactly. */
  exact?: boolean | undefined;
  costs?: Costs;
}

/** Plans a search for the best `documents`: each segment the cheaper way, and exactly where its index is poor. */
export function planOf(
  entries: readonly SegmentEntry[],
  open: readonly OpenSegment[],
  selection: Selection,
  documents: number,
  { exact = false, costs = COSTS }: PlanOptions = {},
): Plan {
  const segments = entries.map((entry, n): SegmentPlan => {
    const allowed = selection.passages[n] ?? 0;
    const base = { segment: entry.id, allowed, passages: open[n]?.passages ?? entry.passages };
    if (allowed === 0) return { ...base, scan: 'none' };
    if (entry.index === undefined) return { ...base, scan: 'exact' };
    const asked = askIndex(base, entry.index, documents, costs);
    const lost = entry.index.lists === 0 && allowed < base.passages * HNSW_EXACT_SHARE;
    const poor = lost || entry.index.recall < RECALL_LEAST;
    if (!exact && !poor && asked.indexCost < allowed * WORTH) return { ...base, ...asked };
    return { ...base, scan: 'exact', index: entry.index.kind, indexCost: asked.indexCost };
  });
  return {
    exact: segments.every(({ scan }) => scan === 'exact' || scan === 'none'),
    documents: selection.docs.reduce((sum, count) => sum + count, 0),
    segments,
  };
}

/** How an index would be asked, and what that would cost. */
function askIndex(
  { allowed, passages }: { allowed: number; passages: number },
  index: IndexFile,
  documents: number,
  costs: Costs,
): Omit<SegmentPlan, 'segment' | 'allowed' | 'passages'> & { indexCost: number } {
  const share = allowed / passages;
  const k = Math.min(allowed, Math.ceil(documents * PASSAGES_PER_DOCUMENT * (WIDENING[index.kind] ?? 1)));
  const sampling = share > NEARLY_ALL ? 1 : 1 + costs.filter;
  const proposed = k * costs.proposed;
  if (index.lists === 0) {
    const efSearch = Math.ceil(
      (Math.max(index.efSearch, k) * EFFORT_MARGIN) / Math.max(share, HNSW_EXACT_SHARE),
    );
    const walk = efSearch * costs.candidate * sampling;
    return { scan: 'hnsw', index: index.kind, indexCost: Math.ceil(walk + proposed), k, efSearch };
  }
  const { lists } = index;
  // What a filter leaves is spread over more lists, and so are more hits.
  const spread = Math.sqrt(Math.max(1, documents / EFFORT_FOR_DOCUMENTS) / share);
  const nprobe = Math.min(lists, Math.ceil(index.nprobe * EFFORT_MARGIN * spread));
  const scanned = passages * (nprobe / lists) * (costs.code[index.kind] ?? 1);
  const indexCost = Math.ceil(lists + scanned * sampling + proposed);
  return { scan: 'ivf', index: index.kind, indexCost, k, nprobe, lists };
}

/** The plan in the form that the addon takes. */
export function scansOf(plan: Plan): SegmentScan[] {
  return plan.segments.map(({ scan, k, nprobe, efSearch }) => {
    if (scan === 'exact' || scan === 'none' || k === undefined) return {};
    return {
      k,
      ...(nprobe === undefined ? {} : { nprobe }),
      ...(efSearch === undefined ? {} : { efSearch }),
    };
  });
}
