/** The work of a worker thread. */
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import type { Answering } from './answering.js';
import { flagCancellation } from './flag-cancellation.js';
import { movable } from './movable.js';
import { type AnswerOf, type Question, type Reply, refusalOf, type Task, type WorkerData } from './tasks.js';

/**
 * The function that Piscina calls on a worker thread.
 * @param open opens what answers, with the first question
 */
export function workOn<T>(open: (setting: T) => Answering): (task: Task) => Promise<Reply> {
  const { setting, flags: shared } = workerData as WorkerData;
  const flags = new Int32Array(shared);
  let answering: Answering | undefined;
  // It never throws: an exception would lose its code between threads.
  return async ({ question, slot, deadline }) => {
    const cancellation = flagCancellation(flags, slot, deadline);
    try {
      cancellation.check();
      answering ??= open(setting as T);
      const { answer, trace } = await answering.answer(question, cancellation);
      return handOver({ answer, trace, concurrency: answering.concurrency }, arraysOf(answer));
    } catch (error) {
      return { refusal: refusalOf(error) };
    }
  };
}

function arraysOf(result: AnswerOf<Question>): readonly ArrayBufferView[] {
  if (result instanceof Uint8Array) return [result];
  if ('ranking' in result && result.ranking) {
    const { docs, similarities, passages } = result.ranking;
    return [result.json, docs, similarities, passages];
  }
  if ('json' in result) return result.json ? [result.json] : [];
  if (!('documents' in result)) return [];
  return result.documents.flatMap(({ vectors, bags }) =>
    bags ? [vectors, bags.bytes, bags.lengths] : [vectors],
  );
}

/** Moves the arrays' memory to the other thread instead of copying it, if it can be moved. */
function handOver(reply: Reply, arrays: readonly ArrayBufferView[]): Reply {
  return move({ [transferableSymbol]: movable(arrays), [valueSymbol]: reply }) as unknown as Reply;
}
