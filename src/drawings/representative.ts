/** Chooses the figure that represents a patent. */
import type { Drawing } from '../patent/record.js';
import { isInlineImage } from './name.js';

/**
 * The drawings that can represent a patent, best first: the one the office names, then the others in their order.
 * Formulas and tables are left out, unless the office names one.
 */
export function representatives(drawings: readonly Drawing[]): Drawing[] {
  const named = drawings.filter(({ representative }) => representative);
  const others = drawings.filter(
    ({ file, representative, content }) => !representative && content === undefined && !isInlineImage(file),
  );
  return [...named, ...others];
}
