/**
 * Sources of documents: files and folders, packed or not, recognised by their content. Yields units for
 * parsing in a worker, and failures. The content of a source never makes it throw.
 */
import { createReadStream } from 'node:fs';
import { dirname } from 'node:path';
import { DRAWING_MAX_BYTES } from '../limits.js';
import type { SourceFile } from '../store/source-record.js';
import { TableFolders } from './join.js';
import { failureAt, folderOf, type Place, positionOf, reasonOf } from './place.js';
import type { Failure, SkippedFile, Unit } from './readers/reader.js';
import { isPdf, isSideFile, sniff, utf16Of } from './sniff.js';
import { openSpreadsheet, spreadsheetParts } from './spreadsheet/spreadsheet.js';
import { openText } from './text.js';
import {
  type Bytes,
  collect,
  type Entry,
  gunzip,
  isSystemError,
  peek,
  UNPACK_LIMITS,
  UnpackError,
  untar,
} from './unpack.js';
import { unzip } from './unzip.js';
import { type FoundFile, STANDARD_INPUT, settled, sourceFile, walk } from './walk.js';

export interface SourceOptions {
  /**
   * Selects the files that are read. Default: all. `with-folder` reads a file only if another file of its
   * folder is read, as joined tables need.
   */
  wanted?: (file: SourceFile) => boolean | 'with-folder';
  /** Called for a file that `wanted` excludes. */
  onPassedOver?: (file: SourceFile) => void;
  /**
   * Milliseconds. Skips folders with a file that changed less than this time ago: the set of files may be
   * incomplete.
   */
  settledMs?: number;
  /**
   * Called at the end of a file, after all of its units were yielded under `name`. Not called after a disk
   * error. `joined`: the file is a table whose rows were yielded with the other tables of its folder.
   */
  onEnd?: (file: SourceFile, name: string, joined: boolean) => void;
  /** Stops the walk. The iteration throws the reason of the signal. */
  signal?: AbortSignal;
  /** Packed bytes on disk of the given files: bytes read so far, and all bytes. */
  onProgress?: (bytesRead: number, totalBytes: number) => void;
  /** Called for drawings beside or inside the documents. Without it images are skipped. */
  onImage?: (image: ImageFile) => void | Promise<void>;
  /**
   * Called for files that are not patent data and that the user did not name. Without it they are skipped.
   */
  onSkipped?: (file: SkippedFile) => void;
}

export interface ImageFile {
  file: string;
  position: string;
  /** Folder of the file, as `Unit.folder`. */
  folder: string;
  /** File name without folder. */
  name: string;
  bytes: Uint8Array;
}

export type SourceItem = Unit | Failure;

/** Whether an item is a failure. */
export function isFailure(item: SourceItem): item is Failure {
  return 'reason' in item;
}

/** Bytes read to detect a format. The first line of JSON Lines may be long. */
const HEAD_BYTES = 1 << 20;
/**
 * Walks files and folders in order (within a folder as `walk`). Yields each document as a `Unit`, and each
 * unreadable file, entry or piece as a `Failure`. Images and other known companions are skipped.
 */
export async function* openSources(
  paths: readonly string[],
  options: SourceOptions = {},
): AsyncGenerator<SourceItem, void, undefined> {
  const found: FoundFile[] = [];
  for (const path of paths) {
    for await (const item of walk(path, true, options.onSkipped)) {
      options.signal?.throwIfAborted();
      if ('reason' in item) yield item;
      else found.push(item);
    }
  }
  const files = chosen(settled(found, options.settledMs ?? 0), options);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const tables = new TableFolders();
  let done = 0;
  let ended: FoundFile[] = [];
  const leaveFolder = function* (): Generator<Unit> {
    yield* tables.units();
    for (const found of ended) {
      if (found.path === STANDARD_INPUT) continue;
      options.onEnd?.(sourceFile(found), found.path, tables.joined.has(found.path));
    }
    ended = [];
    tables.joined.clear();
  };
  for (const found of files) {
    const { path, size, isNamed } = found;
    // The tables of a folder are complete after its last file.
    if (dirname(path) !== tables.folder) yield* leaveFolder();
    tables.folder = dirname(path);
    const place = { file: path, entries: [], depth: 0, isNamed };
    const before = done;
    const report = (bytes: number): void =>
      options.onProgress?.(Math.min(before + bytes, before + size), total);
    try {
      yield* openFile(path, place, size, { ...options, tables }, report);
      ended.push(found);
    } catch (error) {
      options.signal?.throwIfAborted();
      yield failureAt(place, reasonOf(error));
      if (error instanceof UnpackError) ended.push(found);
    }
    if (tables.isEmpty) yield* leaveFolder();
    done = before + size;
    options.onProgress?.(done, total);
  }
  yield* leaveFolder();
}

/** The files that are read, in order. */
function chosen(files: readonly FoundFile[], { wanted, onPassedOver }: SourceOptions): FoundFile[] {
  if (wanted === undefined) return [...files];
  const answers = files.map((file) => file.path === STANDARD_INPUT || wanted(sourceFile(file)));
  const folders = new Set(files.filter((_, n) => answers[n] === true).map(({ path }) => dirname(path)));
  return files.filter((file, n) => {
    const isRead = answers[n] === true || (answers[n] === 'with-folder' && folders.has(dirname(file.path)));
    if (!isRead) onPassedOver?.(sourceFile(file));
    return isRead;
  });
}

/** State shared between the sources of one iteration. */
interface Opening extends SourceOptions {
  tables: TableFolders;
}

