/**
 * Work after a call was answered: writes the log, and makes the counts durable. Both wait for the disk and
 * for other processes, so a server uses a separate thread.
 */
import { Worker } from 'node:worker_threads';
import { CountersKeeper } from './counters.js';
import type { LogBatch, LogLimits } from './log-records.js';
import { LogWriter } from './log-writer.js';

export interface AccessWriter {
  /** Rejects if nothing was written. */
  writeLog(batch: LogBatch): Promise<void>;
  /** Makes the counts survive a power failure. Rejects if this is not certain. */
  keepCounters(): Promise<void>;
  close(): Promise<void>;
}

export interface WriterOptions extends LogLimits {
  /** Folder of the access store. */
  folder: string;
}

/** Writes on the thread of the caller. */
export function writerHere({ folder, ...limits }: WriterOptions): AccessWriter {
  const log = new LogWriter(folder, limits);
  let counters: CountersKeeper | undefined;
  return {
    async writeLog(batch) {
      log.write(batch);
    },
    async keepCounters() {
      if (counters?.isMoved()) {
        counters.close();
        counters = undefined;
      }
      counters ??= new CountersKeeper(folder);
      counters.tend();
    },
    async close() {
      log.close();
      counters?.close();
    },
  };
}

/** An order to the thread: a method of its writer, and the arguments. */
export type WriterOrder =
  | { id: number; order: 'writeLog'; given: LogBatch }
  | { id: number; order: 'keepCounters' | 'close'; given: undefined };

export interface WriterAnswer {
  id: number;
  error?: unknown;
}

/**
 * Writes on a separate thread. The thread starts immediately. After a crash, the next order starts a new
 * thread.
 */
export class WriterThread implements AccessWriter {
  readonly #options: WriterOptions;
  readonly #waiting = new Map<number, { resolve(): void; reject(error: unknown): void }>();
  #worker: Worker | undefined;
  #orders = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
    // Starts the thread early, so the first write does not wait for its start.
    this.#running().unref();
  }

  writeLog(batch: LogBatch): Promise<void> {
    return this.#order('writeLog', batch);
  }

  keepCounters(): Promise<void> {
    return this.#order('keepCounters', undefined);
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    await this.#order('close', undefined).catch(() => {});
    await worker.terminate();
  }

  #order(order: WriterOrder['order'], given: LogBatch | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const worker = this.#running();
      const id = this.#orders++;
      this.#waiting.set(id, { resolve, reject });
      // A running write keeps the process alive. An idle thread does not.
      worker.ref();
      worker.postMessage({ id, order, given });
    });
  }

  #running(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL('./writer-thread.js', import.meta.url), { workerData: this.#options });
    this.#worker = worker;
    const ended = (error: unknown) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      const waiting = [...this.#waiting.values()];
      this.#waiting.clear();
      for (const { reject } of waiting) reject(error);
    };
    worker.on('message', ({ id, error }: WriterAnswer) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) worker.unref();
      if (error === undefined) waiting?.resolve();
      else waiting?.reject(error);
    });
    worker.on('error', ended);
    worker.on('exit', (code) => ended(new Error(`the thread that writes logs ended with ${code}`)));
    return worker;
  }
}
