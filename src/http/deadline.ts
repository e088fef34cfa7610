/** Ends work that takes too long, or whose client has disconnected. */
import { PriorartError } from '../errors.js';
import type { HttpRequest } from './adapters/adapter.js';
import { clientGone } from './adapters/disconnect.js';

/**
 * Runs work with a signal that fires when the client disconnects or after `ms`. Rejects at that moment with
 * the reason of the signal, even if the work ignores it: `cancelled`, or `overloaded` for the deadline.
 */
export function withDeadline<T>(
  client: Pick<HttpRequest, 'isGone' | 'onGone'>,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    if (client.isGone) throw clientGone();
    const controller = new AbortController();
    const stopWaiting = () => {
      clearTimeout(timer);
      client.onGone(undefined);
    };
    const end = (reason: unknown) => {
      stopWaiting();
      reject(reason);
      controller.abort(reason);
    };
    const timer = setTimeout(() => {
      end(new PriorartError('overloaded', `the work took longer than ${ms} ms`, { retryAfter: 5 }));
    }, ms);
    client.onGone(() => end(clientGone()));
    const failed = (error: unknown) => {
      stopWaiting();
      reject(error);
    };
    try {
      work(controller.signal).then((result) => {
        stopWaiting();
        resolve(result);
      }, failed);
    } catch (error) {
      failed(error);
    }
  });
}
