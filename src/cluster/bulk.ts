/** Writes in bulk, at the pace that the cluster takes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isPriorartError, PriorartError } from '../errors.js';
import { type BulkItem, type BulkOperation, type ClusterClient, LostState, unavailable } from './client.js';

/** Attempts at an operation that the cluster does not take now, and the first wait, ms. Each wait is twice as long. */
const ATTEMPTS = 8;
const WAIT_MS = 200;
/** Milliseconds between two attempts while the index takes no writes, and for which they go on. */
const BLOCKED_MS = 1_000;
const BLOCKED_MOST_MS = 10 * 60_000;
const FORBIDDEN = 403;
/** What the cluster says of an index that takes no writes. A missing permission has the same status. */
const BLOCK = 'cluster_block_exception';
const NO_INDEX = 'index_not_found_exception';
const CONFLICT = 409;
const BUSY = 429;
/** A shard has no copy that takes writes, or the node that has it left. */
const UNAVAILABLE = 503;
/** Statuses of a request as a whole that a proxy or a node gives while it starts or ends. */
const PASSING = [502, UNAVAILABLE, 504];
/** Names of the library's errors if it reaches no node. */
const NO_NODE = ['ConnectionError', 'NoLivingConnectionsError'];

/** The index takes no writes: it is replaced by another (reindex.ts), or the disk of a node is full. */
export class WriteBlocked extends PriorartError {
  constructor(reason: string) {
    super('unavailable', `the index takes no writes: ${reason}`, { retryAfter: 10 });
  }
}

/** Writes to the index that takes writes, or to the one that takes its place meanwhile. */
export async function untilUnblocked<T>(write: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let waited = 0; ; waited += BLOCKED_MS) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof WriteBlocked) || waited >= BLOCKED_MOST_MS) throw error;
      await sleep(BLOCKED_MS, undefined, signal ? { signal } : {});
    }
  }
}

/** @throws WriteBlocked if the index of the operations was deleted: another has taken its place */
export function checkIndex(items: readonly BulkItem[], index: string): void {
  if (items.some(({ error }) => error?.type === NO_INDEX)) throw new WriteBlocked(`${index} was deleted`);
}

/** Whether the cluster will never take an operation as it is. */
export function isRefused({ status, error }: BulkItem): boolean {
  return error !== undefined && status !== CONFLICT;
}

/** Whether another writer was first. */
export function isConflict({ status }: BulkItem): boolean {
  return status === CONFLICT;
}

/**
 * Sends operations until the cluster has taken each or refused it for good. An operation whose answer was lost is sent again,
 * so it must be one that a repetition does not change.
 * @returns the outcomes: successes, conflicts and refusals
 * @throws PriorartError `overloaded`, `unavailable` (`WriteBlocked` if the index takes no writes)
 */
export async function bulkUntilTaken(
  client: ClusterClient,
  operations: readonly BulkOperation[],
  signal?: AbortSignal,
): Promise<BulkItem[]> {
  const outcomes: BulkItem[] = [];
  let waiting = operations.map((_, n) => n);
  for (let attempt = 0; waiting.length > 0; attempt++) {
    if (attempt > 0) await sleep(WAIT_MS * 2 ** (attempt - 1), undefined, signal ? { signal } : {});
    const isLast = attempt + 1 >= ATTEMPTS;
    const asked = waiting.map((n) => operations[n]!);
    const items = await client.bulk(asked, signal).catch((error: unknown) => {
      // The cluster may refuse a request as a whole.
      const status = statusOfAll(error);
      if (status === undefined) throw error;
      if (isLast) throw ended(error as PriorartError);
      return asked.map(() => ({ status }));
    });
    for (const [at, n] of waiting.entries()) outcomes[n] = items[at]!;
    waiting = waiting.filter((n) => [BUSY, UNAVAILABLE].includes(outcomes[n]!.status));
    if (waiting.length > 0 && isLast) throw notTaken(waiting.length, outcomes[waiting[0]!]!);
  }
  const forbidden = outcomes.filter(({ status }) => status === FORBIDDEN);
  const denied = forbidden.find(({ error }) => error?.type !== BLOCK);
  if (denied) throw notPermitted(client, denied);
  const [blocked] = forbidden;
  if (blocked?.error) throw new WriteBlocked(blocked.error.reason);
  const broken = outcomes.find(({ status }) => status >= 500);
  if (broken) throw unavailable(`the cluster failed at a document (${broken.status}): ${reasonOf(broken)}`);
  return outcomes;
}

/** The status of each operation of a request that failed as a whole; undefined if it is not to be sent again. */
function statusOfAll(error: unknown): number | undefined {
  if (!isPriorartError(error)) return undefined;
  if (error.code === 'overloaded') return BUSY;
  const { name, statusCode } = (error.cause ?? {}) as { name?: string; statusCode?: number };
  const isPassing = NO_NODE.includes(name ?? '') || PASSING.includes(statusCode ?? 0);
  return error.code === 'unavailable' && isPassing ? UNAVAILABLE : undefined;
}

/** The error of the last attempt. It is no `LostState`, or callers would repeat all attempts. */
function ended(error: PriorartError): PriorartError {
  return error instanceof LostState ? unavailable(error.message, error.cause) : error;
}

function notTaken(count: number, { status, error }: BulkItem): PriorartError {
  if (status !== BUSY) {
    return unavailable(`the cluster did not take ${count} documents: ${error?.reason ?? `status ${status}`}`);
  }
  // A full disk is told in this way, too.
  const message = `the cluster was too busy for ${count} documents, ${ATTEMPTS} times in a row${error ? `: ${error.reason}` : ''}`;
  return new PriorartError('overloaded', message, { retryAfter: 10 });
}

/** The error for a write that the user of the cluster may not do. Waiting does not help. */
function notPermitted({ settings: { index } }: ClusterClient, item: BulkItem): PriorartError {
  const message = `the cluster does not let its user write (${reasonOf(item)})`;
  return unavailable(`${message}; give the user this permission for ${index} and ${index}-*`);
}

/** What the cluster says of an operation that it refused. */
export function reasonOf({ status, error }: BulkItem): string {
  return error === undefined ? `status ${status}` : `${error.type}: ${error.reason}`;
}
