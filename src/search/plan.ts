/**
 * The plan of a search: for each segment, the cheapest scan that reaches the recall goal. The costs of a FAISS index were
 * measured when it was built, on the machine that built it. The plan is data: `explain` prints it and tests assert on it.
 *
 * The constants below are times in ns, shares or counts. `npm run bench -- micro` measures the times, `npm run bench --
 * recall` and test/recall measure what the plans find.
 */
import { EXACT_BELOW_PASSAGES } from '../index/kinds.js';
import type { OpenSegment, SegmentScan, Selection } from '../index/native.js';
import type { IndexCosts, IndexFile, SegmentEntry } from '../store/manifest.js';

/** ns to keep one passage that an index proposes among the best, and to find its document. */
const PROPOSAL_NS = 200;
/** ns a document to find the best of its passages' estimates in a full PQ scan. */
const GROUPING_NS = 20;
/** Exact scores of candidates cost this many times the scores of rows that lie together: rows are anywhere in memory. */
const SCATTERED_FACTOR = 2;
/** Candidate documents to score exactly: `share × wanted + besides`. */
const CANDIDATES = { share: 1.5, besides: 128 };
/**
 * Passages that are scored exactly in the order of their codes: `share × wanted + besides`. Of 100,139 real documents of one passage 50
 * wanted ones took 338, and 500 took 2,600; of 200,068 generated ones 504 and 3,470; of real ones with 1.3 passages 650 and 4,600.
 */
const PROBED_ROWS = { share: 8, besides: 128 };
/** Passages that are put in the order of their codes first, in native/core/src/search/probe.rs. A filter excludes some of them afterwards. */
const PROPOSED_ROWS = { share: 8, besides: 256 };
/**
 * Costs of a search in the order of codes, beside the reading of codes, ns: the search; selecting the best of the codes that were read, a
 * code; a passage that is put in order or that a filter excludes; a passage that is scored. Fitted to 108 searches of these documents for
 * 10 to 500, without a filter and with filters that 50 and 10 % pass, in a fifth, two fifths and all of the lists: on average within a
 * sixth, and .6 to 1.8 times the measured time at the extremes (both if 10 % pass).
 */
const PROBE_NS = { start: 85_000, select: 0.25, proposal: 42, row: 155 };
/**
 * Documents of a segment a wanted one from which its codes are read passage by passage, instead of by the best estimate of each
 * document (`FEW` in native/core/src/search/approximate.rs).
 */
const PROBED_FROM = 32;
/** ns to sort one candidate document into the best. */
const RANKING_NS = 300;
/** Passages of a candidate document that are scored exactly after a full PQ scan, at most. */
const CANDIDATE_PASSAGES = 12;
/**
 * Costs of a search by sketches, ns for 256 dimensions: sampling residuals; the bound of a document; the estimate of a
 * passage; visiting a document, which reads from memory and scores the passages that may count. `row` is the exact score of
 * a passage, `scattered` that of one anywhere in memory. Only their ratios count, and they hardly depend on the dimensions. They are estimates, from profiles of whole
 * searches on a busy machine; no benchmark measures them alone.
 */
const SKETCH_NS = { start: 30_000, document: 8, passage: 8, visit: 250, row: 22, scattered: 250 };
/** ns that a document adds to an exact scan of its passages. Fitted with `RUN_NS`: 100,139 documents of one passage took 2.05 ms. */
const EXACT_DOCUMENT_NS = 17;
/**
 * ns that each run of adjacent allowed documents adds, because the processor does not see its beginning coming: to an exact scan,
 * and to the bounds of documents. Fitted to filters that allow 50 and 10 % of 100,139 and 200,011 documents of one passage, on two machines.
 * With an index that measured 10 ns a row (`scale` .45), the former took 1.24 and .29 ms exactly, .44 and .19 ms by sketches. For documents of
 * many passages it hardly counts.
 */
const RUN_NS = { exact: 18, documents: 9 };
/**
 * Standard deviations of the bounds of a search by sketches, for documents of one passage and of several. `all`: of the best 10 or 50
 * documents .99 are found if all that are wanted count. `sure`: if many more are wanted than must be found, these are found on the way.
 * `many`: for rankings of many. `counts`: a count of few must not miss one of them.
 */
