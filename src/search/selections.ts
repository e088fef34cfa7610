/**
 * What filters allow in the segments of a snapshot. Most searches have no filter, and pages of one have the same:
 * the last few are kept, since evaluating one reads a column of all documents.
 */
import type { FilterClause, NativeSnapshot, Selection } from '../index/native.js';

/** Selections kept of a snapshot; each is a bit a document. */
export const SELECTIONS_KEPT = 4;

/** By the clauses they were made of, the latest used last. They go with their snapshot, whose state they are of. */
const kept = new WeakMap<NativeSnapshot, Map<string, Selection>>();

/** The documents of a snapshot that a filter allows; every clause must hold. */
export function selectionOf(native: NativeSnapshot, clauses: FilterClause[]): Selection {
  const known = kept.get(native) ?? new Map<string, Selection>();
  kept.set(native, known);
  const key = JSON.stringify(clauses);
  const selection = known.get(key) ?? native.select(clauses);
  known.delete(key);
  known.set(key, selection);
  const [oldest] = known.keys();
  if (known.size > SELECTIONS_KEPT) known.delete(oldest!);
  return selection;
}
