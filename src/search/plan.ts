/**
 * The plan of a search: for each segment, the way of scanning it that is expected to cost least among those that find
 * what is to be found. What they cost was measured when the index was built, on the machine that built it. The plan
 * is data: `explain` prints it and tests assert on it.
 */
import type { OpenSegment, SegmentScan, Selection } from '../index/native.js';
import type { IndexCosts, IndexFile, SegmentEntry } from '../store/manifest.js';

/** Costs of an index whose manifest holds none, ns: measured with 256 dimensions on a core with AVX2. */
export function defaultCosts({ kind, lists }: Pick<IndexFile, 'kind' | 'lists'>): IndexCosts {
  const row = 30;
  const code: Record<string, number> = { 'ivf-flat': 40, 'ivf-sqfp16': 30, 'ivf-sq8': 35, 'ivf-pq': 9 };
  if (lists === 0) return { row, start: 0, code: 1_600, scan: 0 };
  return { row, start: 25 * lists, code: code[kind] ?? row, scan: kind.startsWith('ivf-pq') ? 9 : 0 };
}

/** A passage that an index proposes, ns: kept among the best, then put to its document. */
const PROPOSED = 200;
/** Estimates of the nearest lists' passages are looked at in their order: for each document to be scored, ns. */
const LOOKED_AT = 300;
/** A document whose passages' codes were scanned, ns: finding the best of them. */
const GROUPED = 20;
/** Documents that are scored exactly by the way lie anywhere in memory, which costs so many times as much. */
const SCATTERED = 2;
/** Of them so many are needed for each that is wanted, and besides, until estimates can be judged. */
const SCORED = { share: 1.5, besides: 128 };
/** Each of them is put in order, and kept among the best, ns. */
const KEPT = 300;
/** Of a document whose passages' codes were scanned, so many are near enough to its best to be scored. */
const SCORED_PASSAGES = 12;
/** Of a probe's costs: a sample of the query's neighbours is looked at to judge a filter. */
const SAMPLING = 0.5;

/** A way that estimates is taken where it promises to cost less than this part of one that estimates less. */
const WORTH = 0.7;
/**
 * Of the effort that finds .995 of what the questions look for that an index is sampled with: so real ones under real
 * filters find .99 (test/recall).
 */
const EFFORT_MARGIN = 1.7;
/**
 * And never less than this part of its lists: of what 100 generated questions look for among 200,000 passages, a fifth of
 * the lists held .974, two fifths .992, though its samples were content with an eighth; of what 94 real ones look for,
 * a fifth of 1,340 lists held .986, half of them .999.
 */
const PROBED_LEAST = 0.4;
/** An index that misses more than this, however hard it tries, is not asked. */
const RECALL_LEAST = 0.9;
/** A filter that allows so much is applied to what an index proposes (native/core/src/search/approximate.rs). */
const FILTERED_AFTERWARDS = 0.5;
/** HNSW walks past forbidden nodes and loses its way when few are allowed. */
const HNSW_EXACT_SHARE = 0.1;
/** Passages asked of an index for each document wanted: the best ones of a document crowd together. */
const PASSAGES_PER_DOCUMENT = 4;
/** Documents for which the measured effort of an index is enough; hits beyond are spread over more lists. */
const EFFORT_FOR_DOCUMENTS = 50;

/**
 * `exact`: every passage that the filter allows is scored. `codes`: every passage's score is estimated by its code,
 * and documents are scored in that order until none can count any more. `ivf`, `hnsw`: so are those of the lists nearest
 * to the query, or those that a graph proposes.
 */
export type ScanKind = 'exact' | 'ivf' | 'hnsw' | 'codes' | 'none';