const DEVIATIONS = {
  all: { one: 3, several: 1.5 },
  sure: { one: 2, several: 0.5 },
  many: { one: 4, several: 2 },
  counts: { one: 5, several: 5 },
};
/** Wanted documents per sure one from which `sure` suffices, and wanted documents that are many. */
const SURE_AMONG = 4;
const MANY = 200;
/** Documents that a search by sketches visits: `share × wanted + besides`. */
const VISITED = { share: 2, besides: 500 };
/**
 * If many of `n` documents are wanted, `n × wanted / (wanted + half × n)` are visited, and `rows` passages a wanted document
 * are scored. Fitted to 200 to 10,000 of 46,389 generated documents, where the first is within a fifth and the second within a quarter,
 * with bounds equally wide for all documents; not fitted again since they rise with the number of passages.
 */
const VISITED_FOR_MANY = { half: 0.055, rows: 8 };

/** Share of a probe's cost that judging a filter by a sample of the query's neighbours adds. */
const SAMPLING_SHARE = 0.5;

/** A plan that estimates is chosen if its cost is below this share of the cost of a plan that estimates less. */
const WORTH = 0.85;
/** Factor on the effort that reaches recall .995 on the index's own sample. Real questions then reach .99 (test/recall). */
const EFFORT_MARGIN = 1.7;
/**
 * Share of the lists that is always probed. A sample alone is too content: at 200,000 passages it asked for an eighth of the
 * lists; a fifth had recall .974 on 100 generated questions, two fifths .992. On 94 real questions and 1,340 lists a fifth
 * had .986, half .999.
 */
const PROBED_LEAST = 0.4;
/** An index whose best recall is lower is not used. */
const RECALL_LEAST = 0.9;
/** A filter that allows this share or more is applied to an index's proposals (native/core/src/search/approximate.rs). */
const POST_FILTER_SHARE = 0.5;
/** HNSW is not used if a filter allows a smaller share: the walk past forbidden nodes finds too little. */
const HNSW_EXACT_SHARE = 0.1;
/** Passages to ask of an index for each document wanted: the best passages of a document crowd together. */
const PASSAGES_PER_DOCUMENT = 4;
/** Documents that the measured effort of an index is enough for; more documents lie in more lists. */
const EFFORT_FOR_DOCUMENTS = 50;

/**
 * `exact` scores every passage that the filter allows. `documents` visits documents in the order of bounds on their scores,
 * from the segment's sketches, until no other can be among the best. `codes` is a full PQ scan: it estimates the score of every passage by
 * its code, then scores documents in the order of their estimates until no other can be among the best. `ivf` does the
 * same with the passages of the lists nearest to the query, `hnsw` with those that a graph proposes.
 */
export type ScanKind = 'exact' | 'documents' | 'ivf' | 'hnsw' | 'codes' | 'none';

/** The reason for the scan of a segment, with its meaning. */
export const PLAN_REASONS = {
  nothing_allowed: 'the filter allows no passage',
  asked: 'the caller asked for it',
  small: `the folder has fewer than ${EXACT_BELOW_PASSAGES.toLocaleString('en')} passages`,
  flat: 'the index kind of the folder is flat',
  no_sketches: 'the segment has no sketches; `priorart check --repair` adds them',
  poor_recall: 'the index misses too much',
  graph_filter: 'the filter allows too small a share of the passages for a graph',
  nearly_as_cheap: 'another scan saves too little time for its lower recall',
  cheapest: 'it costs least',
} as const;
/** The reason for the scan of a segment. */
export type PlanReason = keyof typeof PLAN_REASONS;

/** How one segment is scanned. */
export interface SegmentPlan {
  /** Name of the segment. */
  segment: string;
  /** Way in which it is scanned. */
  scan: ScanKind;
  /**
   * Reason for this scan. `nothing_allowed`: the filter allows no passage. `asked`: the caller asked for it. Scanned exactly
   * because of the folder or the segment: `small` (the folder has fewer than 20,000 passages), `flat` (index kind of the folder), `no_sketches` (an earlier
   * version wrote it). With an index that is not used: `poor_recall`, `graph_filter` (the filter allows too small a share for a graph),
   * `nearly_as_cheap` (another scan costs less, but not enough for its lower recall). `cheapest`: it costs least.
   */
  why?: PlanReason;
  /** Kind of its index; absent without one. */
  index?: string;
  /** Live passages that the filter allows, and all live passages. */
  allowed: number;
  /** Live passages of the segment. */
  passages: number;
  /** Expected cost of each possible scan, ms. Absent if only `exact` is possible. */
  expected?: Partial<Record<ScanKind, number>>;
  /** Passages that the index is asked for. */
  k?: number;
  /** Lists of the index that are scanned. */
  nprobe?: number;
  /** Lists of the index. */
  lists?: number;
  /** Candidates kept while a graph is walked. */
  efSearch?: number;
  /**
   * Scan `documents`: the bound on a document's score lies this many standard deviations above the score of the mean of its
   * passages if there is one.
   */
  deviations?: number;
  /** If there are n passages, √(2 ln n) and this number, if they are more. */
  deviationsOfSeveral?: number;
}

