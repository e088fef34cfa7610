/** Cancellation of a question in a worker: the asking thread sets a shared number to 1. */
import { PriorartError } from '../errors.js';
import type { Cancellation } from '../search/cancel.js';

/** Declared here because TypeScript's library has it from ES2024 on; Node has it from version 16. */
const { waitAsync } = Atomics as unknown as {
  waitAsync(
    array: Int32Array,
    index: number,
    value: number,
  ): { async: false } | { async: true; value: Promise<string> };
};

/** @param slot index of the question in `flags` */
export function flagCancellation(
  flags: Int32Array,
  slot: number,
  deadline: number | undefined,
): Cancellation {
  let controller: AbortController | undefined;
  const cancelled = () => new PriorartError('cancelled', 'the request was cancelled');
  const isSet = () => Atomics.load(flags, slot) !== 0;
  return {
    deadline,
    check() {
      if (isSet()) throw cancelled();
    },
    get signal() {
      if (controller) return controller.signal;
      const own = new AbortController();
      controller = own;
      // Woken when the flag is set, and when the question is answered.
      const waiting = waitAsync(flags, slot, 0);
      if (!waiting.async) own.abort(cancelled());
      else void waiting.value.then(() => isSet() && own.abort(cancelled()));
      return own.signal;
    },
  };
}
