/** Batches: several messages of JSON-RPC in one body. The protocol's library answers one when each of its requests has an answer. */
import { MCP_BATCH_MAX } from '../limits.js';
import { cancelledId, isMessage } from './messages.js';

type Id = string | number;

/** What is wrong with a batch as a whole; undefined if nothing is. */
export function batchFault(batch: readonly unknown[]): string | undefined {
  if (batch.length === 0 || batch.length > MCP_BATCH_MAX) {
    return `a batch of ${batch.length} messages; expected 1 to ${MCP_BATCH_MAX}`;
  }
  const ids = new Set<Id>();
  for (const message of batch) {
    const id = requestId(message);
    if (id === undefined) continue;
    if (ids.has(id)) return `a batch with two requests of id ${JSON.stringify(id)}; expected one of each id`;
    ids.add(id);
  }
  return undefined;
}

/**
 * A batch without the requests that it cancels itself, and without these cancellations. The library gives a cancelled
 * request no answer, and so the batch would have none.
 */
export function withoutCancelled(batch: readonly unknown[]): readonly unknown[] {
  const cancelled = new Set(batch.map(cancelledId).filter((id) => id !== undefined));
  if (cancelled.size === 0) return batch;
  return batch.filter((message) => {
    const id = requestId(message) ?? cancelledId(message);
    // The library refuses what is no message.
    return id === undefined || !cancelled.has(id) || !isMessage(message);
  });
}

/** The answer to a batch: an array even if it holds one answer, which the library gives as an object. */
export async function batchAnswer(response: Response): Promise<Response> {
  // Another status refuses the whole batch, or answers nothing.
  if (response.status !== 200) return response;
  const text = await response.text();
  const { status, headers } = response;
  return new Response(text.startsWith('[') ? text : `[${text}]`, { status, headers });
}

/** The id of a request; undefined for other messages. */
function requestId(message: unknown): Id | undefined {
  if (typeof message !== 'object' || message === null || !('method' in message && 'id' in message)) {
    return undefined;
  }
  const { id } = message;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
