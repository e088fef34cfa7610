/** Candidates of a search: filter → plan → those of the vectors → those of the words → groups. */
import { type Calibration, SHOWN_DECIMALS } from '../embed/calibration.js';
import type { Words } from '../index/native.js';
import type { OpenSnapshot } from '../index/segment.js';
import { CHUNKS_PER_RESULT, RERANK_SURE, TOP_K } from '../limits.js';
import { withApplicantNames } from './applicants.js';
import { collect, collectBalanced, joinedByTurns } from './balance.js';
import type { Cancellation } from './cancel.js';
import { groupingOf, groupsOf, membersOf } from './collapse.js';
import { clausesOf } from './filter.js';
import { firstOf, withoutFirst } from './first.js';
import { wordCandidates } from './fusion.js';
import { inFront } from './hits.js';
import type { Plan } from './plan.js';
import type { Filters, SemanticQuery } from './query.js';
import type { IndexReader } from './reader.js';
import { type RequiredTerms, requiredTerms } from './required-terms.js';
import { selectionOf } from './selections.js';
import { type ShownInstead, shownInstead } from './shown-members.js';
import type { Subject } from './subject.js';
import type { CollapsedMember } from './types.js';
import { onlyVectors, type WordCandidates, withWords, wordsOf } from './words.js';

/** The candidates of a search: those that the question names, those of the vectors, those of the words. */
export interface Candidates extends WordCandidates {
  /** Number of hits, from the first, that the question names. */
  firsts: number;
  /** Members of each hit's group; undefined if the request has no `collapse`. */
  members: (CollapsedMember[] | undefined)[] | undefined;
  /** The publications that are shown instead of hits, by `prefer_countries`; undefined if none are. */
  instead: ShownInstead | undefined;
  /** The words of the question; undefined if they neither count nor are shown. */
  question: Words | undefined;
  /** The terms that each document must hold; undefined if there are none, or they are not shown. */
  required: RequiredTerms | undefined;
  /** Whether words count in the order: there is a reranking, by a reranker that takes them. */
  countsWords: boolean;
  /** The filters, with the names added to the applicant. */
  filters: Filters;
  /** Names added to the applicant; undefined unless the request has `applicant_expand`. */
  names: string[] | undefined;
  plan: Plan;
  /** Milliseconds of the stages. */
  timings: { filter: number; knn: number; words: number };
}

/**
 * Collects the candidates from a snapshot, without an await, so that filter, vectors and groups are of one state.
 * @param query its text is what is reranked
 */
export function candidatesOf(
  reader: IndexReader,
  { native, manifest }: OpenSnapshot,
  query: SemanticQuery,
  subject: Subject,
  calibration: Calibration,
  clock: () => number,
  cancellation: Cancellation,
): Candidates {
  const { store } = reader;
  const { vector, words = query.query } = subject;
  const { filters, names } = withApplicantNames(native, store, query.filters, cancellation);
  const own = [...clausesOf(filters, store, subject.first), ...subject.clauses];
  const grouping = groupingOf(query);
  const shown = { ...calibration, decimals: SHOWN_DECIMALS };
  const { prefer, ...one } = grouping;
  const asking = { chunks: passagesOf(reader, query), ...one, shown, minScore: -2 };
  const first = firstOf(native, own, subject, { ...asking, documents: subject.first.length });
  const clauses = [...own, ...withoutFirst(store, native, own, first, subject, grouping)];
  const selection = selectionOf(native, clauses);
  const filter = clock();
  const options = { ...asking, documents: depthOf(reader, query) };
  const how = { exact: query.exact, sure: RERANK_SURE };
  const search = { store, native, manifest, vector, clauses, selection, options, grouping, plan: how };
  const { hits, plan, groups } = query.balance ? collectBalanced(search, query.balance) : collect(search);
  if (!grouping.family && !query.balance) {
    reader.checks?.offer({ native, vector, clauses, dedupe: grouping.dedupe, shown, plan, hits });
  }
  const knn = clock();
  const countsWords = wordsCount(reader, query);
  const question = countsWords || query.explain || query.highlight ? wordsOf(words) : undefined;
  const near = first ? inFront(first, hits) : hits;
  const most = question && countsWords ? wordCandidates(question.whole, query.balance) : 0;
  const holding = { ...asking, documents: most, exact: plan.exact };
  const all = question
    ? withWords(native, question, vector, groups, near, holding, (lists) => joinedByTurns(search, lists))
    : onlyVectors(near);
  const firsts = first?.docs.length ?? 0;
  const allowed = selectionOf(native, own);
  const members = query.collapse && groupsOf(native, allowed, all.hits.docs, grouping);
  const instead = prefer && shownInstead(store, native, allowed, vector, all.hits.docs, { prefer, firsts });
  const headOf = (doc: number) => store.documents.get(doc);
  return {
    ...all,
    firsts,
    instead,
    members:
      members &&
      Array.from(all.hits.docs, (doc, n) => membersOf(headOf, members, n, instead?.docs[n] ?? doc)),
    question,
    required: requiredTerms(native, query.filters, instead?.docs ?? all.hits.docs, query, cancellation),
    countsWords,
    filters,
    names,
    plan,
    timings: { filter, knn, words: clock() },
  };
}

/** Whether words count in the order: there is a reranking, by a reranker that takes them. */
export function wordsCount({ reranker }: IndexReader, { rerank }: SemanticQuery): boolean {
  return rerank !== 'off' && reranker.takesWords === true;
}

/** Number of passages of a candidate that are found with it. */
function passagesOf({ reranker }: IndexReader, { rerank }: SemanticQuery): number {
  return rerank === 'off' ? CHUNKS_PER_RESULT : (reranker.rounds?.passages ?? CHUNKS_PER_RESULT);
}

/**
 * Number of candidates of the vectors. It does not depend on top_k, so that the answer for a small top_k is the beginning of
 * the answer for a large one.
 */
export function depthOf({ reranker }: IndexReader, { rerank }: SemanticQuery): number {
  return Math.max(TOP_K.max, rerank === 'off' ? 0 : reranker.depth);
}
