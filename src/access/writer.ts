/**
 * What is written of calls after they were answered: the log of requests, and the used quotas that outlive the machine.
 * Both wait for the disk and for other processes, so a server has it done by a thread of its own.
 */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { UsedQuota } from './counters.js';
import type { LogBatch, LogLimits } from './log-records.js';
import { LogWriter } from './log-writer.js';
import { AccessStore } from './store.js';

export interface AccessWriter {
  /** Rejects where nothing of it was written. */
  writeLog(batch: LogBatch): Promise<void>;
  /** Keeps the used quotas of accounts over the next start of the machine. Rejects where none was written. */
  keepQuotas(used: readonly [account: string, used: UsedQuota][]): Promise<void>;
  close(): Promise<void>;
}

export interface WriterOptions extends LogLimits {
  /** The access store's. */
  folder: string;
}

/** Writes on the thread that asks. */
export function writerHere({ folder, ...limits }: WriterOptions): AccessWriter {
  const log = new LogWriter(join(folder, 'log'), limits);
  let store: AccessStore | undefined;
  return {
    async writeLog(batch) {
      log.write(batch);
    },
    async keepQuotas(used) {
      store ??= AccessStore.open(folder, { create: false });
      store.keepQuotas(used);
    },
    async close() {
      await Promise.all([log.close(), store?.close()]);
    },
  };
}

/** What the thread is told: a method of its writer, and what to give it. */
export type WriterOrder =
  | { id: number; order: 'writeLog'; given: LogBatch }
  | { id: number; order: 'keepQuotas'; given: readonly [string, UsedQuota][] }
  | { id: number; order: 'close'; given: undefined };

export interface WriterAnswer {
  id: number;
  error?: unknown;
}

/** Writes on a thread of its own, which is started at once, and anew should it die. */
export class WriterThread implements AccessWriter {
  readonly #options: WriterOptions;
  readonly #waiting = new Map<number, { resolve(): void; reject(error: unknown): void }>();
  #worker: Worker | undefined;
  #orders = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
    // What is written first is not to wait until the thread has come up.
    this.#running().unref();
  }

  writeLog(batch: LogBatch): Promise<void> {
    return this.#order('writeLog', batch);
  }

  keepQuotas(used: readonly [string, UsedQuota][]): Promise<void> {
    return this.#order('keepQuotas', used);
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    await this.#order('close', undefined).catch(() => {});
    await worker.terminate();
  }

  #order<O extends WriterOrder['order']>(
    order: O,
    given: (WriterOrder & { order: O })['given'],
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const worker = this.#running();
      const id = this.#orders++;
      this.#waiting.set(id, { resolve, reject });
      // The process waits for what is being written, and for nothing else of the thread.
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
