/** What a message moves to another thread instead of copying it. */
import * as threads from 'node:worker_threads';

/**
 * Whether a buffer stays with its thread: one of native code, or the pool that small Buffers share. Node 21 and later refuse a
 * message that moves such a buffer. Earlier versions, which lack this function, copy it.
 */
const staysHere: (buffer: ArrayBuffer) => boolean =
  (threads as { isMarkedAsUntransferable?(buffer: ArrayBuffer): boolean }).isMarkedAsUntransferable ??
  (() => false);

/** The buffers of these arrays that can be moved, each once. */
export function movable(arrays: readonly ArrayBufferView[]): ArrayBuffer[] {
  const buffers = new Set(arrays.map(({ buffer }) => buffer as ArrayBuffer));
  return [...buffers].filter((buffer) => !staysHere(buffer));
}
