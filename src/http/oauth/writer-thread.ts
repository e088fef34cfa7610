/** The thread of OAuthStore: it writes, and waits for the disk and for other processes. */
import { parentPort, workerData } from 'node:worker_threads';
import { isPriorartError } from '../../errors.js';
import { tendCookieKeys } from './cookie-keys.js';
import type { WriteAnswer, WriteOrder } from './store.js';
import { OAuthTables } from './tables.js';

const tables = new OAuthTables(workerData as string);

function run({ order, given }: WriteOrder): unknown {
  if (order === 'tendKeys') return tables.exclusively(() => tendCookieKeys(tables.folder));
  // Order and arguments belong together by the type of OAuthStore's methods.
  return (tables[order] as (...args: unknown[]) => unknown).apply(tables, given);
}

parentPort!.on('message', async (message: WriteOrder) => {
  const { id } = message;
  let answer: WriteAnswer;
  try {
    answer = { id, result: await run(message) };
  } catch (error) {
    const { message: text } = error as Error;
    const retryAfter = isPriorartError(error) ? error.retryAfter : undefined;
    answer = { id, error: { code: isPriorartError(error) ? error.code : undefined, text, retryAfter } };
  }
  parentPort!.postMessage(answer);
});
