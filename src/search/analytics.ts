/**
 * Statistics over all documents at or above a similarity, and pages of them. A search gives a *ranking*: every document that
 * counted, in order. A page reads the documents of a part of a ranking. Later pages use the ranking of the first page, so
 * that a commit between them changes nothing.
 */
import { calibrationFor, leastCosine, SHOWN_DECIMALS, shown, similarity } from '../embed/calibration.js';
import { calling, type NamedCount } from '../index/native.js';
import { MIN_SCORE, TOP_LIST } from '../limits.js';
import type { AnswerTrace } from '../observe/observations.js';
import type { DocumentReader } from '../store/pinned.js';
import type { Publications } from '../store/publications.js';
import { withApplicantNames } from './applicants.js';
import { type ReadFilters, readFilters } from './as-of.js';
import { inTurns } from './balance.js';
import { type Cancellation, uncancelled } from './cancel.js';
import { type Groups, groupingOf, groupsOf, membersOf, someGroups } from './collapse.js';
import { type CountExplained, countExplained } from './count-explanation.js';
import { clausesOf, dateColumn } from './filter.js';
import { firstInOrder, withoutOthers } from './first.js';
import { planOf, scansOf } from './plan.js';
import type { AnalyticsQuery } from './query.js';
import type { IndexReader } from './reader.js';
import { selectionOf } from './selections.js';
import { applicantOf, datesOf, titleOf } from './show.js';
import { stopwatch } from './stopwatch.js';
import { isClass, type Subject, subjectOf } from './subject.js';
import { shareAbove } from './threshold.js';
import type { AnalyticsResponse, AnalyticsResult, AnalyticsStats } from './types.js';

/** Documents of a ranking, best first: their ids, similarities as shown, and the number of their best passage. */
export interface RankedDocuments {
  docs: Uint32Array;
  similarities: Float64Array;
  passages: Uint32Array;
  /** The publications for which each document stands; absent unless the request states `collapse`. */
  groups?: Groups;
}

/** What all pages of a ranking show. */
interface Shared {
  stats: AnalyticsStats;
  /** The least similarity that counts, as shown. */
  minScore: number;
  /** What the filters became. */
  read: ReadFilters;
  /** Shown if the page's request has `explain`. */
  explained: CountExplained;
}

export interface Ranking extends RankedDocuments, Shared {
  /** Generation of the manifest that was searched. */
  generation: number;
}

/** A part of a ranking, with the statistics of the whole ranking. */
export interface RankingPage extends RankedDocuments, Shared {
  total: number;
}

/**
 * Searches and counts from columns, without reading a document.
 * @param trace takes the times of the stages: embed, filter, knn (with the counting)
 */
export async function rankAnalytics(
  reader: IndexReader,
  query: AnalyticsQuery,
  cancellation: Cancellation = uncancelled,
  trace: AnswerTrace = {},
): Promise<Ranking> {
  const clock = stopwatch();
  const subject = await subjectOf(reader, query, cancellation);
  const { vector } = subject;
  const calibration = calibrationFor(reader.embedder, vector);
  const embed = clock();
  const gathering = reader.gather(query, subject, calibration);
  if (gathering) await gathering;
  cancellation.check();
  const least = leastSimilarity(query, subject);
  const { manifest, native } = reader.snapshot();
  const { counts, filters, clauses, order, groups, plan, filter, names } = calling(() => {
    const { filters, names } = withApplicantNames(native, reader.store, query.filters, cancellation);
    const clauses = [...clausesOf(filters, reader.store, subject.first), ...subject.clauses];
    const grouping = groupingOf(query);
    const selection = selectionOf(native, [
      ...clauses,
      ...withoutOthers(reader.store, native, clauses, subject, grouping),
    ]);
    const filtered = clock();
    const minScore = leastCosine(least, calibration);
    const share = shareAbove(native, vector, selection, minScore);
    const chosen = planOf(manifest.segments, native.segments, selection, query.maxResults, {
      share,
      counts: true,
      exact: query.exact,
      indexKind: manifest.indexKind,
    });
    const counted = native.count(vector, selection, scansOf(chosen), {
      maxResults: query.maxResults,
      ...grouping,
      minScore,
      offset: 0,
      limit: query.maxResults,
      shown: { ...calibration, decimals: SHOWN_DECIMALS },
      dateColumn: dateColumn(query.dateType),
      axes: query.groupBy,
      top: TOP_LIST,
    });
    const order = balancedOrder(reader.store, counted.page.docs, subject, query);
    const docs = order.map((n) => counted.page.docs[n]!);
    const groups = query.collapse && groupsOf(native, selectionOf(native, clauses), docs, grouping);
    return { counts: counted, filters, clauses, order, groups, plan: chosen, filter: filtered, names };
  });
  trace.timings = { embed, filter, knn: clock() };
  trace.scans = plan.segments.map(({ scan }) => scan);
  cancellation.check();
  const { docs, scores, passages, passageAt } = counts.page;
  return {
    generation: manifest.generation,
    stats: statsOf(counts),
    minScore: least,
    read: readFilters(reader.store, query.filters, names),
    explained: calling(() =>
      countExplained(reader, native, query, subject, { plan, filters, clauses, total: docs.length }),
    ),
    ...(groups ? { groups } : {}),
    docs: order.map((n) => docs[n]!),
    similarities: Float64Array.from(order, (n) => shown(similarity(scores[n]!, calibration))),
    passages: order.map((n) => passages[passageAt[n]!] ?? 0),
  };
}

