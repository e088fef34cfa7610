/** Repeats reads that failed because a shard had no copy that answers: a node left, and another takes its place soon. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LostState } from './client.js';

/** Pauses before the attempts after the first, ms. */
const PAUSES_MS = {
  /** A reader waits, so not for long. */
  answer: [0, 100, 300, 900],
  /** An ingest that goes on is better than one that has to be started again. */
  ingest: [0, 100, 300, 900, 2_700, 8_100],
};

/**
 * Does work until no state is lost.
 * @param work reads only, or changes nothing if it is repeated
 * @throws what the last attempt throws; PriorartError `cancelled` if the signal fires
 */
export async function again<T>(
  work: () => Promise<T>,
  patience: keyof typeof PAUSES_MS,
  signal?: AbortSignal,
): Promise<T> {
  for (const pause of PAUSES_MS[patience]) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LostState) || signal?.aborted) throw error;
      await sleep(pause, undefined, signal ? { signal } : {}).catch(() => {});
    }
  }
  return work();
}
