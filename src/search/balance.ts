/**
 * `balance`: results of each country, or of each language, by turns. Candidates are collected for each group, those of the
 * vectors and those of the words, so that a group whose scores are lower has its candidates too.
 */
import type { FilterClause, NativeSnapshot, SearchHits, SearchOptions, Selection } from '../index/native.js';
import { TOP_K } from '../limits.js';
import type { Manifest } from '../store/manifest.js';
import type { Publications } from '../store/publications.js';
import { type Grouping, groupsOf } from './collapse.js';
import { type Plan, type PlanOptions, planOf, scansOf } from './plan.js';
import type { Balance } from './query.js';

/** Groups that are searched each for itself: the largest ones. The others are one group. */
const GROUPS_MOST = 12;

/** The state that is searched, and the question. */
export interface BalancedSearch {
  store: Publications;
  native: NativeSnapshot;
  manifest: Manifest;
  vector: Float32Array;
  clauses: FilterClause[];
  /** The documents that the clauses allow. */
  selection: Selection;
  options: SearchOptions;
  grouping: Grouping;
  plan: PlanOptions;
}

/** What tells which publications are one result. */
type Grouped = Pick<BalancedSearch, 'native' | 'selection' | 'grouping'>;

/** The candidates of the vectors. */
export interface Collected {
  hits: SearchHits;
  plan: Plan;
  /** The documents of each group; without balance those of all. */
  groups: Selection[];
}

/** The candidates of a search without balance. */
export function collect(search: BalancedSearch): Collected {
  const { native, vector, selection, options } = search;
  const plan = planned(search, selection, options.documents);
  return { hits: native.search(vector, selection, scansOf(plan), options), plan, groups: [selection] };
}

function planned({ native, manifest, plan }: BalancedSearch, selection: Selection, documents: number): Plan {
  const { segments, indexKind } = manifest;
  return planOf(segments, native.segments, selection, documents, { ...plan, indexKind });
}

/** The candidates of all groups by turns, at most `documents`. */
export function collectBalanced(search: BalancedSearch, by: Balance): Collected {
  const found = groupClauses(search, by).map((group) => searchGroup(search, group));
  const lists = found.map(({ hits }) => hits);
  return {
    hits: joinedByTurns(search, lists, search.options.documents),
    plan: together(found.map(({ plan }) => plan)),
    groups: found.map(({ selection }) => selection),
  };
}

/**
 * The hits of all groups by turns, the group with the most similar first one first, at most `most`. Publications of one
 * application or family that are in several groups are one hit, the best.
 */
export function joinedByTurns(
  search: Grouped,
  lists: readonly SearchHits[],
  most = Number.POSITIVE_INFINITY,
): SearchHits {
  const [first, ...others] = lists;
  if (first !== undefined && others.length === 0 && first.docs.length <= most) return first;
  const groups = withoutRepetitions(search, lists).sort((a, b) => scoreOf(b[0]) - scoreOf(a[0]));
  return joined(byTurns(groups).slice(0, most), lists);
}

/** One candidate: its place in the hits of its group. */
interface Candidate {
  hits: SearchHits;
  at: number;
}

const scoreOf = (candidate: Candidate | undefined): number =>
  candidate === undefined ? Number.NEGATIVE_INFINITY : candidate.hits.scores[candidate.at]!;

/** A condition for each group that has documents. */
function groupClauses({ native, selection }: BalancedSearch, by: Balance): FilterClause[] {
  const values = native.tally(selection, by).map(({ name }) => name);
  const own = values.slice(0, GROUPS_MOST);
  return [
    ...own.map((name): FilterClause => ({ column: by, test: 'exact', terms: [name] })),
    { column: by, test: 'none', terms: own },
  ];
}

function searchGroup(
  search: BalancedSearch,
  group: FilterClause,
): Omit<Collected, 'groups'> & { selection: Selection } {
  const { native, vector, clauses, options } = search;
  const selection = native.select([...clauses, group]);
  // The other groups may have little to give.
  const documents = Math.min(options.documents, TOP_K.max);
  const plan = planned(search, selection, documents);
  return {
    hits: native.search(vector, selection, scansOf(plan), { ...options, documents }),
    plan,
    selection,
  };
}

/** The candidates of each group. Of those that are one result, the best remains. */
function withoutRepetitions(
  { native, selection, grouping }: Grouped,
  found: readonly SearchHits[],
): Candidate[][] {
  const lists = found.map((hits) => Array.from(hits.docs, (_, at): Candidate => ({ hits, at })));
  if (!grouping.dedupe) return lists.filter((list) => list.length > 0);
  const keys = new Map<Candidate, number>();
  const best = new Map<number, Candidate>();
  for (const [n, hits] of found.entries()) {
    const { docs, at } = groupsOf(native, selection, hits.docs, grouping);
    for (const candidate of lists[n]!) {
      // The members are ascending, so the first identifies the result.
      const key = docs[at[candidate.at]!]!;
      keys.set(candidate, key);
      const rival = best.get(key);
      if (rival === undefined || scoreOf(candidate) > scoreOf(rival)) best.set(key, candidate);
    }
  }
  const kept = lists.map((list) => list.filter((candidate) => best.get(keys.get(candidate)!) === candidate));
  return kept.filter((list) => list.length > 0);
}

/** The chosen candidates as hits, in their order, with the work of all searches. */
function joined(chosen: readonly Candidate[], all: readonly SearchHits[]): SearchHits {
  const parts = chosen.map(({ hits, at }) => ({
    hits,
    from: hits.passageAt[at]!,
    to: hits.passageAt[at + 1]!,
  }));
  const passageAt = new Uint32Array(chosen.length + 1);
  for (const [n, { from, to }] of parts.entries()) passageAt[n + 1] = passageAt[n]! + to - from;
  const sum = (of: (hits: SearchHits) => number) => all.reduce((total, hits) => total + of(hits), 0);
  return {
    docs: Uint32Array.from(chosen, ({ hits, at }) => hits.docs[at]!),
    scores: Float32Array.from(chosen, scoreOf),
    passageAt,
    passages: Uint32Array.from(parts.flatMap(({ hits, from, to }) => [...hits.passages.subarray(from, to)])),
    passageScores: Float32Array.from(
      parts.flatMap(({ hits, from, to }) => [...hits.passageScores.subarray(from, to)]),
    ),
    rowsScored: sum(({ rowsScored }) => rowsScored),
    visited: sum(({ visited }) => visited),
    candidates: sum(({ candidates }) => candidates),
    widened: sum(({ widened }) => widened),
    rescanned: sum(({ rescanned }) => rescanned),
  };
}

/** The plans of all searches as one. */
function together(plans: readonly Plan[]): Plan {
  return {
    exact: plans.every(({ exact }) => exact),
    documents: plans.reduce((sum, { documents }) => sum + documents, 0),
    segments: plans.flatMap(({ segments }) => segments),
  };
}

/** The first of each list, then the second of each, and so on. */
export function byTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = lists.reduce((most, { length }) => Math.max(most, length), 0);
  return Array.from({ length: longest }, (_, turn) =>
    lists.flatMap((list) => list.slice(turn, turn + 1)),
  ).flat();
}

/** Items by turns of their groups, in the order in which the groups first occur. */
export function inTurns<T>(items: readonly T[], groupOf: (item: T) => string): T[] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groupOf(item);
    const list = groups.get(group);
    if (list) list.push(item);
    else groups.set(group, [item]);
  }
  return byTurns([...groups.values()]);
}
