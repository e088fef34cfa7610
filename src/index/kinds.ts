/** Index kinds that a user may choose, and the choice of `auto`. */
import { totalmem } from 'node:os';
import { PriorartError } from '../errors.js';
import { native } from './native.js';

/**
 * An exact scan of this many passages takes about a millisecond. A folder with fewer is scanned exactly, and a segment with fewer
 * gets no FAISS index.
 */
export const EXACT_BELOW_PASSAGES = 20_000;
/**
 * Passages from which IVF with 4-bit product quantisation is faster, although its candidates are coarser: with 140,000
 * passages its codes reach the recall of 8-bit codes in a third of the time.
 */
const PQ_FROM_PASSAGES = 50_000;

/**
 * Passages a document from which `auto` builds no FAISS index: a search by the sketches, which every segment has, reads the
 * mean of each document, and then passages of few. With 22 passages a document it took 0.6 of the time of `ivf-pq`
 * (200,000 passages, two runs on a busy machine). With few, reading all means takes as long as probing lists of passages:
 * with 1.3 (80,169 real documents) it took 1.4 times the time without a filter, and 0.4 to 0.8 of it with one or for 200
 * documents. So both are kept, and the planner chooses. The border between them is a guess.
 */
const SKETCHES_FROM = 4;

/** All names of kinds: `auto` and those of the addon. */
export function indexKinds(): string[] {
  return ['auto', ...native.indexKinds().filter((kind) => kind !== 'ivf-pq-refine')];
}

/**
 * Checks a kind's name.
 * @throws PriorartError `unknown_index_kind`
 */
export function checkIndexKind(kind: string): string {
  const known = indexKinds();
  if (known.includes(kind)) return kind;
  throw new PriorartError(
    'unknown_index_kind',
    `unknown index kind "${kind}"; expected one of ${known.join(', ')}`,
  );
}

/** Maximum share of the machine's memory for the codes of one index, which `ivf-pq` keeps in memory. */
const CODES_SHARE = 0.25;

/** Properties of a segment that determine its index. */
export interface IndexedSegment {
  docs: number;
  passages: number;
  dimensions: number;
}

/**
 * The FAISS index for a segment; undefined if it gets none. `auto` chooses by size and memory: a segment with many passages
 * a document is searched by its sketches; if codes would take too much memory, it chooses `ivf-sq8`, whose lists stay in the file and are cached by the system.
 * @param from number of passages from which an index is built
 * @param memory bytes of the machine
 */
export function indexKindFor(
  chosen: string,
  { docs, passages, dimensions }: IndexedSegment,
  from = EXACT_BELOW_PASSAGES,
  memory = totalmem(),
): string | undefined {
  if (chosen === 'flat' || passages < from) return undefined;
  if (chosen !== 'auto') return chosen;
  if (passages >= docs * SKETCHES_FROM) return undefined;
  // Half a byte for a part of two components, or of one if their number is odd; and 8 bytes for the row number.
  const parts = dimensions % 2 === 0 ? dimensions / 2 : dimensions;
  const codes = passages * (parts / 2 + 8);
  return passages < PQ_FROM_PASSAGES || codes > memory * CODES_SHARE ? 'ivf-sq8' : 'ivf-pq';
}
