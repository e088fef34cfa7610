/**
 * The indexes of the log of requests: one has a document for each line, the other the counts of usage. Each is behind an
 * alias, and writes name the alias: so a write never makes an index without its mapping.
 */
import type { ClusterClient, Json } from './client.js';
import { unavailable } from './client.js';

/** Version in the names of the indexes. Increase it if their mapping changes. */
const VERSION = 1;
/** Time after which lines are visible to others than the log, which asks for the newest itself. */
const REFRESH = '30s';
/** Readers find nothing in an index that does not exist yet. */
export const IF_ANY = { ignore_unavailable: true } as const;

const LINES: Json = {
  key: { type: 'keyword' },
  /** ms since 1970. */
  time: { type: 'long' },
  id: { type: 'keyword' },
  endpoint: { type: 'keyword' },
  status: { type: 'short' },
};
const USAGE: Json = {
  day: { type: 'keyword' },
  key: { type: 'keyword' },
  endpoint: { type: 'keyword' },
  requests: { type: 'long' },
  ok: { type: 'long' },
  client_errors: { type: 'long' },
  server_errors: { type: 'long' },
};

export class LogIndexes {
  readonly client: ClusterClient;
  /** Aliases. */
  readonly lines: string;
  readonly usage: string;

  constructor(client: ClusterClient) {
    this.client = client;
    this.lines = `${client.settings.index}-log`;
    this.usage = `${client.settings.index}-usage`;
  }

  /** Makes the indexes that the cluster lacks. @throws PriorartError `unavailable` */
  async make(signal: AbortSignal): Promise<void> {
    const { shards, replicas } = this.client.settings;
    await this.#make(this.lines, LINES, shards, replicas, signal);
    await this.#make(this.usage, USAGE, 1, replicas, signal);
  }

  async #make(
    alias: string,
    properties: Json,
    shards: number,
    replicas: number,
    signal: AbortSignal,
  ): Promise<void> {
    const body = {
      settings: {
        index: { number_of_shards: shards, number_of_replicas: replicas, refresh_interval: REFRESH },
      },
      // What is not searched is only stored.
      mappings: { dynamic: false, properties },
      aliases: { [alias]: {} },
    };
    const { error } = await this.client.request<{ error?: { type: string; reason: string } }>(
      'PUT',
      `/${alias}-${VERSION}`,
      body,
      { signal, ignore: [400] },
    );
    if (error && error.type !== 'resource_already_exists_exception') throw unavailable(error.reason);
  }

  /** Makes what was written visible to searches. @throws PriorartError `unavailable` if a shard does not */
  async refresh(index: string, signal: AbortSignal): Promise<void> {
    const { _shards } = await this.client.request<{ _shards?: { failed: number } }>(
      'POST',
      `/${index}/_refresh`,
      undefined,
      { signal, query: IF_ANY },
    );
    if (_shards?.failed !== 0) throw unavailable(`a copy of ${index} was not refreshed`);
  }
}
