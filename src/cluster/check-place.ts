/** Checks, after a write to an index, that no other index has taken its place. */
import { again } from './again.js';
import { WriteBlocked } from './bulk.js';
import type { ClusterClient } from './client.js';
import { readIndexMeta } from './meta.js';

/**
 * A program may write long after it read the name of the index. If `reindex` has deleted that index meanwhile, the cluster
 * makes a new one for the write, and acknowledges it. A write before this check is in the index that the alias names.
 * @throws WriteBlocked if the alias names another index: what was written must be written again, to that one
 */
export async function checkPlace(client: ClusterClient, index: string): Promise<void> {
  const named = await again(() => readIndexMeta(client, client.settings.index), 'ingest');
  if (named?.index === index) return;
  // Every process that writes to it finds this, too. So it does no harm if it stays, or is made again.
  await removeIfMadeByWrite(client, index).catch(() => {});
  throw new WriteBlocked(`another index has taken the place of ${index}`);
}

/** Deletes an index that the cluster made for a write. Every index that priorart makes says so in its mapping. */
async function removeIfMadeByWrite(client: ClusterClient, index: string): Promise<void> {
  const found = await client.request<Record<string, { mappings?: { _meta?: unknown } }>>(
    'GET',
    `/${index}/_mapping`,
  );
  const mappings = found[index]?.mappings;
  if (mappings !== undefined && mappings._meta === undefined) await client.request('DELETE', `/${index}`);
}
