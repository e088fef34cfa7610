/** Which worker threads have loaded their modules. */
import type { Worker } from 'node:worker_threads';
import type { Piscina } from 'piscina';

/** Far more than a loaded machine takes; a thread that is still at it then is ended all the same. */
const LOADING_MAX_MS = 30_000;

/**
 * Keeps book of the threads of a pool that are still loading. To end one of them takes the whole process down: Node
 * asks V8 about a module that the termination left unlinked (`v8::Module::IsGraphAsync must be used on an
 * instantiated module`), and an addon that is just being initialised can not throw any more (`napi_throw`).
 */
export class Loading {
  readonly #piscina: Piscina;
  readonly #ends = new WeakMap<Worker, Promise<void>>();

  constructor(piscina: Piscina) {
    this.#piscina = piscina;
    this.#watch();
    // A lost thread's place is taken right after this event; the new one's own event comes when it has loaded.
    piscina.on('workerDestroy', () => queueMicrotask(() => this.#watch()));
  }

  #watch(): void {
    for (const thread of this.#piscina.threads) {
      if (this.#ends.has(thread)) continue;
      const end = new Promise<void>((resolve) => {
        // The first message is Piscina's own, posted when the module is there.
        thread.once('message', () => resolve());
        thread.once('exit', () => resolve());
      });
      this.#ends.set(thread, end);
    }
  }

  /** Resolves when every thread has loaded or is gone, at the latest after half a minute. */
  async settled(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    // The threads do not keep the process alive, the timer does while they are waited for.
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LOADING_MAX_MS);
    });
    await Promise.race([Promise.all(this.#piscina.threads.map((thread) => this.#ends.get(thread))), timeout]);
    clearTimeout(timer);
  }
}
