/**
 * A table that is read at every request, and hardly ever changes: a record is decoded only where its bytes are not those
 * of the last time. The bytes are read every time, so what another process has written counts at once.
 */
import type { Database } from 'lmdb';
import { RECORDS_REMEMBERED_MAX } from '../limits.js';

export class Remembered<Stored, Made extends object> {
  readonly #make: (stored: Stored) => Made;
  /** In the order in which they were decoded. */
  readonly #known = new Map<string, { bytes: Buffer; made: Made }>();

  /** @param make what is to be had of a record: everybody gets the same object, which must not be changed */
  constructor(make: (stored: Stored) => Made) {
    this.#make = make;
  }

  /** @param name of the key, one for each */
  get<Key extends string | Uint8Array>(
    table: Database<Stored, Key>,
    key: Key,
    name: string,
  ): Made | undefined {
    // Lies in a buffer that the next read writes over, and is longer than what was read.
    const read = table.getBinaryFast(key);
    if (read === undefined) {
      this.#known.delete(name);
      return undefined;
    }
    const bytes = Buffer.from(read.buffer, read.byteOffset, read.length);
    const known = this.#known.get(name);
    if (known?.bytes.equals(bytes)) return known.made;
    const copy = Buffer.from(bytes);
    const stored = table.get(key);
    if (stored === undefined) return undefined;
    const made = Object.freeze(this.#make(stored));
    this.#known.delete(name);
    if (this.#known.size >= RECORDS_REMEMBERED_MAX) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(name, { bytes: copy, made });
    return made;
  }
}
