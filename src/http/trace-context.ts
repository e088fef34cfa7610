/** W3C Trace Context: continues the caller's trace in the log and the answer. */
import { randomBytes } from 'node:crypto';
import type { HttpRequest } from './adapters/adapter.js';

export interface TraceContext {
  /** The caller's trace id, 32 hexadecimal digits. */
  traceId: string;
  /** The caller's span id, 16 hexadecimal digits. */
  parentId: string;
  /** Span id of this request, 16 hexadecimal digits. */
  spanId: string;
  /** The `traceparent` header of the answer. */
  header: string;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Undefined if the caller sent no trace or an invalid one. A new trace then starts. */
export function traceOf(request: Pick<HttpRequest, 'headers'>): TraceContext | undefined {
  const sent = request.headers['traceparent'];
  if (sent === undefined) return undefined;
  const match = TRACEPARENT.exec(sent.trim());
  if (!match) return undefined;
  const [, version, traceId = '', parentId = '', flags, more] = match;
  // Later versions may add fields; version 00 has none. `ff` is not a valid version.
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined;
  const spanId = randomBytes(8).toString('hex');
  return { traceId, parentId, spanId, header: `00-${traceId}-${spanId}-${flags}` };
}

/** Fields of log lines, with the names of OpenTelemetry. */
export function traceFields(trace: TraceContext | undefined): Record<string, string> {
  if (trace === undefined) return {};
  return { trace_id: trace.traceId, span_id: trace.spanId, parent_span_id: trace.parentId };
}
