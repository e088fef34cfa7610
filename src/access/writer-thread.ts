/** The thread of WriterThread: runs its orders one after the other. */
import { parentPort, workerData } from 'node:worker_threads';
import { type WriterOptions, type WriterOrder, writerHere } from './writer.js';

const writer = writerHere(workerData as WriterOptions);

parentPort!.on('message', async (message: WriterOrder) => {
  const { id, order } = message;
  try {
    if (order === 'writeLog') await writer.writeLog(message.given);
    else if (order === 'keepCounters') await writer.keepCounters();
    else await writer.close();
    parentPort!.postMessage({ id });
  } catch (error) {
    parentPort!.postMessage({ id, error });
  }
});
