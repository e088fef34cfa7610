/** Runs judged questions on a data folder, by similarity alone and with the reranker. */
import type { Engine } from '../engine.js';
import { isPriorartError, PriorartError } from '../errors.js';
import { EVAL_DEPTH } from '../limits.js';
import type { TrecQuestion } from './trec.js';

export interface RankOptions {
  /** Whether to rank with the reranker as well. Default: true. */
  rerank?: boolean;
  signal?: AbortSignal | undefined;
  onProgress?: (done: number, of: number) => void;
}

/** Lists by question: patent_ids, best first. */
export interface RankedLists {
  dense: Map<string, string[]>;
  reranked?: Map<string, string[]>;
}

/**
 * Runs every question, utility models included. The reranked list has the results of the largest top_k, followed by
 * those that only the list by similarity has.
 */
export async function rank(
  engine: Engine,
  questions: readonly TrecQuestion[],
  options: RankOptions = {},
): Promise<RankedLists> {
  const { rerank = true, signal, onProgress } = options;
  const dense = new Map<string, string[]>(questions.map(({ id }) => [id, []]));
  const reranked = new Map(dense);
  const ask = async (query: string, top_k: number, reranking: boolean, signal: AbortSignal) => {
    const request = { query, top_k, include_utility_model: true };
    const { results } = await engine.search(request, { rerank: reranking, signal });
    return results.map(({ patent_id }) => patent_id);
  };
  let done = 0;
  const one = async ({ id, text }: TrecQuestion, signal: AbortSignal) => {
    const found = await ask(text, EVAL_DEPTH, false, signal);
    dense.set(id, found);
    if (rerank) {
      const served = await ask(text, EVAL_DEPTH, true, signal);
      const seen = new Set(served);
      reranked.set(id, [...served, ...found.filter((patent) => !seen.has(patent))]);
    }
    onProgress?.(++done, questions.length);
  };
  const stop = new AbortController();
  const cancel = () => stop.abort();
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    await Promise.all(questions.map((question) => one(question, stop.signal).catch(naming(question))));
  } catch (error) {
    // The other questions would be asked to the end for nothing.
    cancel();
    throw error;
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
  return rerank ? { dense, reranked } : { dense };
}

/** Adds the question's id to the message of a client's error. */
function naming({ id }: TrecQuestion): (error: unknown) => never {
  return (error) => {
    if (!isPriorartError(error) || error.status >= 499) throw error;
    throw new PriorartError(error.code, `question ${id}: ${error.message}`, { cause: error });
  };
}