/** How a search is answered. */
export interface Plan {
  /** Whether every segment is scanned exactly. */
  exact: boolean;
  /** Documents allowed by the filter, before deduplication. */
  documents: number;
  /** How many of them are expected to reach the threshold; absent without a threshold. */
  above?: number;
  /** How each segment is scanned. */
  segments: SegmentPlan[];
}

export interface PlanOptions {
  /** Scan everything exactly. */
  exact?: boolean | undefined;
  /** Share of the allowed documents that is expected to reach the threshold. Default: 1. */
  share?: number | undefined;
  /** Use this scan in every segment whose index offers it, whatever it costs: for experiments. */
  only?: 'index' | 'codes' | 'documents' | undefined;
  /**
   * Documents, of those wanted, that must be found with the recall of the best ten. More of them are found on the way, less
   * surely. Default: all that are wanted.
   */
  sure?: number | undefined;
  /**
   * For a count of the documents that reach a threshold: unless a kind of index was chosen, no index and no codes of segments with
   * sketches are asked, which find .99 of the nearest documents. A count of few documents would often miss one.
   */
  counts?: boolean | undefined;
  /** Index kind of the folder, which may be the reason why a segment has no index. */
  indexKind?: string | undefined;
}

/** What is asked of one segment. */
interface SegmentQuery {
  /** Documents wanted of all segments together, and how many of them this segment is expected to hold. */
  wanted: number;
  here: number;
  /** See `PlanOptions.sure`. */
  sure: number;
  /** See `PlanOptions.counts`. */
  counts: boolean;
  /** Documents and passages of this segment that the filter allows, and all its passages. */
  documents: number;
  allowed: number;
  passages: number;
  /** This segment's share of all documents that the filter allows. */
  ofAll: number;
  /** Expected number of runs of adjacent documents that the filter allows, if it allows documents at random. */
  runs: number;
}

/** Plans a search for the best `wanted` documents, or those of them that reach a threshold. */
export function planOf(
  entries: readonly SegmentEntry[],
  open: readonly OpenSegment[],
  selection: Pick<Selection, 'docs' | 'passages'>,
  wanted: number,
  { exact = false, share = 1, only, sure = wanted, counts = false, indexKind }: PlanOptions = {},
): Plan {
  // Getters of the addon, which make a new list at each call.
  const [docs, passages] = [selection.docs, selection.passages];
  const documents = docs.reduce((sum, count) => sum + count, 0);
  const above = Math.ceil(documents * share);
  const expected = Math.min(wanted, above);
  const live = entries.map((entry, n) => open[n]?.passages ?? entry.passages);
  const isSmall = live.reduce((sum, count) => sum + count, 0) < EXACT_BELOW_PASSAGES;
  const segments = entries.map((entry, n): SegmentPlan => {
    const allowed = passages[n] ?? 0;
    const base: SegmentPlan = { segment: entry.id, scan: 'none', allowed, passages: live[n]! };
    if (allowed === 0) return Object.assign(base, { why: 'nothing_allowed' as const });
    const why = only !== undefined || entry.index ? undefined : whyExact(isSmall, open[n], indexKind);
    if (why) return Object.assign(base, { scan: 'exact' as const, why });
    const own = docs[n] ?? 0;
    const asked: SegmentQuery = {
      wanted,
      here: (expected * own) / documents,
      sure: Math.min(sure, wanted),
      counts,
      documents: own,
      allowed,
      passages: live[n]!,
      ofAll: own / documents,
      runs: own * (1 - own / Math.max(own, open[n]?.docs ?? entry.docs)),
    };
    // A user who chose a kind of index gets it.
    const wantsIndex = entry.index !== undefined && indexKind !== undefined && indexKind !== 'auto';
    const hasSketches = open[n]?.hasSketches === true && (only === 'documents' || !wantsIndex);
    const scans = scansFor(asked, entry.index, hasSketches);
    return choose(base, asked, entry.index, scans, exact ? 'exact' : only);
  });
  return {
    exact: segments.every(({ scan }) => scan === 'exact' || scan === 'none'),
    documents,
    ...(share < 1 ? { above } : {}),
    segments,
  };
}

