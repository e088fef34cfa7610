/** What the log of requests holds: as it comes in, and as it is shown. */

/** A request with a key, as it comes in. */
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
}

/** A line as it is shown. */
export interface LogLine {
  /** ISO 8601, UTC. */
  time: string;
  request_id: string;
  endpoint: string;
  status: number;
  ms: number;
  client: string;
  result_count?: number;
  /** Where the operator has queries kept. */
  query?: string;
}

export interface LogPage {
  lines: LogLine[];
  /** Cursor of the next, older page, where there is one. */
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

/** How much of the log is kept. */
export interface LogLimits {
  /** As the writers before did where absent. */
  days?: number;
  megabytes: number;
}

/** What is written at once. */
export interface LogBatch {
  lines: LoggedRequest[];
  usage: { at: [day: string, key: string, endpoint: string]; counts: UsageCounts }[];
}
