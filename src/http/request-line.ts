/** What is written of a request: a line of the program's log, and of the log of its key. */
import type { LoggedRequest } from '../access/log-records.js';
import type { RequestLog } from '../access/request-log.js';
import type { Logger } from '../observe/log.js';
import type { FinishedRequest } from './finished.js';
import { traceFields } from './trace-context.js';

const QUIET = new Set(['livez', 'readyz']);

export function logRequest(log: Logger, finished: FinishedRequest): void {
  const level = QUIET.has(finished.endpoint) ? 'debug' : 'info';
  if (!log.isLevelEnabled(level)) return;
  log[level](
    {
      request_id: finished.requestId,
      ...traceFields(finished.trace),
      method: finished.method,
      // The endpoint's name: a path that no route knows is a client's, and may hold anything.
      endpoint: finished.endpoint,
      status: finished.status,
      ms: Math.round(finished.ms * 100) / 100,
      key: finished.key?.id,
      client: finished.client,
    },
    'request',
  );
}

export function logForKey(requests: RequestLog, finished: FinishedRequest): void {
  const { key, requestId, endpoint, status, ms, client, resultCount, query } = finished;
  if (!key) return;
  const line: LoggedRequest = { key: key.id, time: Date.now(), requestId, endpoint, status, ms, client };
  if (resultCount !== undefined) line.resultCount = resultCount;
  if (query !== undefined) line.query = query;
  requests.add(line);
}