/** Why a segment without an index is scanned exactly; undefined if it need not be. */
function whyExact(
  isSmall: boolean,
  segment: OpenSegment | undefined,
  indexKind: string | undefined,
): PlanReason | undefined {
  if (indexKind === 'flat') return 'flat';
  if (isSmall) return 'small';
  return segment?.hasSketches ? undefined : 'no_sketches';
}

/** A possible scan: its cost in ns, and its parameters. */
type Possible = Pick<
  SegmentPlan,
  'scan' | 'k' | 'nprobe' | 'lists' | 'efSearch' | 'deviations' | 'deviationsOfSeveral'
> & {
  cost: number;
};

/** The possible scans of a segment, those that estimate less before others. */
function scansFor(asked: SegmentQuery, index: IndexFile | undefined, hasSketches: boolean): Possible[] {
  const row = index?.costs.row ?? SKETCH_NS.row;
  // The machine that built the index may be faster or slower than the one whose costs are stated here.
  const scale = row / SKETCH_NS.row;
  const scans: Possible[] = [
    {
      scan: 'exact',
      cost: asked.allowed * row + (asked.documents * EXACT_DOCUMENT_NS + asked.runs * RUN_NS.exact) * scale,
    },
  ];
  if (hasSketches) scans.push(bySketches(asked, scale));
  if (hasSketches && asked.counts) return scans;
  if (index && index.costs.scan > 0) scans.push({ scan: 'codes', cost: codesCost(asked, index.costs) });
  if (index && whyPoor(asked, index) === undefined) scans.push(askIndex(asked, index, index.costs));
  return scans;
}

/**
 * Completes a plan by the cheapest scan. Of two that cost about the same, the one that estimates less. Every search plans every
 * segment. The plan is changed in place, because copies of objects took most of the time.
 */
function choose(
  plan: SegmentPlan,
  asked: SegmentQuery,
  index: IndexFile | undefined,
  scans: readonly Possible[],
  only: PlanOptions['only'] | 'exact',
): SegmentPlan {
  const expected: NonNullable<SegmentPlan['expected']> = {};
  let [best, least, forced] = [scans[0]!, Number.POSITIVE_INFINITY, undefined as Possible | undefined];
  for (const one of scans) {
    expected[one.scan] = ms(one.cost);
    if (one.cost < best.cost * WORTH) best = one;
    least = Math.min(least, one.cost);
    const isIndex = one.scan === 'ivf' || one.scan === 'hnsw';
    if (one.scan === only || (only === 'index' && isIndex)) forced ??= one;
  }
  if (index) plan.index = index.kind;
  plan.expected = expected;
  const { scan, k, nprobe, lists, efSearch, deviations, deviationsOfSeveral } = forced ?? best;
  plan.scan = scan;
  if (k !== undefined) plan.k = k;
  if (nprobe !== undefined) plan.nprobe = nprobe;
  if (lists !== undefined) plan.lists = lists;
  if (efSearch !== undefined) plan.efSearch = efSearch;
  if (deviations !== undefined) plan.deviations = deviations;
  if (deviationsOfSeveral !== undefined) plan.deviationsOfSeveral = deviationsOfSeveral;
  const poor = index && best.scan !== 'documents' ? whyPoor(asked, index) : undefined;
  plan.why = forced ? 'asked' : (poor ?? (best.cost === least ? 'cheapest' : 'nearly_as_cheap'));
  return plan;
}

/**
 * Visits documents by their bounds. All segments that are searched so are searched together: the start, and what is visited beside
 * the wanted documents, are once for all. `scale` is the cost on this machine as a multiple of that in `SKETCH_NS`.
 */
function bySketches(asked: SegmentQuery, scale: number): Possible {
  const { allowed, documents, here, ofAll } = asked;
  const visit = (allowed / documents) * SKETCH_NS.passage + SKETCH_NS.visit;
  const visits =
    asked.wanted > MANY
      ? (visit * (documents * here)) / (here + VISITED_FOR_MANY.half * documents) +
        SKETCH_NS.scattered * Math.min(allowed, VISITED_FOR_MANY.rows * here)
      : visit * Math.min(documents, here * VISITED.share + VISITED.besides * ofAll);
  const bounds = documents * SKETCH_NS.document + asked.runs * RUN_NS.documents;
  const cost = (SKETCH_NS.start * ofAll + bounds + visits) * scale;
  const { one, several } = deviationsOf(asked);
  return { scan: 'documents', cost, deviations: one, deviationsOfSeveral: several };
}

