/** Publications that a question names: they come first in its answer, if the filter allows them. */
import type { FilterClause, NativeSnapshot, SearchHits } from '../index/native.js';
import { CHUNKS_PER_RESULT } from '../limits.js';
import type { Store } from '../store/store.js';
import { clausesOf, deduplicates } from './filter.js';
import type { Filters } from './query.js';
import type { IndexReader } from './reader.js';
import { type Subject, without } from './subject.js';

/** The hits of the publications that a question names; undefined if the filter allows none of them. */
export function firstOf(
  reader: IndexReader,
  native: NativeSnapshot,
  filters: Filters,
  { vector, first, clauses }: Subject,
): SearchHits | undefined {
  if (first.length === 0) return undefined;
  const named: FilterClause = { column: 'patent_id', test: 'exact', terms: first };
  const allowed = clausesOf(withEveryKind(filters), reader.store);
  const selection = native.select([...allowed, ...clauses, named]);
  if (selection.docs.every((count) => count === 0)) return undefined;
  const options = {
    documents: first.length,
    chunks: CHUNKS_PER_RESULT,
    dedupe: deduplicates(filters),
    minScore: -2,
  };
  return native.search(
    vector,
    selection,
    native.segments.map(() => ({})),
    options,
  );
}

/** Conditions of the search for all else. Other publications of the same applications would say the same again. */
export function withoutFirst(found: SearchHits | undefined, { first, beside }: Subject): FilterClause[] {
  return found ? without([...first, ...beside]) : [];
}

/** Conditions of statistics, which count the named publication in the place of others of its application. */
export function withoutBeside(
  native: NativeSnapshot,
  clauses: readonly FilterClause[],
  { first, beside }: Subject,
): FilterClause[] {
  if (beside.length === 0) return [];
  const named: FilterClause = { column: 'patent_id', test: 'exact', terms: first };
  const isAllowed = native.select([...clauses, named]).docs.some((count) => count > 0);
  return isAllowed ? without(beside) : [];
}

/** Indexes of some documents, those that the question names first. */
export function firstInOrder(store: Store, docs: Uint32Array, { first }: Subject): Uint32Array {
  const named = new Set(first.map((patentId) => store.ids.get(patentId)));
  const order = Uint32Array.from(docs.keys());
  if (named.size === 0) return order;
  const isFirst = (n: number) => named.has(docs[n]!);
  return Uint32Array.of(...order.filter(isFirst), ...order.filter((n) => !isFirst(n)));
}

/** A number names utility models and designs like patents, unless the request states kinds. */
function withEveryKind(filters: Filters): Filters {
  const statesKinds = filters.docType !== 'all' || filters.kindCodes !== undefined;
  return statesKinds ? filters : { ...filters, everyKind: true };
}

/** Two lists of hits, one behind the other. */
export function inFront(a: SearchHits, b: SearchHits): SearchHits {
  return {
    docs: Uint32Array.of(...a.docs, ...b.docs),
    scores: Float32Array.of(...a.scores, ...b.scores),
    passageAt: Uint32Array.of(...a.passageAt, ...b.passageAt.subarray(1).map((at) => at + a.passages.length)),
    passages: Uint32Array.of(...a.passages, ...b.passages),
    passageScores: Float32Array.of(...a.passageScores, ...b.passageScores),
    rowsScored: a.rowsScored + b.rowsScored,
    candidates: a.candidates + b.candidates,
    widened: a.widened + b.widened,
    rescanned: a.rescanned + b.rescanned,
  };
}
