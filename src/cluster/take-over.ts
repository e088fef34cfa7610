/** The two steps in which an index takes the place of another. The cluster can answer either with 200 though it is not done. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClusterClient, unavailable } from './client.js';
import { readIndexMeta } from './meta.js';

/** Attempts at the block of writes, and the wait between two, ms. */
const ATTEMPTS = 4;
const WAIT_MS = 1_000;

const WRITE_BLOCK = 'index.blocks.write';

interface BlockAnswer {
  acknowledged?: boolean;
  shards_acknowledged?: boolean;
  indices?: { name: string; blocked?: boolean }[];
}

/**
 * Lets an index take no writes. When it resolves, no shard takes one.
 * @throws PriorartError `unavailable` if a shard may still take writes; the index may be blocked in part
 */
export async function blockWrites(client: ClusterClient, index: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 0) await sleep(WAIT_MS);
    const answer = await client.request<BlockAnswer>('PUT', `/${index}/_block/write`);
    if (isWhole(answer, index) || (await wasBlocked(client, answer, index))) return;
  }
  throw unavailable(`not every shard of ${index} refuses writes; run \`priorart reindex\` again`);
}

function isWhole({ acknowledged, shards_acknowledged, indices }: BlockAnswer, index: string): boolean {
  const isBlocked = indices?.some(({ name, blocked }) => name === index && blocked === true);
  return acknowledged === true && shards_acknowledged === true && isBlocked === true;
}

/**
 * Whether an earlier call, which was killed, has blocked the index. The cluster then names no index, and counts the shards as not
 * acknowledged.
 */
async function wasBlocked(client: ClusterClient, answer: BlockAnswer, index: string): Promise<boolean> {
  if (answer.acknowledged !== true || answer.indices?.length !== 0) return false;
  const path = `/${index}/_settings/${WRITE_BLOCK}`;
  const found = await client.request<Record<string, { settings?: Record<string, string> }>>(
    'GET',
    path,
    undefined,
    { query: { flat_settings: true } },
  );
  return found[index]?.settings?.[WRITE_BLOCK] === 'true';
}

/**
 * Lets the alias name another index, in one step.
 * @throws PriorartError `unavailable` if it still names the old one
 */
export async function moveAlias(client: ClusterClient, from: string, to: string): Promise<void> {
  const alias = client.settings.index;
  const { acknowledged } = await client.request<{ acknowledged?: boolean }>('POST', '/_aliases', {
    actions: [{ remove: { index: from, alias } }, { add: { index: to, alias } }],
  });
  if (acknowledged === true) return;
  // A slow node is enough for this answer; the elected manager knows whether the step is done.
  const named = await readIndexMeta(client, alias);
  if (named?.index === to) return;
  throw unavailable(`the alias ${alias} does not name ${to}; run \`priorart reindex\` again`);
}
