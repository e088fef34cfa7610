/** The lines of a request: in the program's log, and in the log of its key. */
import type { LoggedRequest } from '../access/log-records.js';
import type { RequestLog } from '../access/request-log.js';
import { LOG_FIELD_MAX_CHARS } from '../limits.js';
import type { LineWriter } from '../observe/log.js';
import type { RequestRecord } from './request-record.js';
import { traceFields } from './trace-context.js';

const QUIET = new Set(['livez', 'readyz']);

export function logRequest(write: LineWriter, record: RequestRecord): void {
  const { requestId, trace, method, path, endpoint, status, ms, key, client, code } = record;
  const text = JSON.stringify;
  let members = `"request_id":${text(requestId)}`;
  if (trace) members += `,${text(traceFields(trace)).slice(1, -1)}`;
  // The name of the endpoint: a path comes from the client and may contain anything. The path is logged only
  // if no endpoint was found. A method comes from the client, too, if the adapter is uWebSockets.js.
  members += `,"method":${inAscii(method)},"endpoint":${text(endpoint)},"status":${status}`;
  if (code !== undefined) members += `,"error_code":${text(code)}`;
  if (path !== undefined) members += `,"path":${inAscii(path)}`;
  members += `,"ms":${Math.round(ms * 100) / 100}`;
  if (key) members += `,"key":${text(key.id)}`;
  members += `,"client":${text(client)}`;
  write(QUIET.has(endpoint) ? 'debug' : 'info', members, 'request');
}

/** A client's text as JSON, limited in length and in ASCII. */
function inAscii(text: string): string {
  const shown = text.length > LOG_FIELD_MAX_CHARS ? `${text.slice(0, LOG_FIELD_MAX_CHARS)}…` : text;
  return JSON.stringify(shown).replace(
    /[^\x20-\x7e]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function logForKey(requests: RequestLog, record: RequestRecord): void {
  const { key, requestId, endpoint, status, ms, client, resultCount, query, code } = record;
  if (!key) return;
  const line: LoggedRequest = { key: key.id, time: Date.now(), requestId, endpoint, status, ms, client };
  if (resultCount !== undefined) line.resultCount = resultCount;
  if (query !== undefined) line.query = query;
  if (code !== undefined) line.code = code;
  requests.add(line);
}