/** The least similarity that counts. All documents of a class count, unless the request says otherwise. */
export function leastSimilarity(query: AnalyticsQuery, subject: Subject): number {
  return query.statesMinScore || !isClass(subject) ? query.minScore : MIN_SCORE.min;
}

/** Indexes of the documents of a ranking in the order of its pages. */
function balancedOrder(
  store: Publications,
  docs: Uint32Array,
  subject: Subject,
  { balance }: AnalyticsQuery,
): Uint32Array {
  const order = firstInOrder(store, docs, subject);
  if (balance === undefined) return order;
  const named = new Set(subject.first.map((patentId) => store.ids.get(patentId)));
  const firsts = order.findIndex((n) => !named.has(docs[n]!));
  const from = firsts < 0 ? order.length : firsts;
  const turns = inTurns([...order.subarray(from)], (n) => store.documents.get(docs[n]!)?.[balance] ?? '');
  return Uint32Array.of(...order.subarray(0, from), ...turns);
}

/** The part of a ranking that a query's page shows; none past the end. */
export function pageOfRanking(ranking: Ranking, { page, pageSize }: AnalyticsQuery): RankingPage {
  const from = (page - 1) * pageSize;
  const count = ranking.docs.length;
  const part = <T extends Uint32Array | Float64Array>(all: T) => all.slice(from, from + pageSize) as T;
  return {
    total: ranking.docs.length,
    stats: ranking.stats,
    minScore: ranking.minScore,
    read: ranking.read,
    explained: ranking.explained,
    docs: part(ranking.docs),
    similarities: part(ranking.similarities),
    passages: part(ranking.passages),
    ...(ranking.groups
      ? { groups: someGroups(ranking.groups, Math.min(from, count), Math.min(from + pageSize, count)) }
      : {}),
  };
}

/** Reads the documents of a page. Undefined if the state that is read no longer holds one of them. */
export function analyticsPage(
  documents: DocumentReader,
  query: AnalyticsQuery,
  { docs, similarities, passages, groups, total, stats, minScore, read, explained }: RankingPage,
): AnalyticsResponse | undefined {
  const results: AnalyticsResult[] = [];
  for (const [n, doc] of docs.entries()) {
    const head = documents.head(doc);
    const passage = documents.passage(doc, passages[n]!);
    const members = groups && membersOf((member) => documents.head(member), groups, n, doc);
    if (head === undefined || passage === undefined || (groups && !members)) return undefined;
    results.push({
      patent_id: head.patent_id,
      title: titleOf(head),
      applicant: applicantOf(head),
      country: head.country,
      kind_code: head.kind_code,
      ...datesOf(head),
      ipc_codes: head.ipc_codes ?? [],
      similarity_score: similarities[n]!,
      chunk_text: passage.text,
      ...(members ? { members } : {}),
    });
  }
  return {
    query: query.query,
    ...read,
    total_matched: total,
    min_score_used: minScore,
    page: query.page,
    page_size: query.pageSize,
    total_pages: Math.ceil(total / query.pageSize),
    stats,
    results,
    ...(query.explain ? explained : {}),
  };
}

function statsOf(counts: {
  year?: NamedCount[];
  country?: NamedCount[];
  applicant?: NamedCount[];
  ipc?: NamedCount[];
}): AnalyticsStats {
  const map = (list: NamedCount[]) => Object.fromEntries(list.map(({ name, count }) => [name, count]));
  return {
    ...(counts.year ? { by_year: map(counts.year) } : {}),
    ...(counts.country ? { by_country: map(counts.country) } : {}),
    ...(counts.applicant ? { top_applicants: counts.applicant } : {}),
    ...(counts.ipc ? { top_ipc: counts.ipc.map(({ name, count }) => ({ code: name, count })) } : {}),
  };
}
