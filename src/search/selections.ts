/**
 * The documents of a snapshot that filters allow. The latest selections are kept: evaluating a filter reads a column of all
 * documents, most searches have no filter, and all pages of a search have the same one.
 */
import type { FilterClause, NativeSnapshot, Selection } from '../index/native.js';

/** A snapshot of some publications that knows how many of all of them clauses allow. */
export interface PartOfAll {
  countOfAll(clauses: FilterClause[]): number;
}

/** Number of publications for which every clause holds. */
export function countOf(native: NativeSnapshot & Partial<PartOfAll>, clauses: FilterClause[]): number {
  if (native.countOfAll) return native.countOfAll(clauses);
  return native.select(clauses).docs.reduce((sum, count) => sum + count, 0);
}

/** Selections kept of a snapshot; each takes a bit a document. */
export const SELECTIONS_KEPT = 4;

/** Selections by their clauses, the latest used last. They are dropped with their snapshot. */
const kept = new WeakMap<NativeSnapshot, Map<string, Selection>>();

/** The documents of a snapshot for which every clause holds. */
export function selectionOf(native: NativeSnapshot, clauses: FilterClause[]): Selection {
  const known = kept.get(native) ?? new Map<string, Selection>();
  kept.set(native, known);
  const key = JSON.stringify(clauses);
  const selection = known.get(key) ?? native.select(clauses);
  known.delete(key);
  known.set(key, selection);
  const [oldest] = known.keys();
  if (known.size > SELECTIONS_KEPT) {
    const dropped = known.get(oldest!)!;
    known.delete(oldest!);
    // Its memory is freed at once, so that the next selection finds it in the processor's cache; garbage collections come too
    // rarely. The search that made it may still use it, but not after an await.
    queueMicrotask(() => dropped.release());
  }
  return selection;
}
