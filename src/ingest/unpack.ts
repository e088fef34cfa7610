/**
 * Containers: gzip, zip (nested), tar. All data is streamed and never written to disk, so the paths inside a
 * container are only text in a report. The bounds below protect against malicious archives.
 */

import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import yauzl from 'yauzl';
import { isImageName } from '../drawings/name.js';
import { crc32 } from '../store/crc32.js';

export type Bytes = AsyncIterable<Uint8Array>;

export const UNPACK_LIMITS = {
  /** Levels of nested containers. */
  depth: 5,
  /** Entries of one container. */
  entries: 10_000_000,
  /** Bytes of a zip inside another container. It is held in memory. */
  nestedZipBytes: 1_000_000_000,
  /** Output bytes per input byte. Text compresses to a tenth. The maximum of deflate is about 1,030. */
  ratio: 250,
  /** Output bytes below which the ratio is not checked. */
  ratioFromBytes: 32_000_000,
};

/** Reason why a container, or the rest of it, is not read. */
export class UnpackError extends Error {
  override readonly name = 'UnpackError';
}

/**
 * Whether a system call failed, such as a read of a disk or of a network share. The data may be sound then, so its file is
 * read again later.
 */
export const isSystemError = (error: unknown): boolean =>
  typeof (error as NodeJS.ErrnoException | undefined)?.syscall === 'string';

/** The error of a container whose reading failed with `error`. */
function damaged(what: string, error: unknown): unknown {
  if (error instanceof UnpackError || isSystemError(error)) return error;
  return new UnpackError(`damaged ${what}: ${(error as Error).message}`);
}

/**
 * An entry of a container. The caller must start its stream (`peek` does this) and close it, whether it was
 * read to its end or not.
 */
export interface Entry {
  name: string;
  stream: Bytes;
}

export interface Peeked {
  head: Buffer;
  /** The stream from its beginning, including the head. */
  whole: Bytes;
  /** Releases the stream at any position. */
  close: () => Promise<void>;
}

/** Reads the first bytes of a stream. Returns them with the whole stream from its beginning. */
export async function peek(stream: Bytes, wanted: number): Promise<Peeked> {
  const iterator = stream[Symbol.asyncIterator]();
  const parts: Uint8Array[] = [];
  let length = 0;
  while (length < wanted) {
    const next = await iterator.next();
    if (next.done) break;
    parts.push(next.value);
    length += next.value.length;
  }
  const head = Buffer.concat(parts, length).subarray(0, wanted);
  async function* whole(): AsyncGenerator<Uint8Array> {
    // Parts are released one by one, so that the head does not stay in memory during reading.
    for (let part = parts.shift(); part; part = parts.shift()) yield part;
    for (;;) {
      const next = await iterator.next();
      if (next.done) return;
      yield next.value;
    }
  }
  const close = async (): Promise<void> => {
    await iterator.return?.();
  };
  return { head, whole: whole(), close };
}

/** All bytes of a stream, up to a bound. */
export async function collect(stream: Bytes, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of stream) {
    length += part.length;
    if (length > maxBytes) throw new UnpackError(`larger than ${maxBytes} bytes; unpack it first`);
    parts.push(part);
  }
  return Buffer.concat(parts, length);
}

/** The content of a gzip stream with one or several members. */
export async function* gunzip(stream: Bytes): Bytes {
  let taken = 0;
  let given = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const part of stream) {
      taken += part.length;
      yield part;
    }
  }
  const source = Readable.from(counted(), { objectMode: false });
  const unzipped = createGunzip({ chunkSize: 65_536 });
  source.on('error', (error) => unzipped.destroy(error));
  source.pipe(unzipped);
  try {
    for await (const part of unzipped as AsyncIterable<Buffer>) {
      given += part.length;
      boundRatio(given, taken);
      yield part;
    }
  } catch (error) {
    throw damaged('gzip data', error);
  } finally {
    source.destroy();
    unzipped.destroy();
  }
}

function boundRatio(given: number, taken: number): void {
  if (given > UNPACK_LIMITS.ratioFromBytes && given > taken * UNPACK_LIMITS.ratio) {
    throw new UnpackError(
      `unpacks to more than ${UNPACK_LIMITS.ratio} times its size, which no patent data does; not read further`,
    );
  }
}

/** Entries of a tar stream, files only. */
export async function* untar(stream: Bytes): AsyncIterable<Entry> {
  const unpacked = extract();
  const source = Readable.from(stream, { objectMode: false });
  source.on('error', (error) => unpacked.destroy(error));
  source.pipe(unpacked);
  let count = 0;
  try {
    for await (const entry of unpacked) {
      boundEntries(++count);
      if (entry.header.type !== 'file' && entry.header.type !== 'contiguous-file') {
        entry.resume();
        continue;
      }
      yield { name: entry.header.name, stream: toItsEnd(entry as unknown as Bytes) };
    }
  } catch (error) {
    throw damaged('tar', error);
  } finally {
    source.destroy();
    unpacked.destroy();
  }
}

/** A tar is one stream: an entry that is closed early is read to its end, not destroyed. */
async function* toItsEnd(entry: Bytes): Bytes {
  const iterator = entry[Symbol.asyncIterator]();
  let done: boolean | undefined = false;
  try {
    for (;;) {
      const next = await iterator.next();
      done = next.done;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    while (!done) done = (await iterator.next()).done;
  }
}

function boundEntries(count: number): void {
  if (count > UNPACK_LIMITS.entries) throw new UnpackError(`more than ${UNPACK_LIMITS.entries} entries`);
}

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
  // Names are decoded below: yauzl would end the archive at a name that it refuses.
  const options = { lazyEntries: true, autoClose: false, decodeStrings: false } as const;
  let zip: yauzl.ZipFile;
  try {
    zip =
      typeof source === 'string'
        ? await yauzl.openPromise(source, options)
        : await yauzl.fromBufferPromise(source, options);
  } catch (error) {
    throw damaged('zip', error);
  }
  let count = 0;
  try {
    await readOn(zip, source);
    for await (const entry of zip.eachEntry()) {
      boundEntries(++count);
      await readOn(zip, source);
      const name = nameOf(entry);
      if (name.endsWith('/') || !isWanted(name)) continue;
      yield { name, stream: yauzl.validateFileName(name) === null ? sound(zip, entry) : refused() };
    }
  } catch (error) {
    throw damaged('zip', error);
  } finally {
    zip.close();
  }
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
