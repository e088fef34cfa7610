/** Records of the log of requests: its input and its output. */

/** A request with a key, as input. */
export interface LoggedRequest {
  /** Id of the key. */
  key: string;
  /** ms since 1970. */
  time: number;
  requestId: string;
  endpoint: string;
  status: number;
  ms: number;
  client: string;
  resultCount?: number;
  query?: string;
  /** X-Error-Code of the answer. */
  code?: string;
}

/** Which lines of the log are wanted. An absent field allows every value. */
export interface LogFilter {
  /** A name, or its part before a dot: `mcp` allows `mcp.search_patents`, too. */
  endpoint?: string;
  /** An exact status, or `2xx` to `5xx`. */
  status?: string;
  /** First and last day, `YYYY-MM-DD` in UTC. */
  from?: string;
  to?: string;
}

/** A line of the log, as output. */
export interface LogLine {
  /** Id of the key; absent on the log of one key. */
  key?: string;
  /** ISO 8601, UTC. */
  time: string;
  request_id: string;
  endpoint: string;
  status: number;
  /** Why the request was refused, as in X-Error-Code; absent if it was answered. */
  error_code?: string;
  ms: number;
  client: string;
  result_count?: number;
  /** Present if the operator stores queries. */
  query?: string;
}

type Nullable<T> = { [Field in keyof T]: T[Field] | null };

/** A stored line as output. */
export function lineOf({
  time,
  requestId,
  endpoint,
  status,
  ms,
  client,
  resultCount,
  query,
  code,
}: Omit<LoggedRequest, OptionalField | 'key'> & Nullable<Pick<LoggedRequest, OptionalField>>): LogLine {
  return {
    time: new Date(time).toISOString(),
    request_id: requestId,
    endpoint,
    status,
    ...(isAbsent(code) ? {} : { error_code: code }),
    ms,
    client,
    ...(isAbsent(resultCount) ? {} : { result_count: resultCount }),
    ...(isAbsent(query) ? {} : { query }),
  };
}

type OptionalField = 'resultCount' | 'query' | 'code';

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** Begin of a day in ms since 1970, or of a day after it. */
export function dayStart(day: string | undefined, later: number): number | undefined {
  return day === undefined ? undefined : Date.parse(`${day}T00:00:00Z`) + later * 86_400_000;
}

export interface LogPage {
  /** With a filter, a page may have fewer lines than asked for, and others after it. */
  lines: LogLine[];
  /** Cursor of the next, older page; absent on the last page. */
  next?: string;
}

/** By the first digit of the status; `ok` is below 400. */
export interface UsageCounts {
  requests: number;
  ok: number;
  client_errors: number;
  server_errors: number;
}

export interface UsageRow extends UsageCounts {
  /** YYYY-MM-DD, UTC. */
  day: string;
  key: string;
  endpoint: string;
}

export const NO_COUNTS: UsageCounts = { requests: 0, ok: 0, client_errors: 0, server_errors: 0 };

export function addStatus(counts: UsageCounts, status: number): void {
  counts.requests++;
  if (status < 400) counts.ok++;
  else if (status < 500) counts.client_errors++;
  else counts.server_errors++;
}

export function addCounts(to: UsageCounts, more: UsageCounts): void {
  to.requests += more.requests;
  to.ok += more.ok;
  to.client_errors += more.client_errors;
  to.server_errors += more.server_errors;
}

/** How long and how large the log may be. */
export interface LogLimits {
  /** Absent: the value of earlier writers. */
  days?: number;
  megabytes: number;
}

/** Lines and counts of one write. A batch that was given to a store does not change. */
export interface LogBatch {
  lines: LoggedRequest[];
  usage: { at: [day: string, key: string, endpoint: string]; counts: UsageCounts }[];
}
