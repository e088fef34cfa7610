/**
 * Requests to the cluster. A request that fails for its node is sent to the next node. An answer that lacks a shard is an
 * error.
 */
import type { Client, errors } from '@opensearch-project/opensearch';
import { SETTINGS } from '../config.js';
import { PriorartError } from '../errors.js';
import { quietConnection } from './connection.js';
import { type Library, loadLibrary } from './library.js';
import type { ClusterSettings } from './settings.js';

/** Requests that are sent to other nodes after a failure. */
const RETRIES = 3;
/** Time for which a state stays readable between two requests. */
const KEPT = '2m';

export type Json = Record<string, unknown>;

export interface Hit<Source = Json> {
  _id: string;
  _score: number | null;
  _source?: Source;
  _seq_no?: number;
  _primary_term?: number;
  fields?: Record<string, unknown[]>;
  sort?: unknown[];
}

export interface SearchAnswer<Source = Json> {
  hits: { total?: { value: number; relation: 'eq' | 'gte' }; hits: Hit<Source>[] };
  aggregations?: Record<string, Json>;
  timed_out: boolean;
  _shards: { total: number; failed: number; failures?: { reason?: { reason?: string } }[] };
}

/** One operation of a bulk request: its line, and the document's line if it has one. */
export interface BulkOperation {
  action: Json;
  document?: string;
}

/** The outcome of one operation. */
export interface BulkItem {
  status: number;
  error?: { type: string; reason: string };
  result?: string;
}

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  query?: Record<string, string | number | boolean>;
  /** Statuses that are answers and no errors. */
  ignore?: number[];
}

export class ClusterClient {
  readonly #client: Client;
  readonly #errors: typeof errors;
  readonly #beside = new Set<Promise<void>>();
  readonly settings: ClusterSettings;

