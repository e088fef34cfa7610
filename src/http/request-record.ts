/** Facts of a request at the time of its answer: for the request log, the metrics and the program's log. */
import type { ApiKey } from '../access/records.js';
import type { TraceContext } from './trace-context.js';

export interface RequestRecord {
  /** The route's `endpoint`; `none` if no route matched. */
  endpoint: string;
  method: string;
  /** The path as sent, if no route matched. */
  path?: string;
  /** 499 if the client disconnected before its answer. */
  status: number;
  /** From the request's head to the answer, ms. */
  ms: number;
  requestId: string;
  /** The caller's trace, if the request has one. */
  trace?: TraceContext;
  /** The caller's key if the route needs a key, including a deactivated key. */
  key?: ApiKey;
  /** The client's address. */
  client: string;
  /** Bytes of the answer's body before compression. */
  bytes: number;
  /** Number of results in the answer, for endpoints that count them. */
  resultCount?: number;
  /** X-Error-Code of the answer. */
  code?: string;
  /** The query of a search. It is for the request log only, and only if the operator turned this on. */
  query?: string;
}

/** Called once for each request that reached the app, for every outcome. Must not throw. */
export type RequestObserver = (finished: RequestRecord) => void;
