/** Work of an engine that its `close` stops and waits for. */
import { isPriorartError, PriorartError } from '../errors.js';
import { type JoinedSignal, joinedSignal } from '../joined-signal.js';

const closed = () => new PriorartError('unavailable', 'the index is closed');

export class OpenWork {
  readonly #running = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** @throws PriorartError `unavailable` after `stop` */
  check(): void {
    if (this.isClosed) throw closed();
  }

  /** A signal that fires if `given` fires, or at `stop`. */
  signal(given: AbortSignal | undefined): JoinedSignal {
    return joinedSignal(given, this.#closing.signal);
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
