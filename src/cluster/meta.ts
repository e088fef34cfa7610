/**
 * What is known of an index besides its publications. Its form and model are in its mapping, so that they change with the
 * alias. The number of commits and the ledger are documents of an index beside it.
 */
import { PriorartError } from '../errors.js';
import { keyOf } from '../store/ledger.js';
import type { Manifest, ModelIdentity } from '../store/manifest.js';
import type { SourceRecord } from '../store/source-record.js';
import { bulkUntilTaken } from './bulk.js';
import { type BulkOperation, type ClusterClient, type Json, unavailable } from './client.js';
import { FORM, FORM_READ, type IndexMeta, indexBody } from './mapping.js';

/** What is known of the index that the alias names. */
export interface ClusterMeta {
  /** Name of the index behind the alias. */
  index: string;
  model: ModelIdentity;
  models?: NonNullable<Manifest['models']>;
  generation: number;
  updatedAt: string;
}

interface State {
  generation: number;
  updated_at: string;
}

const STATE = 'state';
/** Files of one request. An entry lists the failures of its file, so it may be long. */
const LEDGER_EACH = 500;

/** Name of the index with state and ledger. */
function besideOf({ settings }: ClusterClient): string {
  return `${settings.index}-meta`;
}

/**
 * The index behind the alias; undefined without an alias.
 * @param local what the asked node knows, so that the elected manager is not needed; what others have just changed may be
 *   unknown to it
 * @throws PriorartError `data_version`, `unavailable`
 */
export async function readMeta(client: ClusterClient, local = false): Promise<ClusterMeta | undefined> {
  const found = await readIndexMeta(client, client.settings.index, local);
  if (found === undefined) return undefined;
  const { index, meta } = found;
  if (meta.form !== FORM) throw otherForm(index, meta);
  const { model, models } = meta;
  return { index, model, ...(models === undefined ? {} : { models }), ...(await stateOf(client, meta)) };
}

/** The error for an index of another form. */
export function otherForm(index: string, { form }: IndexMeta): PriorartError {
  const message = `the index ${index} has form ${form}; this priorart reads form ${FORM}`;
  const reindexed = form >= FORM_READ ? 'run `priorart reindex`' : 'ingest the publications into a new index';
  const todo = form < FORM ? reindexed : 'use the priorart that made it';
  return new PriorartError('data_version', `${message}; ${todo}`);
}

/**
 * What an index of any form says of itself; undefined if it is not there.
 * @param name of an index or an alias
 * @throws PriorartError `data_version`, `unavailable`
 */
export async function readIndexMeta(
  client: ClusterClient,
  name: string,
  local = false,
): Promise<{ index: string; meta: IndexMeta } | undefined> {
  const found = await client.request<
    Record<string, { mappings?: { _meta?: IndexMeta } }> & { status?: number }
  >('GET', `/${name}/_mapping`, undefined, { ignore: [404], query: { local } });
  if (found.status === 404) return undefined;
  const indexes = Object.entries(found) as [string, { mappings?: { _meta?: IndexMeta } }][];
  if (indexes.length > 1) {
    throw new PriorartError('data_version', `the alias ${name} names several indexes; expected one`);
  }
  const [first] = indexes;
  if (first === undefined) return undefined;
  const [index, { mappings }] = first;
  const meta = mappings?._meta;
  if (meta?.form === undefined) {
    throw new PriorartError('data_version', `the index ${index} was not made by priorart`);
  }
  return { index, meta };
}

async function stateOf(
  client: ClusterClient,
  { createdAt }: IndexMeta,
): Promise<Pick<ClusterMeta, 'generation' | 'updatedAt'>> {
  const { _source } = await client.request<{ _source?: State }>(
    'GET',
    `/${besideOf(client)}/_doc/${STATE}`,
    undefined,
    { ignore: [404] },
  );
  return { generation: _source?.generation ?? 1, updatedAt: _source?.updated_at ?? createdAt };
}

