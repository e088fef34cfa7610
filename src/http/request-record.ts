/** What is known of a request when its answer is made: for the request log, the metrics and the program's log. */
import type { ApiKey } from '../access/records.js';
import type { TraceContext } from './trace-context.js';

export interface RequestRecord {
  /** The route's `endpoint`; `none` where no route took the request. */
  endpoint: string;
  method: string;
  /** As it was sent, where nothing was found there. */
  path?: string;
  /** 499 where the client went away before its answer. */
  status: number;
  /** From the request's head to the answer, ms. */
  ms: number;
  requestId: string;
  /** The caller's trace, where it sent one. */
  trace?: TraceContext;
  /** The caller's key, where one was needed; also one that is deactivated. */
  key?: ApiKey;
  /** The client's address. */
  client: string;
  /** Of the answer's body, before any compression. */
  bytes: number;
  /** Results in the answer, of endpoints that count them. */
  resultCount?: number;
  /** What was searched for. Goes to the request log only, and only where the operator turned that on. */
  query?: string;
}

/** Called once for each request that reached the app, whatever became of it. Must not throw. */
export type RequestObserver = (finished: RequestRecord) => void;
