/** Index kinds that a user may choose, and what `auto` means. */
import { totalmem } from 'node:os';
import { PriorartError } from '../errors.js';
import { native } from './native.js';

/** Below this many passages an exact scan answers in about a millisecond and no index is built. */
export const EXACT_BELOW_PASSAGES = 20_000;
/**
 * From here on the codes of IVF with 4-bit product quantisation pay for their coarser candidates: of 140,000
 * passages they find as much as 8-bit codes in a third of the time.
 */
const PQ_FROM_PASSAGES = 50_000;

/** `auto` and the addon's kinds. */
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

/** Part of the machine's memory that the codes of one index may take, which `ivf-pq` keeps there. */
const CODES_SHARE = 0.25;

/** What of a segment decides on its index. */
export interface IndexedSegment {
  passages: number;
  dimensions: number;
}

/**
 * The FAISS index for a segment, or undefined where it is scanned exactly. `auto` goes by size, and by what memory
 * there is: codes that would take too much of it are left to `ivf-sq8`, whose lists stay in the file, and which the
 * system keeps in memory as far as there is room.
 * @param from passages from which on an index is built
 * @param memory bytes of the machine
 */
export function indexKindFor(
  chosen: string,
  { passages, dimensions }: IndexedSegment,
  from = EXACT_BELOW_PASSAGES,
  memory = totalmem(),
): string | undefined {
  if (chosen === 'flat' || passages < from) return undefined;
  if (chosen !== 'auto') return chosen;
  // Half a byte for two components, and a row number.
  const codes = passages * (dimensions / 4 + 8);
  return passages < PQ_FROM_PASSAGES || codes > memory * CODES_SHARE ? 'ivf-sq8' : 'ivf-pq';
}
