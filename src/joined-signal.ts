/** One signal for several reasons to stop. */
import { setMaxListeners } from 'node:events';

export interface JoinedSignal {
  signal: AbortSignal;
  /** Fires the signal by itself. */
  abort(reason: unknown): void;
  /** Removes the listeners. To be called when the work has ended. */
  release(): void;
}

/**
 * A signal that fires if one of others fires, with its reason. `AbortSignal.any` is no help: Node 20 keeps its signals as long as
 * their sources.
 */
export function joinedSignal(...others: (AbortSignal | undefined)[]): JoinedSignal {
  const either = new AbortController();
  const sources = others.filter((source) => source !== undefined);
  // Many calls may share a signal.
  for (const shared of [either.signal, ...sources]) setMaxListeners(0, shared);
  const fire = () => either.abort(sources.find(({ aborted }) => aborted)?.reason);
  for (const source of sources) {
    if (source.aborted) fire();
    source.addEventListener('abort', fire, { once: true });
  }
  return {
    signal: either.signal,
    abort: (reason) => either.abort(reason),
    release: () => {
      for (const source of sources) source.removeEventListener('abort', fire);
    },
  };
}
