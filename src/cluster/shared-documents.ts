/**
 * The documents with the accounts, keys and quotas that servers share: an index of its own beside that of the publications,
 * with one shard. A document is written with `if_seq_no` and `if_primary_term`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  DocumentVersion,
  NumberedDocument,
  SharedDocuments,
  Stored,
} from '../access/shared-documents.js';
import { PriorartError } from '../errors.js';
import { SHARED } from '../limits.js';
import type { ClusterClient, Json } from './client.js';
import { inTime } from './in-time.js';

/** Documents of one request. */
const PAGE = 1_000;
const CONFLICT = 409;
/** The error of a node that knows no copy of the index, and the pause before it is asked again, ms. */
const NO_SHARD = 'no_shard_available_action_exception';
const NO_SHARD_PAUSE_MS = 50;

interface Read {
  found?: boolean;
  _source?: Source;
  _seq_no: number;
  _primary_term: number;
  error?: { type: string; reason: string };
}

/** A document as it is stored. Documents with a number are found by it. */
interface Source {
  value: unknown;
  number?: number;
  id?: string;
}

export class ClusterDocuments implements SharedDocuments {
  readonly #client: ClusterClient;
  readonly #index: string;

  constructor(client: ClusterClient) {
    this.#client = client;
    this.#index = `${client.settings.index}-access`;
  }

  /** Makes the index if the cluster has none. @throws PriorartError `unavailable` */
  async makeIndex(): Promise<void> {
    const { replicas } = this.#client.settings;
    const body = {
      settings: { index: { number_of_shards: 1, number_of_replicas: replicas } },
      mappings: { dynamic: false, properties: { number: { type: 'long' }, id: { type: 'keyword' } } },
    };
    await this.#asking(async (signal) => {
      const { status } = await this.#client.request<{ status?: number }>(
        'GET',
        `/${this.#index}`,
        undefined,
        {
          signal,
          ignore: [404],
        },
      );
      if (status === 404) {
        const { error } = await this.#client.request<{ error?: { type: string; reason: string } }>(
          'PUT',
          `/${this.#index}`,
          body,
          { signal, ignore: [400] },
        );
        if (error && error.type !== 'resource_already_exists_exception')
          throw new PriorartError('unavailable', error.reason);
      }
    });
  }

  async read<T>(ids: readonly string[]): Promise<(Stored<T> | undefined)[]> {
    const found: (Stored<T> | undefined)[] = [];
    for (let at = 0; at < ids.length; at += PAGE) {
      const asked = ids.slice(at, at + PAGE);
      found.push(...(await this.#asking((signal) => this.#read<T>(asked, signal))));
    }
    return found;
  }

  async #read<T>(ids: readonly string[], signal: AbortSignal): Promise<(Stored<T> | undefined)[]> {
    for (;;) {
      // Reads by id see every acknowledged write.
      const { docs } = await this.#client.request<{ docs: Read[] }>(
        'POST',
        `/${this.#index}/_mget`,
        { ids },
        { signal },
      );
      const fault = docs.find(({ error }) => error)?.error;
      if (fault === undefined) {
        return docs.map(({ found, _source, _seq_no: seqNo, _primary_term: term }) =>
          found ? { value: _source!.value as T, version: { seqNo, term } } : undefined,
        );
      }
      // A node may not know yet that the index was made, or that a copy has moved.
      if (fault.type !== NO_SHARD || signal.aborted) throw new PriorartError('unavailable', fault.reason);
      await sleep(NO_SHARD_PAUSE_MS);
    }
  }

  write<T extends object>(
    id: string,
    value: T,
    known: DocumentVersion | undefined,
  ): Promise<DocumentVersion | undefined> {
    const path = `/${this.#index}/${known ? '_doc' : '_create'}/${encodeURIComponent(id)}`;
    const condition = known ? { if_seq_no: known.seqNo, if_primary_term: known.term } : {};
    return this.#asking(async (signal) => {
      const answer = await this.#client.request<{ status?: number; _seq_no: number; _primary_term: number }>(
        'PUT',
        path,
        { value },
        { signal, ignore: [CONFLICT], query: { ...condition, timeout: `${SHARED.waitMs}ms` } },
      );
      if (answer.status === CONFLICT) return undefined;
      return { seqNo: answer._seq_no, term: answer._primary_term };
    });
  }

  async putNumbered<T extends object>(documents: readonly NumberedDocument<T>[]): Promise<void> {
    const operations = documents.map(({ id, number, value }) => {
      const source: Source = { id, number, value };
      return {
        action: { index: { _index: this.#index, _id: id, version: number, version_type: 'external' } },
        document: JSON.stringify(source),
      };
    });
    await this.#asking(async (signal) => {
      for (const { status, error } of await this.#client.bulk(operations, signal))
        if (error && status !== CONFLICT) throw new PriorartError('unavailable', error.reason);
    });
  }

  async numberedAfter<T>(number: number): Promise<NumberedDocument<T>[]> {
    const found: NumberedDocument<T>[] = [];
    await this.#asking(async (signal) => {
      const path = `/${this.#index}/_refresh`;
      const { _shards } = await this.#client.request<{ _shards: { failed: number } }>(
        'POST',
        path,
        undefined,
        { signal },
      );
      if (_shards.failed > 0) throw new PriorartError('unavailable', 'a copy of the index was not refreshed');
    });
    let after: unknown[] | undefined;
    do {
      const body: Json = {
        size: PAGE,
        query: { range: { number: { gt: number } } },
        sort: [{ number: 'asc' }, { id: 'asc' }],
        track_total_hits: false,
        ...(after ? { search_after: after } : {}),
      };
      const { hits } = await this.#asking((signal) =>
        this.#client.search<Required<Source>>(`/${this.#index}/_search`, body, { signal }),
      );
      for (const { _source } of hits.hits) found.push(_source as NumberedDocument<T>);
      after = hits.hits.at(-1)?.sort;
    } while (after !== undefined);
    return found;
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  /** A call must not be answered as if it had no account or quota. */
  #asking<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return inTime('the cluster does not give accounts and quotas', work);
  }
}
