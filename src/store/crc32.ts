/** CRC-32 (ISO 3309, as in zip). Uses node:zlib from Node 20.15 and 22.2 on. */
import * as zlib from 'node:zlib';

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  return c;
});

/** CRC-32 in JavaScript, for older versions of Node. */
export function crc32ByTable(bytes: Uint8Array, before = 0): number {
  let crc = before ^ 0xffffffff;
  for (let i = 0; i < bytes.length; i++) crc = TABLE[(crc ^ bytes[i]!) & 0xff]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

type Crc32 = (bytes: Uint8Array, before?: number) => number;

/** The CRC-32 of bytes as an unsigned number; `before` is the checksum of the bytes before them. */
export const crc32: Crc32 = (zlib as { crc32?: Crc32 }).crc32 ?? crc32ByTable;
