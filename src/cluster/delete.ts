/** Deletes publications of a cluster by number. */
import type { DeleteResult } from '../engine-port.js';
import { resolvePublications } from '../store/resolve.js';
import { bulkUntilTaken, isRefused, reasonOf } from './bulk.js';
import { type ClusterClient, unavailable } from './client.js';
import { removeFigures } from './figures.js';
import { PublicationsInMemory } from './publications.js';
import { resolved } from './records.js';
import { knownUnder } from './stored-versions.js';
import { finishCommit } from './target.js';

/** Numbers that are resolved, and documents that are deleted, by one request. */
const EACH = 500;
const GONE = 404;

/**
 * @param index name of the index
 * @throws PriorartError `invalid_request` if a number matches several publications; nothing is deleted then
 */
export async function deletePublications(
  client: ClusterClient,
  index: string,
  numbers: readonly string[],
  signal?: AbortSignal,
): Promise<DeleteResult> {
  const found = await client.atOneState(
    index,
    async (state) => {
      const ids: (string | undefined)[] = [];
      for (let at = 0; at < numbers.length; at += EACH) {
        const publications = new PublicationsInMemory(client.settings.index);
        const some = numbers.slice(at, at + EACH);
        ids.push(...(await resolved(state, publications, some, ['head'], resolvePublications)));
      }
      return ids;
    },
    signal,
  );
  const patentIds = [...new Set(found.flatMap((id) => id ?? []))];
  try {
    for (let at = 0; at < patentIds.length; at += EACH) {
      await deleteSome(client, index, patentIds.slice(at, at + EACH), signal);
    }
  } finally {
    if (patentIds.length > 0) await finishCommit(client, index);
  }
  return { deleted: patentIds, not_found: numbers.filter((_, n) => found[n] === undefined) };
}

async function deleteSome(
  client: ClusterClient,
  index: string,
  patentIds: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const found = (await knownUnder(client, index, patentIds)).of(patentIds);
  // First: if the deletion fails after this, it is repeated, and no drawing of a deleted publication is left.
  const names = found.flatMap(({ head }) => [head.patent_id, ...(head.corrects ?? [])]);
  await removeFigures(client, [...new Set(names)], signal);
  const operations = found.map(({ id }) => ({ action: { delete: { _index: index, _id: id } } }));
  const items = await bulkUntilTaken(client, operations, signal);
  // Another caller may have deleted it meanwhile, or the answer to the first attempt was lost.
  const refused = items.find((item) => item.status !== GONE && isRefused(item));
  if (refused) throw unavailable(`a publication was not deleted: ${reasonOf(refused)}`);
}
