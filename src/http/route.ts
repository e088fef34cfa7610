/**
 * The type of an endpoint. Each endpoint has a folder under routes/, with its schema, operation and examples.
 * app.ts lists the endpoints.
 */

import type { CallLimits } from '../access/call-limits.js';
import type { Account, ApiKey } from '../access/records.js';
import type { DrawingStore } from '../drawings/store.js';
import type { EnginePort } from '../engine-port.js';
import type { Figures } from '../observe/figures.js';
import type { Logger } from '../observe/log.js';
import type { HttpReply, HttpRequest } from './adapters/adapter.js';
import type { TokenCheck } from './admission/access-token.js';
import type { Administration } from './admission/administrator.js';
import type { KeyCheck } from './admission/api-key.js';
import type { PageSessions } from './admission/page-session.js';
import type { McpEndpoint } from './mcp-endpoint.js';
import type { EmbeddedOAuth } from './oauth/embedded.js';
import type { Operation } from './openapi/operation.js';
import type { RequestObserver } from './request-record.js';

/** The services of the handlers, created once per server. */
export interface Services {
  engine: EnginePort;
  access: KeyCheck;
  limits: CallLimits;
  /** If absent, the endpoints of the administration answer 404. */
  admin?: Administration;
  log: Logger;
  /** The drawings that links point to; absent: no drawings. */
  drawings?: DrawingStore | undefined;
  /** The MCP front end; absent: its endpoints answer 404. */
  mcp?: McpEndpoint | undefined;
  /** Sessions of the web page; absent: there is no page, and its paths answer 404. */
  page?: PageSessions | undefined;
  /** Checks tokens of an authorization server; absent: API keys only. */
  oauth?: TokenCheck | undefined;
  /** The embedded authorization server; absent: its endpoints answer 404. */
  authorization?: EmbeddedOAuth | undefined;
  /** Address of this server for clients; undefined if it is not configured. */
  publicUrl?: string | undefined;
  /** Longest time of a search, ms. */
  deadlineMs: number;
  /** The figures of this server for its operator; absent: its endpoint answers 404. */
  figures?: (() => Figures) | undefined;
  /** Set when the server begins to shut down. */
  lifecycle: { draining: boolean };
  /** Receives every request at the time of its answer. */
  observe: RequestObserver;
}

export interface Call {
  request: HttpRequest;
  /** X-Request-Id of the answer and of the log. */
  requestId: string;
  services: Services;
  /** The decoded parts of the path for the route's `{names}`. */
  parameters: Readonly<Record<string, string>>;
  /** The account that is signed in, on routes with access `account`. */
  account: Account | undefined;
  /** The caller's key, on routes with access `key`. */
  key: ApiKey | undefined;
  /**
   * Checks again whether the session of the call goes on. It may end while a client holds its body back.
   * @throws PriorartError `unauthorized`
   */
  checkSession(): void;
  /**
   * Reserves one search in the account's monthly quota. Call this between validation and work. The app counts
   * the search if the answer is a 200, and releases it otherwise.
   * @param query the query of the search, for the request log if operators store queries
   * @throws PriorartError `quota_exceeded`, `unavailable`, as a rejection
   */
  reserveQuota(query: string): Promise<void>;
  /**
   * Answers a further request of this caller by the same routes, with its quota and its line in the log. The rate limit
   * counts it with this call.
   */
  further(request: HttpRequest, options: FurtherOptions): Promise<HttpReply>;
  /**
   * Counts more calls in the rate limit, for a call that holds several.
   * @throws PriorartError `rate_limited`, `unavailable`, as a rejection
   */
  countCalls(more: number): Promise<void>;
}

export interface FurtherOptions {
  /** Its name in logs and metrics, instead of the route's. */
  endpoint: string;
  /** Whether it has a line in the log. If it has, this call has none, unless this call fails by itself. */
  isLogged: boolean;
}

export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** A segment in braces matches any one segment: `/api/v1/drawings/{publication_id}/{filename}`. */
  path: string;
  /** Short and stable name of this endpoint in request logs, usage counters and metrics. */
  endpoint: string;
  /**
   * `key` needs X-API-Key. `public` needs no key. `health` is public, without limits and with quiet logs.
   * `admin` needs the administrator's secret or session. `account` needs the session of an account, not that of a
   * visitor; its limit equals the limit of `public`. `signed` has a signature of this server in its URL;
   * its limit equals the limit of `public`, but is counted separately.
   */
  access: 'key' | 'public' | 'health' | 'admin' | 'account' | 'signed';
  /** Whether `Authorization: Bearer` may hold the key, or a token of the authorization server. For MCP clients. */
  takesBearer?: true;
  /** Whether a session of the web page, with the header X-Priorart-Page, may stand in for X-API-Key. */
  takesSession?: true;
  /** Whether it is answered during maintenance. `health` and `admin` always are. For the files of the web page. */
  duringMaintenance?: true;
  /** Its description in the OpenAPI document; absent for files of the page, and for the endpoints of MCP and OAuth. */
  operation?: Operation;
  handle(call: Call): HttpReply | Promise<HttpReply>;
}

/** A 200 with a JSON body. */
export function jsonReply(body: Uint8Array | string): HttpReply {
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}
