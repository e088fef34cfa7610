/** Vectors of questions. */
import { isPriorartError, PriorartError } from '../errors.js';
import type { Cancellation } from './cancel.js';
import type { IndexReader } from './reader.js';

/**
 * The vectors of some texts as questions, one row per text.
 * @throws PriorartError `embedding_failed`, or the embedder's own code
 */
export async function embedQueries(
  { embedder }: IndexReader,
  texts: readonly string[],
  cancellation: Cancellation,
): Promise<Float32Array> {
  try {
    return await embedder.embed(texts, 'query', undefined, signalFor(embedder, cancellation));
  } catch (error) {
    cancellation.check();
    if (isPriorartError(error)) throw error;
    throw new PriorartError('embedding_failed', 'the query could not be embedded', { cause: error });
  }
}

/** None for models that answer at once: making a signal costs as much as their work. */
export function signalFor(
  model: { concurrency?: number },
  cancellation: Cancellation,
): AbortSignal | undefined {
  return model.concurrency === undefined ? undefined : cancellation.signal;
}