/** Makes an index for a model, with its alias. Does nothing if another process was first. */
export async function createIndex(
  client: ClusterClient,
  model: ModelIdentity,
  models: Manifest['models'],
): Promise<void> {
  const { settings } = client;
  await checkPlugin(client);
  const path = { type: 'keyword', ignore_above: 8_000 };
  await createBeside(client, besideOf(client), 1, { path, kind: { type: 'keyword' } });
  // All processes that make an index at the same time choose this name.
  const body = indexBody(settings, model, models);
  await create(client, `${settings.index}-1`, { ...body, aliases: { [settings.index]: {} } });
}

/** Makes an index that no alias names. Does nothing if it is there. */
export async function createUnnamed(
  client: ClusterClient,
  name: string,
  model: ModelIdentity,
  models: Manifest['models'],
): Promise<void> {
  await checkPlugin(client);
  await create(client, name, indexBody(client.settings, model, models));
}

/** Makes an index beside that of the publications. Does nothing if it is there. @param fields that are searched */
export async function createBeside(
  client: ClusterClient,
  name: string,
  shards: number,
  fields: Json,
): Promise<void> {
  const index = { number_of_shards: shards, number_of_replicas: client.settings.replicas };
  await create(client, name, { settings: { index }, mappings: { dynamic: false, properties: fields } });
}

async function create(client: ClusterClient, name: string, body: Record<string, unknown>): Promise<void> {
  const answer = await client.request<{ error?: { type: string; reason: string } }>('PUT', `/${name}`, body, {
    ignore: [400],
    query: { wait_for_active_shards: 1 },
  });
  if (answer.error === undefined || answer.error.type === 'resource_already_exists_exception') return;
  throw new PriorartError('unavailable', `the index ${name} cannot be made: ${answer.error.reason}`);
}

/** @throws PriorartError `unavailable` if a node with data lacks the k-NN plugin */
async function checkPlugin(client: ClusterClient): Promise<void> {
  const { nodes } = await client.request<{
    nodes: Record<string, { name: string; roles: string[]; plugins: { name: string }[] }>;
  }>('GET', '/_nodes/plugins');
  for (const { name, roles, plugins } of Object.values(nodes)) {
    if (!roles.includes('data') || plugins.some((plugin) => plugin.name === 'opensearch-knn')) continue;
    throw new PriorartError('unavailable', `the node ${name} lacks the plugin opensearch-knn; install it`);
  }
}

/** Counts a commit. */
export async function countCommit(client: ClusterClient): Promise<void> {
  const now = new Date().toISOString();
  await client.request(
    'POST',
    `/${besideOf(client)}/_update/${STATE}`,
    {
      script: {
        source: 'ctx._source.generation += 1; ctx._source.updated_at = params.now',
        params: { now },
      },
      upsert: { kind: STATE, generation: 2, updated_at: now },
    },
    { query: { retry_on_conflict: 20 } },
  );
}

/** Every file of the ledger, by path. */
export async function readLedger(client: ClusterClient): Promise<SourceRecord[]> {
  const records: SourceRecord[] = [];
  let after: unknown[] | undefined;
  do {
    const { hits } = await client.search<{ record: SourceRecord }>(`/${besideOf(client)}/_search`, {
      size: LEDGER_EACH,
      query: { term: { kind: 'file' } },
      sort: [{ path: 'asc' }],
      ...(after ? { search_after: after } : {}),
    });
    for (const { _source } of hits.hits) records.push(_source!.record);
    after = hits.hits.at(-1)?.sort;
  } while (after !== undefined);
  return records;
}

/** Bytes that OpenSearch allows an id. */
const ID_MAX_BYTES = 512;

/** Enters files in the ledger. */
export async function enterLedger(client: ClusterClient, records: readonly SourceRecord[]): Promise<void> {
  const operations = records.map(
    (record): BulkOperation => ({
      action: { index: { _index: besideOf(client), _id: keyOf(record.path, ID_MAX_BYTES) } },
      document: JSON.stringify({ kind: 'file', path: record.path, record }),
    }),
  );
  for (let at = 0; at < operations.length; at += LEDGER_EACH) {
    const outcomes = await bulkUntilTaken(client, operations.slice(at, at + LEDGER_EACH));
    const failed = outcomes.find(({ error }) => error);
    if (failed?.error) throw unavailable(`the ledger was not written: ${failed.error.reason}`);
  }
  await client.refresh(besideOf(client));
}
