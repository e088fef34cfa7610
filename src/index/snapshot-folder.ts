/**
 * A copy of a data folder as it is at one moment, made while others search and write. The store is copied by LMDB
 * within one read transaction; segments and drawings never change under their name, so a second name for the same
 * file (a hard link) is a copy. What a merge takes away meanwhile was linked before.
 */
import { randomUUID } from 'node:crypto';
import { constants, existsSync, readdirSync } from 'node:fs';
import { copyFile, link, mkdir, open, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { LocalDrawings } from '../drawings/files.js';
import { PriorartError } from '../errors.js';
import { dataFile } from '../store/faults.js';
import type { Manifest, SegmentEntry } from '../store/manifest.js';
import { forgetReembedding, reembeddingOf } from '../store/reembedding.js';
import { Store } from '../store/store.js';
import { native } from './native.js';
import { SEGMENT_FILE } from './segment.js';
import type { SnapshotOptions, SnapshotSummary } from './snapshot-summary.js';

/** Below the data folder: a second name for each segment, for as long as the copy is made. */
const HELD = 'snapshot.part';
/** Attempts at finding all segments of a state, should merges outrun us. */
const ATTEMPTS = 10;

/**
 * Copies a data folder to a path where nothing is, or an empty folder. The copy is there whole or not at all; it is
 * restored by opening it.
 * @throws PriorartError `usage` where something is in the way, `unavailable` while another copy is made, `disk_full`
 */
export async function snapshotFolder(
  store: Store,
  path: string,
  options: SnapshotOptions = {},
): Promise<SnapshotSummary> {
  // Without a slash at its end: what is made beside it would lie in it, and be removed with it.
  const folder = resolve(path);
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new PriorartError('usage', `${folder} is there already; name a folder that is not`);
  }
  const lock = native.FileLock.acquire(join(store.dir, 'snapshot.lock'));
  if (lock === null) {
    throw new PriorartError('unavailable', `${store.dir} is being copied by another process; let it finish`);
  }
  const part = `${folder}.part-${randomUUID().slice(0, 8)}`;
  const held = join(store.dir, HELD);
  try {
    await rm(held, { recursive: true, force: true }); // Of a process that was killed.
    const summary = await new Copy(store, part, held, options).make();
    await options.alongside?.(part);
    // Not what somebody has put there meanwhile.
    if (existsSync(folder)) await rmdir(folder);
    await rename(part, folder);
    await syncFolder(dirname(folder));
    return { folder, ...summary };
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    throw asFull(error, folder);
  } finally {
    await rm(held, { recursive: true, force: true });
    lock.release();
  }
}

class Copy {
  readonly #store: Store;
  readonly #part: string;
  readonly #held: string;
  readonly #options: SnapshotOptions;
  readonly #folders = new Set<string>();
  #files = 0;
  #bytes = 0;
  #linked = 0;

  constructor(store: Store, part: string, held: string, options: SnapshotOptions) {
    this.#store = store;
    this.#part = part;
    this.#held = held;
    this.#options = options;
  }

  async make(): Promise<Omit<SnapshotSummary, 'folder'>> {
    const { generation, documents, passages, segments } = await this.#copyState();
    for (const [n, file] of segments.flatMap(filesOf).entries()) {
      this.#options.onProgress?.(`segments: file ${n + 1}`);
      await this.#place(join(this.#held, file), join(this.#part, 'segments', file));
    }
    await this.#copyDrawings();
    await this.#syncFolders();
    return { generation, documents, passages, files: this.#files, bytes: this.#bytes, linked: this.#linked };
  }

  /** Copies the store; all segments that the copy names are held when this resolves. */
  async #copyState(): Promise<Manifest> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      this.#store.refresh();
      await this.#hold(this.#store.manifest().segments);
      this.#options.onProgress?.('texts');
      await rm(join(this.#part, 'store'), { recursive: true, force: true });
      const path = dataFile(this.#part);
      await this.#makeFolder(dirname(path));
      await this.#store.root.backup(path, false);
      const manifest = await takeManifest(this.#part);
      // Those that were committed between the two steps; one that was merged away meanwhile needs another attempt.
      if (!(await this.#hold(manifest.segments))) continue;
      await syncFile(path);
      this.#count((await stat(path)).size, false);
      return manifest;
    }
    const message = `${this.#store.dir} is merged faster than it can be copied; try again when the ingest is over`;
    throw new PriorartError('unavailable', message);
  }

  /** Gives segments a second name; false where one is gone. */
  async #hold(segments: readonly SegmentEntry[]): Promise<boolean> {
    let whole = true;
    for (const file of segments.flatMap(filesOf)) {
      const second = join(this.#held, file);
      if (existsSync(second)) continue;
      await mkdir(dirname(second), { recursive: true });
      const there = await linkOrCopy(join(this.#store.dir, 'segments', file), second, false).catch(ifGone);
      whole &&= there !== undefined;
    }
    return whole;
  }

  /** Every image: names come into the store after their file, so the copy names none that is not there. */
  async #copyDrawings(): Promise<void> {
    const from = new LocalDrawings(this.#store.dir);
    const to = new LocalDrawings(this.#part);
    for await (const { content, path } of from.list()) {
      if (this.#files % 100 === 0) this.#options.onProgress?.(`drawings: file ${this.#files}`);
      await this.#place(path, to.path(content));
    }
  }

  async #place(from: string, to: string): Promise<void> {
    await this.#makeFolder(dirname(to));
    const linked = await linkOrCopy(from, to, this.#options.copy === true);
    this.#count((await stat(to)).size, linked === 'linked');
  }

  async #makeFolder(path: string): Promise<void> {
    if (this.#folders.has(path)) return;
    await mkdir(path, { recursive: true });
    for (let at = path; at.startsWith(this.#part); at = dirname(at)) this.#folders.add(at);
  }

  #count(bytes: number, linked: boolean): void {
    this.#files += 1;
    this.#bytes += bytes;
    if (linked) this.#linked += 1;
  }

  /** Names are durable when their folders are. */
  async #syncFolders(): Promise<void> {
    for (const folder of [...this.#folders].sort().reverse()) await syncFolder(folder);
  }
}

/** Files of a segment, below `segments/`. */
function filesOf({ id, index }: SegmentEntry): string[] {
  return [SEGMENT_FILE, ...(index ? [index.file] : [])].map((name) => join(id, name));
}

/** The manifest of the copy; a re-embedding that is under way is not copied. */
async function takeManifest(folder: string): Promise<Manifest> {
  const copy = Store.open(folder);
  try {
    if (reembeddingOf(copy)) forgetReembedding(copy);
    return copy.manifest();
  } finally {
    await copy.close();
  }
}

/** What file systems say that can not give a file a second name, or not there. */
const NO_LINK = new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

async function linkOrCopy(from: string, to: string, copy: boolean): Promise<'linked' | 'copied'> {
  if (!copy) {
    try {
      await link(from, to);
      return 'linked';
    } catch (error) {
      if (!NO_LINK.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
  await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  await syncFile(to);
  return 'copied';
}

function ifGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function asFull(error: unknown, folder: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'ENOSPC' && code !== 'EDQUOT' && !/No space left/.test(message)) return error;
  const text = `no room for a copy at ${folder}; nothing was left there`;
  return new PriorartError('disk_full', text, { cause: error });
}
