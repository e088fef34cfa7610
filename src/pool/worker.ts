/** Entry of a worker thread, which holds one folder and its models. */
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import { ThreadModels } from '../models/thread-models.js';
import { Folder } from '../search/folder.js';
import { RecallChecks } from '../search/recall-checks.js';
import { answer, type Thread } from './answer.js';
import { flagCancellation } from './flag-cancellation.js';
import { type AnswerOf, type Question, type Reply, refusalOf, type Task, type WorkerData } from './tasks.js';

const { dir, choice, flags: shared, recallCheck } = workerData as WorkerData;
const flags = new Int32Array(shared);
const models = new ThreadModels(dir, choice);
const checks = recallCheck > 0 ? new RecallChecks(recallCheck) : undefined;
let thread: Thread | undefined;

/** Never throws: an exception would lose its code between threads. */
export default async function work({ question, slot, deadline }: Task): Promise<Reply> {
  const cancellation = flagCancellation(flags, slot, deadline);
  try {
    cancellation.check();
    thread ??= { folder: new Folder(dir), models, checks };
    const { answer: result, trace } = await answer(thread, question, cancellation);
    return handOver({ answer: result, trace, concurrency: models.concurrency }, arraysOf(result));
  } catch (error) {
    return { refusal: refusalOf(error) };
  }
}

function arraysOf(result: AnswerOf<Question>): readonly ArrayBufferView[] {
  if (result instanceof Uint8Array) return [result];
  if ('ranking' in result) {
    const { docs, similarities, passages } = result.ranking;
    return [result.json, docs, similarities, passages];
  }
  if ('json' in result) return result.json ? [result.json] : [];
  if (!('documents' in result)) return [];
  return result.documents.flatMap(({ vectors, bags }) =>
    bags ? [vectors, bags.bytes, bags.lengths] : [vectors],
  );
}

/** Moves the arrays' memory to the other thread instead of copying it. */
function handOver(reply: Reply, arrays: readonly ArrayBufferView[]): Reply {
  // Several vectors may be views of one buffer, which is moved once.
  const buffers = [...new Set(arrays.map(({ buffer }) => buffer as ArrayBuffer))];
  return move({ [transferableSymbol]: buffers, [valueSymbol]: reply }) as unknown as Reply;
}