/** How one segment is scanned. */
export interface SegmentPlan {
  /** Name of the segment. */
  segment: string;
  /** Way in which it is scanned. */
  scan: ScanKind;
  /** Kind of its index; absent without one. */
  index?: string;
  /** Live passages that the filter allows, and all. */
  allowed: number;
  /** Live passages of the segment. */
  passages: number;
  /** What each way was expected to cost, ms; absent without an index, where there is but one. */
  expected?: Partial<Record<ScanKind, number>>;
  /** Passages that the index is asked for. */
  k?: number;
  /** Lists of the index that are scanned. */
  nprobe?: number;
  /** Lists of the index. */
  lists?: number;
  /** Candidates kept while a graph is walked. */
  efSearch?: number;
}

/** How a search is answered. */
export interface Plan {
  /** Exact where every segment is scanned exactly. */
  exact: boolean;
  /** Documents allowed by the filter, before deduplication. */
  documents: number;
  /** Of them so many are expected to reach the threshold, where it was asked. */
  above?: number;
  /** How each segment is scanned. */
  segments: SegmentPlan[];
}

export interface PlanOptions {
  /** Scan everything exactly. */
  exact?: boolean | undefined;
  /** Part of the allowed documents that is expected to reach the threshold; all where there is none. */
  share?: number | undefined;
  /** Take this way wherever an index offers it, whatever it costs: for experiments. */
  only?: 'index' | 'codes' | undefined;
}

/** What is asked of one segment. */
interface Asked {
  /** Documents wanted of all segments together, and how many can be expected to be found here. */
  wanted: number;
  here: number;
  /** Documents and passages that the filter allows here, and all passages. */
  documents: number;
  allowed: number;
  passages: number;
}

/** Plans a search for the best `wanted` documents, or those of them that reach a threshold. */
export function planOf(
  entries: readonly SegmentEntry[],
  open: readonly OpenSegment[],
  selection: Selection,
  wanted: number,
  { exact = false, share = 1, only }: PlanOptions = {},
): Plan {
  const documents = selection.docs.reduce((sum, count) => sum + count, 0);
  const above = Math.ceil(documents * share);
  const expected = Math.min(wanted, above);
  const segments = entries.map((entry, n): SegmentPlan => {
    const allowed = selection.passages[n] ?? 0;
    const base = { segment: entry.id, allowed, passages: open[n]?.passages ?? entry.passages };
    if (allowed === 0) return { ...base, scan: 'none' };
    if (entry.index === undefined) return { ...base, scan: 'exact' };
    const own = selection.docs[n] ?? 0;
    const asked = { ...base, wanted, here: (expected * own) / documents, documents: own };
    return { ...base, ...chosen(asked, entry.index, exact ? 'exact' : only) };
  });
  return {
    exact: segments.every(({ scan }) => scan === 'exact' || scan === 'none'),
    documents,
    ...(share < 1 ? { above } : {}),
    segments,
  };
}

type Choice = Omit<SegmentPlan, 'segment' | 'allowed' | 'passages'>;

/** The cheapest way to search a segment with an index; of two that cost about the same, the one that estimates less. */
function chosen(asked: Asked, index: IndexFile, only?: 'exact' | 'index' | 'codes'): Choice {
  const costs = index.costs ?? defaultCosts(index);
  const exact = asked.allowed * costs.row;
  const codes = costs.scan > 0 ? codesCost(asked, costs) : Number.POSITIVE_INFINITY;
  const probing = isPoor(asked, index) ? undefined : askIndex(asked, index, costs);
  const expected: NonNullable<Choice['expected']> = { exact: ms(exact) };
  if (Number.isFinite(codes)) expected.codes = ms(codes);
  if (probing) expected[probing.scan] = ms(probing.cost);
  const base = { index: index.kind, expected };
  const takesIndex = only === undefined || only === 'index';
  const takesCodes = only === undefined || only === 'codes';
  const whole = takesCodes && (only === 'codes' ? Number.isFinite(codes) : codes < exact * WORTH);
  const least = whole ? codes : exact;
  if (probing && takesIndex && (only === 'index' || probing.cost < least * WORTH)) {
    const { cost: _, ...how } = probing;
    return { ...base, ...how };
  }
  return { ...base, scan: whole ? 'codes' : 'exact' };
}