  private constructor(library: Library, settings: ClusterSettings) {
    const { nodes, username, password, ca, timeoutMs } = settings;
    this.settings = settings;
    this.#errors = library.errors;
    this.#client = new library.Client({
      nodes: [...nodes],
      Connection: quietConnection(library),
      maxRetries: RETRIES,
      requestTimeout: timeoutMs,
      // It searches megabytes of text for names that are harmless here: no answer is merged into an object.
      disablePrototypePoisoningProtection: true,
      ...(username === undefined ? {} : { auth: { username, password: password ?? '' } }),
      ...(ca === undefined ? {} : { ssl: { ca, rejectUnauthorized: true } }),
    });
  }

  /** @throws PriorartError `unavailable` if the library is not installed */
  static async open(settings: ClusterSettings): Promise<ClusterClient> {
    return new ClusterClient(await loadLibrary(), settings);
  }

  /** @throws PriorartError `unavailable`, `overloaded`, `cancelled`, `internal` */
  async request<T = Json>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD',
    path: string,
    body?: Json,
    { signal, query, ignore = [] }: RequestOptions = {},
  ): Promise<T> {
    return (await this.#send({ method, path, body, querystring: query ?? {} }, { signal, ignore })) as T;
  }

  /** A search of all shards. @throws PriorartError as `request`; `unavailable` if a shard did not answer */
  async search<Source = Json>(
    path: string,
    body: Json,
    options: RequestOptions = {},
  ): Promise<SearchAnswer<Source>> {
    const query = { allow_partial_search_results: false, ...options.query };
    const answer = await this.request<SearchAnswer<Source>>('POST', path, body, { ...options, query });
    return checkAnswer(answer, path);
  }

  /** The answers of several searches, by one request. @throws PriorartError as `search`, if one of them fails */
  async searchAll<Source = Json>(
    bodies: readonly Json[],
    signal?: AbortSignal,
  ): Promise<SearchAnswer<Source>[]> {
    if (bodies.length === 0) return [];
    const head = JSON.stringify({ allow_partial_search_results: false });
    const lines = bodies.flatMap((body) => [head, JSON.stringify(body)]);
    const request = { method: 'POST', path: '/_msearch', bulkBody: `${lines.join('\n')}\n` };
    const { responses } = (await this.#send(request, { signal, ignore: [] })) as {
      responses?: (SearchAnswer<Source> & { status?: number; error?: CauseOfError })[];
    };
    if (responses?.length !== bodies.length) throw noAnswer(request.path);
    return responses.map((answer) => {
      if (answer.error) throw ofStatus(answer.status ?? 0, answer.error);
      return checkAnswer(answer, request.path);
    });
  }

  /** Makes what was written visible to searches. @throws PriorartError `unavailable` if a shard does not */
  async refresh(index: string): Promise<void> {
    const answer = await this.request<{ _shards?: ShardCounts }>('POST', `/${index}/_refresh`);
    if (answer?._shards === undefined) throw noAnswer(index);
    checkShards(answer._shards);
  }

  /** @returns the outcome of each operation, in their order */
  async bulk(operations: readonly BulkOperation[], signal?: AbortSignal): Promise<BulkItem[]> {
    if (operations.length === 0) return [];
    const lines = operations.flatMap(({ action, document }) =>
      document === undefined ? [JSON.stringify(action)] : [JSON.stringify(action), document],
    );
    // Before this client gives up, the cluster says which documents it did not take.
    const querystring = { timeout: `${Math.ceil(this.settings.timeoutMs / 2)}ms` };
    const request = { method: 'POST', path: '/_bulk', bulkBody: `${lines.join('\n')}\n`, querystring };
    const answer = (await this.#send(request, { signal, ignore: [] })) as {
      items?: Record<string, BulkItem>[];
    };
    if (answer?.items?.length !== operations.length) throw noAnswer(request.path);
    return answer.items.map((item) => Object.values(item)[0]!);
  }

  /** Runs work on one state of an index, in which later changes are invisible. */
  async atOneState<T>(
    index: string,
    work: (state: OneState) => Promise<T>,
    signal?: AbortSignal,
    kept?: string,
  ): Promise<T> {
    const state = await this.openState(index, signal, kept);
    try {
      return await work(state);
    } finally {
      state.release();
    }
  }

  /**
   * Opens one state of an index. The caller must release it.
   * @param kept time for which it stays readable between two requests
   */
  async openState(index: string, signal?: AbortSignal, kept = KEPT): Promise<OneState> {
    if (signal?.aborted) throw cancelled();
    const query = { keep_alive: kept, allow_partial_pit_creation: false };
    const path = `/${index}/_search/point_in_time`;
    // The request is not cut off by the signal: the cluster would keep a state that no client can release.
    const { pit_id: id } = await this.request<{ pit_id?: string }>('POST', path, undefined, { query });
    if (id === undefined) throw noAnswer(path);
    const state = new OneState(this, id, signal, kept);
    if (!signal?.aborted) return state;
    state.release();
    throw cancelled();
  }

  /** Resolves when the requests of `beside` have ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#beside);
  }

  /** Waits, at the latest in `close`, for the end of a request whose answer no caller needs. */
  beside(request: Promise<unknown>): void {
    const ended = request.then(
      () => {},
      () => {},
    );
    this.#beside.add(ended);
    void ended.then(() => this.#beside.delete(ended));
  }

  async close(): Promise<void> {
    await this.idle();
    await this.#client.close();
  }

  async #send(
    request: Json & { method: string; path: string },
    { signal, ignore }: { signal: AbortSignal | undefined; ignore: number[] },
  ): Promise<unknown> {
    if (signal?.aborted) throw cancelled();
    const sent = this.#client.transport.request(request, { ignore });
    const abort = () => {
      // It returns the request, whose rejection Node would throw if the listener returned it.
      (sent as unknown as { abort(): unknown }).abort();
    };
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return (await sent).body;
    } catch (error) {
      throw signal?.aborted ? cancelled() : this.#translated(error);
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** The addresses of the nodes, without what an address may say of a user. */
  get #addresses(): string {
    return this.settings.nodes.map((node) => new URL(node).origin).join(', ');
  }

  #translated(error: unknown): unknown {
    const { ConnectionError, NoLivingConnectionsError, OpenSearchClientError, TimeoutError, ResponseError } =
      this.#errors;
    if (error instanceof ResponseError) return ofResponse(error);
    if (error instanceof TimeoutError) {
      return unavailable(`the cluster did not answer in time at ${this.#addresses}`, error);
    }
    if (error instanceof ConnectionError || error instanceof NoLivingConnectionsError) {
      return unreachable(this.#addresses, error);
    }
    if (error instanceof OpenSearchClientError) {
      return unavailable(`the answer of the cluster cannot be read: ${error.message}`, error);
    }
    return error;
  }
}

/** What a node says of a failure. */
interface CauseOfError {
  type?: string;
  reason?: string;
  root_cause?: CauseOfError[];
  caused_by?: CauseOfError;
}

/** Whether a request has more clauses than a query of the cluster may have. */
function hasTooManyClauses({ type = '', root_cause = [], caused_by }: CauseOfError): boolean {
  const causes = [...root_cause, ...(caused_by ? [caused_by] : [])];
  return /^too_many_(nested_)?clauses$/.test(type) || causes.some(hasTooManyClauses);
}

function checkAnswer<Source>(answer: SearchAnswer<Source>, path: string): SearchAnswer<Source> {
  if (answer?._shards === undefined || answer.hits === undefined) throw noAnswer(path);
  if (answer.timed_out) throw new LostState('a shard of the cluster was too slow');
  checkShards(answer._shards);
  return answer;
}

