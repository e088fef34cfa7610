/**
 * A running server for the tests of the API's clauses: real HTTP and key store, and an engine that answers from
 * memory and records its requests.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'node:test';
import { AccessStore } from '../../src/access/store.js';
import type { DrawingStore } from '../../src/drawings/store.js';
import { Engine, serverPort } from '../../src/engine.js';
import type { AskedBy, EnginePort } from '../../src/engine-port.js';
import { PriorartError } from '../../src/errors.js';
import type { DocumentFetch } from '../../src/http/oauth/document-fetch.js';
import { type Server, type ServerParts, startServer } from '../../src/http/server.js';
import { createLog } from '../../src/observe/log.js';
import type { Metrics } from '../../src/observe/metrics.js';
import type { AnalyticsQuery, DetailsQuery, SemanticQuery } from '../../src/search/query.js';
import type {
  AnalyticsResponse,
  Body,
  DetailsResponse,
  SearchResult,
  TaggedBody,
} from '../../src/search/types.js';
import { ADAPTERS, type AdapterName } from '../adapters.js';

/** Raised limits, because these tests exceed those of a client. */
const NO_LIMITS = { rateLimit: 1_000_000, publicRateLimit: 1_000_000 };
/** Settings of a server for tests, but for its adapter. */
export const LOCAL = { host: '127.0.0.1', port: 0, deadlineMs: 10_000, shutdownGraceMs: 1_000 } as const;
export const SEMANTIC = '/api/v1/search/semantic';
export const ANALYTICS = '/api/v1/search/semantic-analytics';
export const DETAILS = '/api/v1/patents/details';
export const COVERAGE = '/api/v1/stats/coverage';

const RESULTS: SearchResult[] = Array.from({ length: 100 }, (_, i) => ({
  patent_id: `KR${1020200000000 + i}A`,
  title: `연료 전지 ${i}`,
  applicant: 'Example Co.',
  filing_date: '2020-01-01',
  publication_date: '2021-07-01',
  ipc_codes: ['H01M 8/04'],
  kind_code: 'A',
  country: 'KR',
  similarity_score: 1 - i / 200,
  rerank_score: 5 - i,
  chunks: [],
}));

/** An engine that answers from memory. A test can replace each method. */
export class MemoryEngine implements EnginePort {
  readonly queries: SemanticQuery[] = [];
  readonly signals: AbortSignal[] = [];
  missing: string[] = [];
  search = async (query: SemanticQuery): Promise<Uint8Array> => {
    const results = RESULTS.slice(0, query.topK);
    return Buffer.from(JSON.stringify({ total: results.length, results }));
  };

  async searchBody(query: SemanticQuery, options: AskedBy): Promise<Body> {
    this.queries.push(query);
    if (options.signal) this.signals.push(options.signal);
    const json = await this.search(query);
    return { json, results: Math.min(RESULTS.length, query.topK) };
  }

  readonly analyticsQueries: AnalyticsQuery[] = [];
  readonly detailsQueries: DetailsQuery[] = [];
  analytics = async (query: AnalyticsQuery): Promise<Body> => {
    const from = (query.page - 1) * query.pageSize;
    const results = RESULTS.slice(from, from + query.pageSize).map(
      ({ rerank_score: _, chunks: __, ...result }) => ({ ...result, chunk_text: 'text' }),
    );
    const response: AnalyticsResponse = {
      query: query.query,
      total_matched: RESULTS.length,
      min_score_used: query.minScore,
      page: query.page,
      page_size: query.pageSize,
      total_pages: Math.ceil(RESULTS.length / query.pageSize),
      stats: {},
      results,
    };
    return { json: Buffer.from(JSON.stringify(response)), results: results.length };
  };
  details = async (query: DetailsQuery): Promise<TaggedBody> => {
    const patents = query.patentIds.map((patent_id) => ({ patent_id, error: 'not_found' as const }));
    const response: DetailsResponse = { patents };
    return { json: Buffer.from(JSON.stringify(response)), etag: `"${query.patentIds.length}"` };
  };
  coverage: () => TaggedBody | Promise<TaggedBody> = () => ({
    json: Buffer.from('{"total":100}'),
    etag: '"coverage"',
  });