function deviationsOf({ wanted, sure, counts }: SegmentQuery): { one: number; several: number } {
  if (counts) return DEVIATIONS.counts;
  if (wanted > MANY) return DEVIATIONS.many;
  return wanted >= sure * SURE_AMONG ? DEVIATIONS.sure : DEVIATIONS.all;
}

/** Why an index misses too much to be used; undefined if it does not. */
function whyPoor(
  { allowed, passages }: SegmentQuery,
  { lists, recall }: IndexFile,
): 'poor_recall' | 'graph_filter' | undefined {
  if (recall < RECALL_LEAST) return 'poor_recall';
  return lists === 0 && allowed < passages * HNSW_EXACT_SHARE ? 'graph_filter' : undefined;
}

/** Candidate documents, which are scored exactly. */
function candidatesOf({ here, documents }: SegmentQuery): number {
  return Math.min(documents, here * CANDIDATES.share + CANDIDATES.besides);
}

/** Cost of their exact scores, ns. */
function scoringCost(asked: SegmentQuery, passages: number, costs: IndexCosts): number {
  const row = costs.row * SCATTERED_FACTOR;
  const found = asked.here * (asked.allowed / asked.documents) * row;
  return candidatesOf(asked) * (passages * row + RANKING_NS) + found;
}

/** Cost of a search in the order of the codes of `read` passages, ns. */
function probingCost(asked: SegmentQuery, read: number, costs: IndexCosts): number {
  const { allowed, passages, here } = asked;
  const rows = Math.min(allowed, here * PROBED_ROWS.share + PROBED_ROWS.besides);
  const first = here * PROPOSED_ROWS.share + PROPOSED_ROWS.besides;
  const proposals = Math.min(read, first * (passages / allowed));
  const besides =
    PROBE_NS.start + read * PROBE_NS.select + proposals * PROBE_NS.proposal + rows * PROBE_NS.row;
  return costs.start + read * costs.code + besides * (costs.row / SKETCH_NS.row);
}

function codesCost(asked: SegmentQuery, costs: IndexCosts): number {
  if (asked.wanted * PROBED_FROM < asked.documents) return probingCost(asked, asked.passages, costs);
  const each = Math.min(asked.allowed / asked.documents, CANDIDATE_PASSAGES);
  return asked.passages * costs.scan + asked.documents * GROUPING_NS + scoringCost(asked, each, costs);
}

/** Parameters of a search of the index, and its cost, ns. */
function askIndex(asked: SegmentQuery, index: IndexFile, costs: IndexCosts): Possible {
  const { allowed, passages, wanted, sure } = asked;
  const share = allowed / passages;
  const depth = Math.max(1, wanted / EFFORT_FOR_DOCUMENTS);
  // The hits under a filter lie in more lists, and so do more hits: of 1,024 lists 8 held .99 of the best ten of 200,000
  // vectors, and 128 held .77 of the best ten thousand of a million. Both powers are guesses whose recall is measured.
  const spread = Math.max(1, sure / EFFORT_FOR_DOCUMENTS) ** 0.8 / Math.sqrt(share);
  const { lists } = index;
  const effort = Math.max(index.nprobe * EFFORT_MARGIN, lists * PROBED_LEAST);
  const nprobe = Math.min(lists, Math.ceil(effort * spread));
  const read = passages * (nprobe / lists);
  if (costs.scan > 0) return { scan: 'ivf', cost: probingCost(asked, read, costs), nprobe, lists };
  const probed = costs.start + read * costs.code;
  const k = Math.min(allowed, Math.ceil(PASSAGES_PER_DOCUMENT * EFFORT_FOR_DOCUMENTS * depth));
  const afterwards = share >= POST_FILTER_SHARE;
  const sampling = afterwards ? 1 : 1 + SAMPLING_SHARE;
  const besides =
    (afterwards ? k / share : k) * PROPOSAL_NS + scoringCost(asked, allowed / asked.documents, costs);
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

/** The plan as the addon takes it. */
export function scansOf(plan: Plan): SegmentScan[] {
  return plan.segments.map(({ scan, k, nprobe, efSearch, deviations, deviationsOfSeveral }) => {
    if (scan === 'codes') return { codes: true };
    if (deviations !== undefined && deviationsOfSeveral !== undefined)
      return { deviations, deviationsOfSeveral };
    return {
      ...(k === undefined ? {} : { k }),
      ...(nprobe === undefined ? {} : { nprobe }),
      ...(efSearch === undefined ? {} : { efSearch }),
    };
  });
}
