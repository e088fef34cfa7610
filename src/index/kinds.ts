/** Index kinds that a user may choose, and what `auto` means. */
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

/**
 * The FAISS index for a segment of so many passages, or undefined where it is scanned exactly.
 * @param from passages from which on an index is built
 */
export function indexKindFor(
  chosen: string,
  passages: number,
  from = EXACT_BELOW_PASSAGES,
): string | undefined {
  if (chosen === 'flat' || passages < from) return undefined;
  if (chosen !== 'auto') return chosen;
  return passages < PQ_FROM_PASSAGES ? 'ivf-sq8' : 'ivf-pq';
}
