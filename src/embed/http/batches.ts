/**
 * Batches the texts of all requests of a thread into few HTTP requests to the embedding server. Texts that are waiting
 * when a request may be sent go together, queries before passages.
 */
import { isPriorartError } from '../../errors.js';
import { HTTP_EMBEDDER } from '../../limits.js';

interface WaitingText {
  text: string;
  /** What all texts of the same caller share. */
  call: { failed: boolean };
  signal: AbortSignal | undefined;
  resolve(vector: Float32Array): void;
  reject(reason: unknown): void;
}

export interface BatchLimits {
  texts: number;
  chars: number;
  /** HTTP requests in flight at once. */
  concurrency: number;
}

type Ask = (texts: readonly string[], signal: AbortSignal) => Promise<Float32Array[]>;

export class HttpBatches {
  readonly #ask: Ask;
  readonly #limits: BatchLimits;
  #urgent: WaitingText[] = [];
  #patient: WaitingText[] = [];
  #running = 0;
  #scheduled = false;

  constructor(ask: Ask, limits: BatchLimits) {
    this.#ask = ask;
    this.#limits = limits;
  }

  /** The vectors of some texts. Rejects with the signal's reason when it fires. */
  add(
    texts: readonly string[],
    { urgent, signal }: { urgent: boolean; signal: AbortSignal | undefined },
  ): Promise<Float32Array[]> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const queue = urgent ? this.#urgent : this.#patient;
    const own: WaitingText[] = [];
    const call = { failed: false };
    const vectors = texts.map(
      (text) =>
        new Promise<Float32Array>((resolve, reject) => own.push({ text, call, signal, resolve, reject })),
    );
    queue.push(...own);
    // Rejects at once. The waiting texts are dropped when their turn comes.
    const giveUp = () => {
      for (const { reject } of own) reject(signal?.reason);
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    // Texts that are added in the same turn of the event loop join the batch.
    if (!this.#scheduled) {
      this.#scheduled = true;
      setImmediate(() => {
        this.#scheduled = false;
        this.#send();
      });
    }
    return Promise.all(vectors).finally(() => signal?.removeEventListener('abort', giveUp));
  }

  #send(): void {
    while (this.#running < this.#limits.concurrency) {
      const batch = this.#next();
      if (batch.length === 0) return;
      this.#running += 1;
      void this.#answer(batch).finally(() => {
        this.#running -= 1;
        this.#send();
      });
    }
  }

  #next(): WaitingText[] {
    const batch: WaitingText[] = [];
    let chars = 0;
    for (const queue of [this.#urgent, this.#patient]) {
      for (let first = queue[0]; first !== undefined; first = queue[0]) {
        // The caller of a call that has failed waits for no other text of it.
        if (!first.signal?.aborted && !first.call.failed) {
          const full = batch.length >= this.#limits.texts || chars + first.text.length > this.#limits.chars;
          // A single text may exceed the limit of a batch.
          if (full && batch.length > 0) return batch;
          batch.push(first);
          chars += first.text.length;
        }
        queue.shift();
      }
    }
    return batch;
  }

  /** Never rejects. */
  async #answer(batch: readonly WaitingText[]): Promise<void> {
    const controller = new AbortController();
    // The request is aborted once every text in it is cancelled.
    const signals = new Set(batch.map(({ signal }) => signal));
    const check = () => {
      if ([...signals].every((signal) => signal?.aborted)) controller.abort([...signals][0]?.reason);
    };
    for (const signal of signals) signal?.addEventListener('abort', check, { once: true });
    try {
      const vectors = await this.#ask(
        batch.map(({ text }) => text),
        controller.signal,
      );
      for (const [n, { resolve }] of batch.entries()) resolve(vectors[n]!);
    } catch (error) {
      const calls = [...new Set(batch.map(({ call }) => call))];
      if (calls.length > 1 && isPriorartError(error) && error.code === 'embedding_failed') {
        // The server refuses a whole request because of one text, which is that of one caller.
        for (const own of calls) {
          const rest = batch.filter(({ call, signal }) => call === own && !call.failed && !signal?.aborted);
          if (rest.length > 0) await this.#answer(rest);
        }
      } else {
        for (const { call, reject } of batch) {
          call.failed = true;
          reject(error);
        }
      }
    } finally {
      for (const signal of signals) signal?.removeEventListener('abort', check);
    }
  }
}

/** Requests that a worker should have in flight to fill its requests to the server. */
export function requestsInFlight(concurrency: number): number {
  return concurrency * HTTP_EMBEDDER.requestsPerBatch;
}
