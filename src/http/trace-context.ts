/** W3C Trace Context: the caller's trace goes on through the log and the answer. */
import { randomBytes } from 'node:crypto';
import type { HttpRequest } from './adapters/adapter.js';

export interface TraceContext {
  /** 32 hexadecimal digits, the caller's. */
  traceId: string;
  /** 16, the caller's span. */
  parentId: string;
  /** 16, this request's own. */
  spanId: string;
  /** What the answer's `traceparent` says. */
  header: string;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Undefined if the caller sent none or an invalid one: a new trace starts then. */
export function traceOf(request: Pick<HttpRequest, 'headers'>): TraceContext | undefined {
  const sent = request.headers['traceparent'];
  if (sent === undefined) return undefined;
  const match = TRACEPARENT.exec(sent.trim());
  if (!match) return undefined;
  const [, version, traceId = '', parentId = '', flags, more] = match;
  // Later versions may add fields, this one has none; `ff` is no version.
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined;
  const spanId = randomBytes(8).toString('hex');
  return { traceId, parentId, spanId, header: `00-${traceId}-${spanId}-${flags}` };
}

/** As log lines name them: those of OpenTelemetry. */
export function traceFields(trace: TraceContext | undefined): Record<string, string> {
  if (trace === undefined) return {};
  return { trace_id: trace.traceId, span_id: trace.spanId, parent_span_id: trace.parentId };
}
