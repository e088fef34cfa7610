/**
 * Values with a checksum, because LMDB has no checksums. Each value of a table ends with the CRC-32 of the bytes before
 * it (u32, little-endian), which is verified whenever the value is read. Tables of duplicates hold only keys, which are
 * compared as they are; the records that they refer to have checksums.
 */
import type { RootDatabase } from 'lmdb';
import { isPriorartError, PriorartError } from '../errors.js';
import { crc32 } from './crc32.js';
import { dataFile } from './faults.js';

const SUM_BYTES = 4;

/** The part of package lmdb's encoder (msgpackr's) that is overridden. */
interface Encoder {
  encode: (value: unknown) => Uint8Array;
  decode(source: Uint8Array, options?: number | { end?: number }): unknown;
}

/** The encoder option of `openDB` for the values of a table. */
export interface EncoderOption {
  encoder: { Encoder: new (options: object) => Encoder };
}

/** Whether bytes end with the checksum of the bytes before it. */
export function isWhole(bytes: Uint8Array): boolean {
  if (bytes.length <= SUM_BYTES) return false;
  const end = bytes.length - SUM_BYTES;
  return crc32(bytes.subarray(0, end)) === sumAt(bytes, end);
}

function sumAt(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}

function damaged(dir: string, table: string): PriorartError {
  const message =
    `${dataFile(dir)}: a value of table ${table} has a wrong checksum. Run \`priorart check --repair --data ${dir}\`, ` +
    'which says what it belongs to and repairs it if possible';
  return new PriorartError('data_corrupt', message);
}

/** The value that `read` returns; undefined if it is missing or damaged. */
export function whole<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!isPriorartError(error) || error.code !== 'data_corrupt') throw error;
    return undefined;
  }
}

/**
 * The encoder of a table whose values have checksums.
 * @param root environment whose encoder encodes the values
 * @param dir data folder, for the message of the PriorartError `data_corrupt` that reading a damaged value throws
 */
export function checkedValues(root: RootDatabase, dir: string, table: string): EncoderOption {
  const Base = (root as unknown as { encoder: Encoder }).encoder.constructor as new (
    options: object,
  ) => Encoder;
  class CheckedEncoder extends Base {
    constructor(options: object) {
      super(options);
      // The encoder sets `encode` on each object, which hides a method of this class.
      const encode = this.encode;
      this.encode = (value) => {
        // Without lmdb's mode argument: with it, the encoder would return its own buffer, which cannot be extended.
        const plain = encode.call(this, value);
        const bytes = Buffer.allocUnsafe(plain.length + SUM_BYTES);
        bytes.set(plain);
        bytes.writeUInt32LE(crc32(plain), plain.length);
        return bytes;
      };
    }

    override decode(source: Uint8Array, options?: number | { end?: number }): unknown {
      const given = typeof options === 'number' ? options : options?.end;
      const end = (given !== undefined && given > -1 ? given : source.length) - SUM_BYTES;
      if (end <= 0 || crc32(source.subarray(0, end)) !== sumAt(source, end)) {
        throw damaged(dir, table);
      }
      return super.decode(source, end);
    }
  }
  return { encoder: { Encoder: CheckedEncoder } };
}
