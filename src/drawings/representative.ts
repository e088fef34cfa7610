/** Which figure stands for a patent. */
import type { Drawing } from '../patent/record.js';
import { isInlineImage } from './name.js';

/**
 * The drawings of a patent that may stand for it, best first: the one the office names, then the others in
 * their order. A formula or a table never does, unless the office itself names it.
 */
export function representatives(drawings: readonly Drawing[]): Drawing[] {
  const named = drawings.filter(({ representative }) => representative);
  const others = drawings.filter(
    ({ file, representative, content }) => !representative && content === undefined && !isInlineImage(file),
  );
  return [...named, ...others];
}
