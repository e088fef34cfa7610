/** Deletes publications by number. Needs no model. */
import { PriorartError } from '../errors.js';
import { deleteDocuments } from './commit.js';
import { resolvePublications } from './resolve.js';
import type { Store } from './store.js';

/**
 * Deletes publications by number in any spelling.
 * @returns patent_ids of the deleted publications, and the given numbers that match none
 * @throws PriorartError `invalid_request` if a number matches several publications; nothing is deleted then
 */
export function deletePublications(
  store: Store,
  numbers: readonly string[],
): { deleted: string[]; not_found: string[] } {
  store.refresh();
  const notFound: string[] = [];
  const ids = numbers.flatMap((text) => {
    const found = resolvePublications(store, text);
    if (found.length === 0) notFound.push(text);
    if (found.length < 2) return found;
    throw new PriorartError('invalid_request', `${text} fits ${found.join(', ')}; name one of them`);
  });
  return { deleted: deleteDocuments(store, ids), not_found: notFound };
}
