/**
 * How many of the allowed documents reach a threshold. Most questions leave few of a million passages' documents above
 * it, which codes find at a third of an exact scan's cost; where many are, it is the other way round.
 */
import type { NativeSnapshot, Selection } from '../index/native.js';

/** Documents that are scored to tell; at 20 passages each they hold .5 % of a million. */
const SAMPLED = 256;
/** With fewer allowed documents than so many times the sample, asking costs too much beside scoring them all. */
const WORTH_ASKING = 16;

/**
 * Share of the allowed documents that is expected to reach the threshold; undefined where all are scanned exactly
 * anyway, or are too few to ask.
 */
export function shareAbove(
  native: NativeSnapshot,
  query: Float32Array,
  selection: Selection,
  minScore: number,
): number | undefined {
  const documents = selection.docs.reduce((sum, count) => sum + count, 0);
  const hasIndex = native.segments.some((segment) => segment.hasIndex);
  if (!hasIndex || documents < SAMPLED * WORTH_ASKING) return undefined;
  const { lookedAt, above } = native.sampleAbove(query, selection, minScore, SAMPLED);
  // The rule of succession (Laplace): that a sample holds none does not mean that there are none.
  return (above + 1) / (lookedAt + 2);
}
