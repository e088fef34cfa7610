/** What an endpoint is. Each lives in a folder under routes/, beside its schema, its operation and its examples; app.ts lists them. */

import type { CallLimits } from '../access/call-limits.js';
import type { ApiKey } from '../access/records.js';
import type { DrawingStore } from '../drawings/store.js';
import type { EnginePort } from '../engine-port.js';
import type { Logger } from '../observe/log.js';
import type { HttpReply, HttpRequest } from './adapters/adapter.js';
import type { Administration } from './admission/administrator.js';
import type { KeyCheck } from './admission/api-key.js';
import type { Operation } from './openapi/operation.js';
import type { RequestObserver } from './request-record.js';

/** What the handlers work with, made once per server. */
export interface Services {
  engine: EnginePort;
  access: KeyCheck;
  limits: CallLimits;
  /** Without it, the endpoints of the administration answer 404. */
  admin?: Administration;
  log: Logger;
  /** Where drawings are linked to; absent: none is there. */
  drawings?: DrawingStore | undefined;
  /** Address of this server as clients see it; undefined where nobody says. */
  publicUrl?: string | undefined;
  /** Longest a search may take, ms. */
  deadlineMs: number;
  /** Set when the server begins to shut down. */
  lifecycle: { draining: boolean };
  /** Told of every request when its answer is made. */
  observe: RequestObserver;
}

export interface Call {
  request: HttpRequest;
  /** In X-Request-Id of the answer and in the log. */
  requestId: string;
  services: Services;
  /** Parts of the path that the route's `{names}` stand for, decoded. */
  parameters: Readonly<Record<string, string>>;
  /** The caller's key, on routes with access `key`. */
  key: ApiKey | undefined;
  /**
   * Takes one search out of the account's monthly quota, to be called between validation and work. The app
   * counts it when the answer is a 200 and gives it back otherwise.
   * @param query what is searched for, for the request log of operators that want it there
   * @throws PriorartError `quota_exceeded`, `unavailable` by the promise
   */
  reserveQuota(query: string): Promise<void>;
}

export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Segments in braces match any one segment: `/api/v1/drawings/{publication_id}/{filename}`. */
  path: string;
  /** Short and stable: the name of this endpoint in request logs, usage counters and metrics. */
  endpoint: string;
  /**
   * `key` needs X-API-Key; `public` does not; `health` is public, without limits and logged quietly; `admin`
   * needs the administrator's secret or session; `signed` carries a signature of ours in its URL; its limit is like that of `public`, but counted apart.
   */
  access: 'key' | 'public' | 'health' | 'admin' | 'signed';
  /** What the OpenAPI document says of it; absent: it is a file of the page that shows the document. */
  operation?: Operation;
  handle(call: Call): HttpReply | Promise<HttpReply>;
}

/** A 200 with a JSON body. */
export function jsonReply(body: Uint8Array | string): HttpReply {
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}
