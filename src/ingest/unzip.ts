/** Zip archives: their entries one after another, or their parts by name. */

import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import yauzl from 'yauzl';
import { isImageName } from '../drawings/name.js';
import { crc32 } from '../store/crc32.js';
import {
  type Bytes,
  boundEntries,
  boundRatio,
  collect,
  damaged,
  type Entry,
  isSystemError,
  UnpackError,
} from './unpack.js';

/**
 * Entries of a zip on disk (a path) or in memory, in the order of its directory, images last. The
 * publications that name the images are then known.
 */
export async function* unzip(source: string | Buffer): AsyncIterable<Entry> {
  const images = { found: false };
  yield* entriesOf(source, (name) => {
    const isImage = isImageName(name);
    images.found ||= isImage;
    return !isImage;
  });
  if (images.found) yield* entriesOf(source, isImageName);
}

/** The entries with certain names. */
async function* entriesOf(
  source: string | Buffer,
  isWanted: (name: string) => boolean,
): AsyncIterable<Entry> {
  const zip = await opened(source);
  try {
    for await (const { name, entry } of directoryOf(zip, source)) {
      if (!isWanted(name)) continue;
      yield { name, stream: yauzl.validateFileName(name) === null ? sound(zip, entry) : refused() };
    }
  } catch (error) {
    throw damaged('zip', error);
  } finally {
    zip.close();
  }
}

async function opened(source: string | Buffer): Promise<yauzl.ZipFile> {
  // `nameOf` decodes the names: yauzl would end the archive at a name that it refuses.
  const options = { lazyEntries: true, autoClose: false, decodeStrings: false } as const;
  try {
    return typeof source === 'string'
      ? await yauzl.openPromise(source, options)
      : await yauzl.fromBufferPromise(source, options);
  } catch (error) {
    throw damaged('zip', error);
  }
}

/** The files in the directory of a zip. */
async function* directoryOf(
  zip: yauzl.ZipFile,
  source: string | Buffer,
): AsyncIterable<{ name: string; entry: yauzl.Entry }> {
  let count = 0;
  await readOn(zip, source);
  for await (const entry of zip.eachEntry()) {
    boundEntries(++count);
    await readOn(zip, source);
    const name = nameOf(entry);
    if (!name.endsWith('/')) yield { name, entry };
  }
}

/** The parts of a document that is a zip, by name. Upper and lower case are the same, as in office documents. */
export interface ZipParts {
  has(name: string): boolean;
  /** Bytes of a part when it is unpacked, as the directory states them; 0 if there is no such part. */
  size(name: string): number;
  /**
   * The bytes of a part, held in memory; `undefined` if there is no such part. The caller bounds its `size` first.
   * @throws UnpackError if the part is damaged or encrypted, or breaks a bound of `UNPACK_LIMITS`
   */
  read(name: string): Promise<Buffer | undefined>;
  /** Damage behind which the directory could not be read. */
  damage: unknown;
  close(): void;
}

/** Entries of an archive after which the name of a part must have been found. */
const PARTS_SEEN_WITHIN = 100;
/** Parts of one document. Each picture of a spreadsheet is a part. */
const PARTS_MAX = 100_000;

/**
 * The parts of a zip; `undefined` if it cannot be opened, or if `isPart` is true for none of its first names. The caller
 * closes the result.
 * @throws the error of a disk that cannot be read
 */
export async function zipParts(
  source: string | Buffer,
  isPart: (name: string) => boolean,
): Promise<ZipParts | undefined> {
  let zip: yauzl.ZipFile;
  try {
    zip = await opened(source);
  } catch (error) {
    if (isSystemError(error)) throw error;
    return undefined;
  }
  const entries = new Map<string, yauzl.Entry>();
  let damage: unknown;
  let isFound = false;
  try {
    for await (const { name, entry } of directoryOf(zip, source)) {
      isFound ||= isPart(name);
      if (entries.size >= (isFound ? PARTS_MAX : PARTS_SEEN_WITHIN)) {
        isFound = false;
        break;
      }
      const key = name.toLowerCase();
      if (!entries.has(key) && yauzl.validateFileName(name) === null) entries.set(key, entry);
    }
  } catch (error) {
    if (isSystemError(error)) {
      zip.close();
      throw error;
    }
    damage = damaged('zip', error);
  }
  if (!isFound) {
    zip.close();
    return undefined;
  }
  const find = (name: string): yauzl.Entry | undefined => entries.get(name.toLowerCase());
  return {
    has: (name) => find(name) !== undefined,
    size: (name) => find(name)?.uncompressedSize ?? 0,
    read: async (name) => {
      const entry = find(name);
      return entry && collect(inflated(zip, entry), entry.uncompressedSize);
    },
    damage,
    close: () => zip.close(),
  };
}

/** First bytes of an entry in the directory of a zip. */
const DIRECTORY_ENTRY = Buffer.from('PK\x01\x02', 'latin1');

/**
 * Adds one to the number of entries if an entry follows the last counted one in the directory. The number may be damaged, or
 * modulo 65,536 from a program without ZIP64. yauzl stops at it, so the other entries would be lost.
 */
async function readOn(zip: yauzl.ZipFile, source: string | Buffer): Promise<void> {
  if (zip.entriesRead < zip.entryCount) return;
  // A position, though its type says otherwise.
  const at = Number(zip.readEntryCursor);
  const next = typeof source === 'string' ? await bytesAt(source, at, 4) : source.subarray(at, at + 4);
  if (next.equals(DIRECTORY_ENTRY)) zip.entryCount += 1;
}

async function bytesAt(path: string, position: number, length: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

const nameOf = (entry: yauzl.Entry): string =>
  yauzl.getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false);

/** The stream of an entry such as `../a.xml` or `C:/a.xml`. The others of its archive are read. */
// biome-ignore lint/correctness/useYield: it fails at its start
async function* refused(): Bytes {
  throw new UnpackError('its name leads out of the archive; pack it under another name');
}

/** Largest entry that is read into memory at once when its reading begins (see `peek`), bytes. */
const PEEKED_BYTES = 500_000;

/**
 * The bytes of an entry. The checksum of all bytes is verified before the first document is read: a larger
 * entry is unpacked once for the checksum and once for reading.
 */
async function* sound(zip: yauzl.ZipFile, entry: yauzl.Entry): Bytes {
  if (entry.uncompressedSize > PEEKED_BYTES) for await (const _ of inflated(zip, entry));
  yield* inflated(zip, entry);
}

const hex = (sum: number): string => sum.toString(16).padStart(8, '0');

async function* inflated(zip: yauzl.ZipFile, entry: yauzl.Entry): Bytes {
  if (entry.isEncrypted()) throw new UnpackError('encrypted zip entry');
  let stream: Readable;
  try {
    stream = await zip.openReadStreamPromise(entry);
  } catch (error) {
    throw damaged('zip entry', error);
  }
  let given = 0;
  let sum = 0;
  try {
    for await (const part of stream as AsyncIterable<Buffer>) {
      given += part.length;
      boundRatio(given, entry.compressedSize);
      sum = crc32(part, sum);
      yield part;
    }
    if (sum !== entry.crc32) {
      throw new UnpackError(
        `damaged zip entry: its checksum is ${hex(sum)} and should be ${hex(entry.crc32)}; get the file again`,
      );
    }
  } catch (error) {
    throw damaged('zip entry', error);
  } finally {
    stream.destroy();
  }
}