  async analyticsBody(query: AnalyticsQuery, options: AskedBy): Promise<Body> {
    this.analyticsQueries.push(query);
    if (options.signal) this.signals.push(options.signal);
    return this.analytics(query);
  }

  async detailsBody(query: DetailsQuery, options: AskedBy): Promise<TaggedBody> {
    this.detailsQueries.push(query);
    if (options.signal) this.signals.push(options.signal);
    return this.details(query);
  }

  coverageBody(): TaggedBody | Promise<TaggedBody> {
    return this.coverage();
  }

  /** Drawings by `publication/file`, as in the store. */
  readonly drawings = new Map<string, string>();
  findDrawing(publication: string, file: string): string {
    const content = this.drawings.get(`${publication}/${file}`);
    if (content === undefined) throw new PriorartError('not_found', 'there is no such drawing');
    return content;
  }

  ready(): { ready: boolean; missing: string[] } {
    return { ready: this.missing.length === 0, missing: this.missing };
  }
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  json: any;
}

export class Service {
  readonly engine: MemoryEngine;
  readonly logLines: string[] = [];
  readonly #ends: (() => Promise<unknown>)[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), 'priorart-api-'));
  access!: AccessStore;
  server!: Server;
  key = '';
  keyId = '';

  private constructor(engine: MemoryEngine) {
    this.engine = engine;
  }

  /**
   * @param parts engine and drawings, real or replaced
   * @param prepare called with the access store's folder before the server starts
   */
  static async start(
    adapter: AdapterName,
    deadlineMs = 10_000,
    parts: {
      engine?: EnginePort | Engine;
      drawings?: DrawingStore;
      metrics?: Metrics;
      fetchDocument?: DocumentFetch;
    } = {},
    settings: Partial<ServerParts['config']> = {},
    prepare: (accessFolder: string) => void = () => {},
  ): Promise<Service> {
    const memory = new MemoryEngine();
    const service = new Service(memory);
    service.access = AccessStore.open(service.accessFolder);
    const account = await service.access.createAccount({ name: 'Example', plan: 'enterprise' });
    const made = await service.access.createKey({ account: account.id, environment: 'test', name: 'test' });
    service.key = made.secret;
    service.keyId = made.id;
    prepare(service.accessFolder);
    service.server = await startServer({
      engine: parts.engine instanceof Engine ? serverPort(parts.engine) : (parts.engine ?? memory),
      ...(parts.drawings ? { drawings: parts.drawings } : {}),
      ...(parts.metrics ? { metrics: parts.metrics } : {}),
      ...(parts.fetchDocument ? { fetchDocument: parts.fetchDocument } : {}),
      access: service.access,
      log: createLog('debug', { write: (line) => void service.logLines.push(line) }),
      config: {
        ...LOCAL,
        httpAdapter: adapter,
        deadlineMs,
        ...NO_LIMITS,
        ...settings,
      },
    });
    return service;
  }

  get accessFolder(): string {
    return join(this.#folder, 'access');
  }

  async call(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(this.server.url + path, init);
    const text = await response.text();
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      json = undefined;
    }
    return { status: response.status, headers: response.headers, text, json };
  }

  /** Sends a semantic search with a valid key, unless the headers override it. An undefined header is omitted. */
  search(
    body: unknown,
    headers: Record<string, string | undefined> = {},
    init: RequestInit = {},
  ): Promise<Answer> {
    return this.post(SEMANTIC, body, headers, init);
  }

  /** Sends a POST to any path, as `search` does. */
  post(
    path: string,
    body: unknown,
    headers: Record<string, string | undefined> = {},
    init: RequestInit = {},
  ): Promise<Answer> {
    const all = { 'x-api-key': this.key, 'content-type': 'application/json', ...headers };
    const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const raw = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
    return this.call(path, { method: 'POST', headers: given, body: raw, ...init });
  }

  /** Adds what has to end before the folder is removed. */
  beforeStop(end: () => Promise<unknown>): void {
    this.#ends.push(end);
  }

  async stop(): Promise<void> {
    for (const end of this.#ends) await end();
    await this.server.close();
    await this.access.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Runs the same tests on each adapter. */
export function onEachAdapter(clause: string, tests: (adapter: AdapterName) => void): void {
  for (const adapter of ADAPTERS) describe(`${clause} (${adapter})`, () => tests(adapter));
}