type Report = (bytes: number) => void;

async function* openFile(
  path: string,
  place: Place,
  size: number,
  options: Opening,
  report: Report,
): AsyncGenerator<SourceItem> {
  const isInput = path === STANDARD_INPUT && place.isNamed;
  if (size === 0 && !isInput) {
    yield failureAt(place, 'empty file');
    return;
  }
  let read = 0;
  const stream = isInput ? process.stdin : createReadStream(path, { highWaterMark: 1 << 18 });
  options.signal?.throwIfAborted();
  // A pipe may give nothing for a long time.
  const stop = () => stream.destroy(options.signal?.reason);
  options.signal?.addEventListener('abort', stop, { once: true });
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      options.signal?.throwIfAborted();
      read += chunk.length;
      report(read);
      yield chunk;
    }
  }
  try {
    const { head, whole, close } = await peek(counted(), HEAD_BYTES);
    try {
      if (sniff(head) === 'zip' && !isInput) yield* openZip(path, { ...place, depth: 1 }, options);
      else yield* openStream(head, whole, place, options);
    } finally {
      await close();
    }
  } finally {
    options.signal?.removeEventListener('abort', stop);
  }
}

async function* openStream(
  head: Buffer,
  whole: Bytes,
  place: Place,
  options: Opening,
): AsyncGenerator<SourceItem> {
  const kind = sniff(head);
  if (kind === 'gzip' || kind === 'zip' || kind === 'tar') {
    if (place.depth >= UNPACK_LIMITS.depth)
      throw new UnpackError('containers nested too deep; unpack the outer ones');
    yield* openContainer(kind, whole, { ...place, depth: place.depth + 1 }, options);
  } else if (kind === 'image') {
    const name = (place.entries.at(-1) ?? place.file).split(/[\\/]/).at(-1) ?? '';
    if (/\.(?:xml|jsonl?)$/i.test(name)) {
      yield failureAt(place, 'an image, though its name is that of a document');
    } else if (options.onImage) {
      const bytes = await collect(whole, DRAWING_MAX_BYTES);
      await options.onImage({
        file: place.file,
        position: positionOf(place),
        folder: folderOf(place),
        name,
        bytes,
      });
    }
  } else if (head.length === 0) {
    yield failureAt(place, 'empty file');
  } else if (kind === 'utf16') {
    const wide = new TextDecoder(utf16Of(head));
    const narrow = await peek(transcoded(whole, wide), HEAD_BYTES);
    yield* openText(narrow.head, narrow.whole, place, options);
  } else if (place.isNamed && isPdf(head)) {
    yield failureAt(place, 'a PDF file, which is not read; ingest the XML or JSON of the office');
  } else if (!isSideFile(head)) {
    yield* openText(head, whole, place, options);
  }
}

async function* openContainer(
  kind: 'gzip' | 'zip' | 'tar',
  whole: Bytes,
  place: Place,
  options: Opening,
): AsyncGenerator<SourceItem> {
  if (kind === 'gzip') {
    const inner = await peek(gunzip(whole), HEAD_BYTES);
    try {
      yield* openStream(inner.head, inner.whole, place, options);
    } finally {
      await inner.close();
    }
  } else if (kind === 'tar') {
    yield* openEntries(untar(whole), place, options);
  } else {
    yield* openZip(await collect(whole, UNPACK_LIMITS.nestedZipBytes), place, options);
  }
}

/** A zip on disk (a path) or in memory. */
async function* openZip(source: string | Buffer, place: Place, options: Opening): AsyncGenerator<SourceItem> {
  const parts = await spreadsheetParts(source);
  if (parts === undefined) {
    yield* openEntries(unzip(source), place, options);
    return;
  }
  try {
    yield* openSpreadsheet(parts, place, options, HEAD_BYTES);
  } finally {
    parts.close();
  }
}

/** Possible names of the first entry of a document of an office suite. */
const OFFICE_ENTRY = /^(?:\[Content_Types\]\.xml|(?:_rels|docProps|xl|word|ppt)\/.*)$/;
const OFFICE_DOCUMENT =
  'an office document that is no spreadsheet in .xlsx form (docx, pptx, xlsb); save its table as .xlsx or CSV';

async function* openEntries(
  entries: AsyncIterable<Entry>,
  place: Place,
  options: Opening,
): AsyncGenerator<SourceItem> {
  let opened = 0;
  for await (const entry of entries) {
    options.signal?.throwIfAborted();
    if (opened++ === 0 && OFFICE_ENTRY.test(entry.name)) {
      if (place.isNamed) throw new UnpackError(OFFICE_DOCUMENT);
      options.onSkipped?.({ file: place.file, position: positionOf(place), reason: OFFICE_DOCUMENT });
      return;
    }
    const inside = { ...place, entries: [...place.entries, entry.name], isNamed: false };
    let close: (() => Promise<void>) | undefined;
    try {
      const found = await peek(entry.stream, HEAD_BYTES);
      close = found.close;
      yield* openStream(found.head, found.whole, inside, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      // The disk of the archive fails, not the entry.
      if (isSystemError(error)) throw error;
      yield failureAt(inside, reasonOf(error));
    } finally {
      await close?.();
    }
  }
}

async function* transcoded(stream: Bytes, decoder: InstanceType<typeof TextDecoder>): Bytes {
  for await (const part of stream) yield Buffer.from(decoder.decode(part, { stream: true }));
  yield Buffer.from(decoder.decode());
}