interface ShardCounts {
  failed: number;
  failures?: { reason?: { reason?: string } }[];
}

/** @throws LostState if a shard did not do what was asked */
function checkShards({ failed, failures }: ShardCounts): void {
  if (failed === 0) return;
  const reason = failures?.[0]?.reason?.reason;
  throw new LostState(`${failed} shards of the cluster did not answer${reason ? `: ${reason}` : ''}`);
}

/** The cluster answers, but a shard of the state that is read does not. Another state may be whole. */
export class LostState extends PriorartError {
  constructor(message: string, cause?: unknown) {
    super('unavailable', message, { retryAfter: 1, ...(cause ? { cause } : {}) });
  }
}

/** Searches of one state of an index. */
export class OneState {
  /** For what is not of this state: documents of other indexes, as they are now. */
  readonly client: ClusterClient;
  readonly #id: string;
  readonly signal: AbortSignal | undefined;
  readonly #kept: string;

  constructor(client: ClusterClient, id: string, signal: AbortSignal | undefined, kept: string) {
    this.client = client;
    this.#id = id;
    this.signal = signal;
    this.#kept = kept;
  }

  /** Frees what the cluster keeps for this state. */
  release(): void {
    // It expires by itself if the cluster does not hear this.
    this.client.beside(this.client.request('DELETE', '/_search/point_in_time', { pit_id: [this.#id] }));
  }

  search<Source = Json>(body: Json): Promise<SearchAnswer<Source>> {
    return this.client.search<Source>('/_search', this.#of(body), { signal: this.signal });
  }

  /** The answers of several searches, by one request. */
  searchAll<Source = Json>(bodies: readonly Json[]): Promise<SearchAnswer<Source>[]> {
    return this.client.searchAll<Source>(
      bodies.map((body) => this.#of(body)),
      this.signal,
    );
  }

  #of(body: Json): Json {
    return { ...body, pit: { id: this.#id, keep_alive: this.#kept } };
  }
}

/** The error for an answer that is none. */
function ofResponse(error: errors.ResponseError): PriorartError {
  const cause = (error.body as { error?: CauseOfError })?.error ?? {};
  return ofStatus(error.statusCode ?? 0, cause, error);
}

function ofStatus(status: number, found: CauseOfError, error?: errors.ResponseError): PriorartError {
  const said = [found.type, found.reason].filter(Boolean).join(': ') || error?.message;
  const cause = error === undefined ? {} : { cause: error };
  if (hasTooManyClauses(found)) return new PriorartError('invalid_request', TOO_MANY_CLAUSES, cause);
  if (status === 429) {
    return new PriorartError('overloaded', `the cluster is overloaded: ${said}`, { ...cause, retryAfter: 1 });
  }
  if (status === 401 || status === 403) {
    return unavailable(`the cluster refused the credentials (${status}): ${said}`, error);
  }
  if (status >= 500 || status === 0 || status === 404) {
    return new LostState(`the cluster answered ${status}: ${said}`, error);
  }
  return new PriorartError('internal', `the cluster refused a request (${status}): ${said}`, cause);
}

const TOO_MANY_CLAUSES =
  'the words and filters of this request need more clauses than the cluster takes in a query ' +
  '(indices.query.bool.max_clause_count, 1,024 by default); use fewer or shorter must_terms and must_not_terms, ' +
  'without translate_terms, or a shorter query';

/** The error for an answer of something else than a cluster, such as a proxy. */
function noAnswer(path: string): PriorartError {
  return unavailable(`what answered ${path} is no OpenSearch; check the addresses of the nodes`);
}

/** The values of requests that run at the same time. Rejects when all have ended, with the first failure in their order. */
export async function together<T extends readonly unknown[]>(
  requests: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  const ends = await Promise.allSettled(requests);
  return ends.map((end) => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  }) as unknown as T;
}

export function unavailable(message: string, cause?: unknown): PriorartError {
  return new PriorartError('unavailable', message, { retryAfter: 1, ...(cause ? { cause } : {}) });
}

function unreachable(addresses: string, cause: Error): PriorartError {
  const [remedy, { flag, env }] = /certificate/i.test(cause.message)
    ? ['check the certificates of the nodes, and that of their authority', SETTINGS.opensearchCa]
    : ['start the cluster, or correct its addresses', SETTINGS.opensearchNodes];
  const message = `no node of the cluster can be reached at ${addresses} (${cause.message}); ${remedy}`;
  const inCommand = `${message}: ${flag.split(' ')[0]}, or ${env}`;
  return new PriorartError('unavailable', message, { retryAfter: 1, cause, inCommand });
}

function cancelled(): PriorartError {
  return new PriorartError('cancelled', 'the call was cancelled');
}
