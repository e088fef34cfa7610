/** Tracks which worker threads have loaded their modules. */
import type { Worker } from 'node:worker_threads';
import type { Piscina } from 'piscina';

/**
 * Longest wait for loading threads. Much longer than a busy machine needs; threads that still load are then
 * terminated.
 */
const LOADING_MAX_MS = 30_000;

/**
 * Tracks the threads of a pool that are still loading. Terminating such a thread crashes the process: Node
 * asks V8 about a module that the termination left unlinked (`v8::Module::IsGraphAsync must be used on an
 * instantiated module`), and an addon that is being initialised can no longer throw (`napi_throw`).
 */
export class Loading {
  readonly #piscina: Piscina;
  readonly #ends = new WeakMap<Worker, Promise<void>>();

  constructor(piscina: Piscina) {
    this.#piscina = piscina;
    this.#watch();
    // Piscina replaces a lost thread right after this event. The new thread's own event comes only when it
    // has loaded.
    piscina.on('workerDestroy', () => queueMicrotask(() => this.#watch()));
  }

  #watch(): void {
    for (const thread of this.#piscina.threads) {
      if (this.#ends.has(thread)) continue;
      const end = new Promise<void>((resolve) => {
        // The first message is Piscina's own, sent when the module is loaded.
        thread.once('message', () => resolve());
        thread.once('exit', () => resolve());
      });
      this.#ends.set(thread, end);
    }
  }

  /** Resolves when every thread has loaded or exited, at the latest after `LOADING_MAX_MS`. */
  async settled(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    // The threads do not keep the process alive; the timer does.
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LOADING_MAX_MS);
    });
    await Promise.race([Promise.all(this.#piscina.threads.map((thread) => this.#ends.get(thread))), timeout]);
    clearTimeout(timer);
  }
}