/** Whether an index would miss too much. */
function isPoor({ allowed, passages }: Asked, { lists, recall }: IndexFile): boolean {
  return recall < RECALL_LEAST || (lists === 0 && allowed < passages * HNSW_EXACT_SHARE);
}

/** Documents that are not passed over. */
function scoredOf({ here, documents }: Asked): number {
  return Math.min(documents, here * SCORED.share + SCORED.besides);
}

/** Exact scores of them, ns. */
function scoringCost(asked: Asked, passages: number, costs: IndexCosts): number {
  const found = asked.here * (asked.allowed / asked.documents) * costs.row * SCATTERED;
  return scoredOf(asked) * (passages * costs.row * SCATTERED + KEPT) + found;
}

function codesCost(asked: Asked, costs: IndexCosts): number {
  const each = Math.min(asked.allowed / asked.documents, SCORED_PASSAGES);
  return asked.passages * costs.scan + asked.documents * GROUPED + scoringCost(asked, each, costs);
}

/** How an index would be asked, and what that would cost, ns. */
function askIndex(
  asked: Asked,
  index: IndexFile,
  costs: IndexCosts,
): { scan: 'ivf' | 'hnsw'; cost: number; k?: number; nprobe?: number; lists?: number; efSearch?: number } {
  const { allowed, passages, wanted } = asked;
  const share = allowed / passages;
  const depth = Math.max(1, wanted / EFFORT_FOR_DOCUMENTS);
  // What a filter leaves is spread over more lists, and so are more hits: of 1,024 lists 8 held .99 of the best ten of
  // 200,000 vectors, and 128 no more than .77 of the best ten thousand of a million. Neither power was fitted: what the
  // plans find is measured (bench/recall, test/recall).
  const spread = depth ** 0.8 / Math.sqrt(share);
  const { lists } = index;
  const effort = Math.max(index.nprobe * EFFORT_MARGIN, lists * PROBED_LEAST);
  const nprobe = Math.min(lists, Math.ceil(effort * spread));
  const probed = costs.start + passages * (nprobe / lists) * costs.code;
  if (costs.scan > 0) {
    const each = allowed / asked.documents;
    const looked = (scoredOf(asked) * LOOKED_AT) / share;
    return { scan: 'ivf', cost: probed + looked + scoringCost(asked, each, costs), nprobe, lists };
  }
  const k = Math.min(allowed, Math.ceil(PASSAGES_PER_DOCUMENT * EFFORT_FOR_DOCUMENTS * depth));
  const afterwards = share >= FILTERED_AFTERWARDS;
  const sampling = afterwards ? 1 : 1 + SAMPLING;
  const besides =
    (afterwards ? k / share : k) * PROPOSED + scoringCost(asked, allowed / asked.documents, costs);
  if (lists === 0) {
    const efSearch = Math.ceil(
      (Math.max(index.efSearch, k) * EFFORT_MARGIN) / Math.max(share, HNSW_EXACT_SHARE),
    );
    return { scan: 'hnsw', cost: efSearch * costs.code * sampling + besides, k, efSearch };
  }
  return { scan: 'ivf', cost: probed * sampling + besides, k, nprobe, lists };
}

function ms(ns: number): number {
  return Math.round(ns / 1000) / 1000;
}

/** The plan in the form that the addon takes. */
export function scansOf(plan: Plan): SegmentScan[] {
  return plan.segments.map(({ scan, k, nprobe, efSearch }) => {
    if (scan === 'codes') return { codes: true };
    return {
      ...(k === undefined ? {} : { k }),
      ...(nprobe === undefined ? {} : { nprobe }),
      ...(efSearch === undefined ? {} : { efSearch }),
    };
  });
}
