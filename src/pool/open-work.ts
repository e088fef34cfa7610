/** Work of an engine that its `close` stops and waits for. */
import { setMaxListeners } from 'node:events';
import { isPriorartError, PriorartError } from '../errors.js';

const closed = () => new PriorartError('unavailable', 'the index is closed');

export class OpenWork {
  readonly #running = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  constructor() {
    // Each call that runs listens to it.
    setMaxListeners(0, this.#closing.signal);
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** @throws PriorartError `unavailable` after `stop` */
  check(): void {
    if (this.isClosed) throw closed();
  }

  /** A signal that fires if `given` fires, or at `stop`. Call `release` when the work has ended: it removes the listeners. */
  signal(given: AbortSignal | undefined): {
    signal: AbortSignal;
    abort: (reason: unknown) => void;
    release: () => void;
  } {
    // AbortSignal.any is no help: Node 20 keeps its signals as long as their sources.
    const either = new AbortController();
    // Many calls may share a signal.
    if (given !== undefined) setMaxListeners(0, given);
    const sources = given === undefined ? [this.#closing.signal] : [given, this.#closing.signal];
    const fire = () => either.abort(sources.find(({ aborted }) => aborted)?.reason);
    for (const source of sources) {
      if (source.aborted) fire();
      source.addEventListener('abort', fire, { once: true });
    }
    const release = () => {
      for (const source of sources) source.removeEventListener('abort', fire);
    };
    return { signal: either.signal, abort: (reason) => either.abort(reason), release };
  }

  /**
   * Runs work. It ends soon after its signal fires. If it fails, the signal fires, too, and stops what it has begun.
   * @throws PriorartError `unavailable` after `stop`, `cancelled` if `given` fired
   */
  async run<T>(given: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal, abort, release } = this.signal(given);
    const running = work(signal);
    this.#running.add(running);
    try {
      return await running;
    } catch (error) {
      abort(error);
      this.check();
      if (!given?.aborted || isPriorartError(error)) throw error;
      throw new PriorartError('cancelled', 'the request was cancelled', { cause: error });
    } finally {
      this.#running.delete(running);
      release();
    }
  }

  /** Fires the signals of all work. */
  stop(): void {
    this.#closing.abort(closed());
  }

  /** Resolves when no work runs. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#running);
  }
}
