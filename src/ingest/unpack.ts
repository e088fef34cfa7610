/**
 * Containers: gzip and tar, and what they share with zip (`unzip.ts`). All data is streamed and never written to disk, so
 * the paths inside a container are only text in a report. The bounds below protect against malicious archives.
 */

import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';

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
export function damaged(what: string, error: unknown): unknown {
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

/** @throws UnpackError if the bytes given are out of proportion to the packed bytes taken */
export function boundRatio(given: number, taken: number): void {
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

/** @throws UnpackError if a container has too many entries */
export function boundEntries(count: number): void {
  if (count > UNPACK_LIMITS.entries) throw new UnpackError(`more than ${UNPACK_LIMITS.entries} entries`);
}
