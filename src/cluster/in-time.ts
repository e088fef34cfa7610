/** Requests for what servers share: they end within SHARED.waitMs. */
import { isPriorartError, PriorartError } from '../errors.js';
import { SHARED } from '../limits.js';

/**
 * The result of requests. Every failure of the cluster is `unavailable`.
 * @param failing the beginning of the message
 * @throws PriorartError `unavailable`, as a rejection
 */
export async function inTime<T>(failing: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  try {
    return await work(AbortSignal.timeout(SHARED.waitMs));
  } catch (error) {
    if (!isPriorartError(error)) throw error;
    const reason = error.code === 'cancelled' ? 'it did not answer in time' : error.message;
    const { inCommand } = error;
    throw new PriorartError('unavailable', `${failing}: ${reason}`, {
      cause: error,
      retryAfter: 1,
      ...(inCommand === undefined ? {} : { inCommand: `${failing}: ${inCommand}` }),
    });
  }
}
