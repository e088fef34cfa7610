/** Publications that a question names: they come first in its answer, if the filter allows them. */
import type { FilterClause, NativeSnapshot, SearchHits, SearchOptions } from '../index/native.js';
import type { Publications } from '../store/publications.js';
import { type Grouping, othersOf } from './collapse.js';
import { selectionOf } from './selections.js';
import { type Subject, without } from './subject.js';

/**
 * The hits of the publications that a question names; undefined if none of them is allowed.
 * @param clauses those of the filter and of the question
 */
export function firstOf(
  native: NativeSnapshot,
  clauses: FilterClause[],
  { vector, first }: Subject,
  options: SearchOptions,
): SearchHits | undefined {
  if (first.length === 0) return undefined;
  const selection = native.select([...clauses, named(first)]);
  if (selection.docs.every((count) => count === 0)) return undefined;
  return native.search(
    vector,
    selection,
    native.segments.map(() => ({})),
    options,
  );
}

/**
 * Conditions of the search for all else. Other publications that are one result with the named ones would say the same
 * again.
 * @param clauses those of the filter
 */
export function withoutFirst(
  store: Publications,
  native: NativeSnapshot,
  clauses: FilterClause[],
  found: SearchHits | undefined,
  { first }: Subject,
  grouping: Grouping,
): FilterClause[] {
  if (found === undefined) return [];
  const others = othersOf(store, native, selectionOf(native, clauses), found.docs, grouping);
  return without([...first, ...others]);
}

/** Conditions of statistics, which count the named publications in the place of others that are one result with them. */
export function withoutOthers(
  store: Publications,
  native: NativeSnapshot,
  clauses: FilterClause[],
  { first }: Subject,
  grouping: Grouping,
): FilterClause[] {
  if (first.length === 0) return [];
  const docs = native.sample(native.select([...clauses, named(first)]), first.length);
  return without(othersOf(store, native, selectionOf(native, clauses), docs, grouping));
}

/** Indexes of some documents, those that the question names first. */
export function firstInOrder(store: Publications, docs: Uint32Array, { first }: Subject): Uint32Array {
  const named = new Set(first.map((patentId) => store.ids.get(patentId)));
  const order = Uint32Array.from(docs.keys());
  if (named.size === 0) return order;
  const isFirst = (n: number) => named.has(docs[n]!);
  return Uint32Array.of(...order.filter(isFirst), ...order.filter((n) => !isFirst(n)));
}

function named(patentIds: string[]): FilterClause {
  return { column: 'patent_id', test: 'exact', terms: patentIds };
}
