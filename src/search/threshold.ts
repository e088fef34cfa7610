/**
 * Estimates how many of the allowed documents reach a threshold, for the planner: few are found by codes at a third of the
 * cost of an exact scan, many by an exact scan.
 */
import type { NativeSnapshot, Selection } from '../index/native.js';

/** Documents of the sample; at 20 passages each, .5 % of a million passages. */
const SAMPLED = 256;
/** A sample is taken if the filter allows at least this many times its documents; else scoring all costs little more. */
const WORTH_ASKING = 16;

/**
 * Share of the allowed documents that is expected to reach the threshold; undefined if all are scanned exactly anyway or
 * are too few for a sample.
 */
export function shareAbove(
  native: NativeSnapshot,
  query: Float32Array,
  selection: Selection,
  minScore: number,
): number | undefined {
  const documents = selection.docs.reduce((sum, count) => sum + count, 0);
  const scansAll = native.segments.every(({ hasIndex, hasSketches }) => !hasIndex && !hasSketches);
  if (scansAll || documents < SAMPLED * WORTH_ASKING) return undefined;
  const { lookedAt, above } = native.sampleAbove(query, selection, minScore, SAMPLED);
  // Laplace's rule of succession: none in the sample does not mean none at all.
  return (above + 1) / (lookedAt + 2);
}
