/**
 * Copies one state of a data folder while other processes search and write. LMDB copies the store within one read
 * transaction. Files of segments and drawings never change, so a hard link is a copy. Segments are linked first, so that
 * a merge cannot remove them meanwhile.
 */
import { randomUUID } from 'node:crypto';
import { constants, existsSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { copyFile, link, mkdir, open, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { LocalDrawings } from '../drawings/files.js';
import { isPriorartError, PriorartError, whyUnreadable } from '../errors.js';
import { dataFile } from '../store/faults.js';
import type { Manifest, SegmentEntry } from '../store/manifest.js';
import { forgetReembedding, reembeddingOf } from '../store/reembedding.js';
import { isOnReadOnlyDisk, syncFolderAsync } from '../store/room.js';
import { Store } from '../store/store.js';
import { lockInFolder } from './native.js';
import { SEGMENT_FILE } from './segment.js';
import type { SnapshotOptions, SnapshotSummary } from './snapshot-summary.js';

/** Subfolder of the data folder with hard links to all segments while the copy is made. */
const HELD = 'snapshot.part';
const LOCK = 'snapshot.lock';
/** Maximum attempts to link all segments of a state before a merge removes one. */
const ATTEMPTS = 10;

/**
 * Copies a data folder to a new path or an empty folder. An incomplete copy never has the name of the path. A copy can be
 * opened like any data folder.
 * @throws PriorartError `usage` if the path exists and is not an empty folder, is in the data folder, or lies in no folder
 *   that exists, `unavailable` if another copy is being made, `cancelled`, `disk_full`, `data_corrupt` if a file of a segment is missing, `read_only`
 */
export async function snapshotFolder(
  store: Store,
  path: string,
  options: SnapshotOptions = {},
): Promise<SnapshotSummary> {
  // Without a trailing slash: otherwise temporary folders beside it would be inside it and be removed with it.
  const folder = resolve(path);
  if (existsSync(folder) && (!statSync(folder).isDirectory() || readdirSync(folder).length > 0)) {
    throw new PriorartError('usage', `${folder} is there already; name a folder that is not`);
  }
  if (isWithin(realPathOf(folder), realpathSync(store.dir))) {
    throw new PriorartError(
      'usage',
      `${folder} is in the data folder ${store.dir}; name a folder outside it`,
    );
  }
  requireFolder(dirname(folder));
  if (isOnReadOnlyDisk(store.dir)) {
    const message = `${store.dir} is on a read-only file system, where a snapshot cannot set its locks; nothing changes there, so copy the folder itself`;
    throw new PriorartError('read_only', message);
  }
  const lock = lockInFolder(store.dir, LOCK);
  if (lock === null) {
    throw new PriorartError('unavailable', `${store.dir} is being copied by another process; let it finish`);
  }
  const part = `${folder}.part-${randomUUID()}`;
  const held = join(store.dir, HELD);
  try {
    await rm(held, { recursive: true, force: true }); // Left by a killed process.
    await removeParts(folder);
    // The copy is for its owner only, as the data folder is, whatever umask the application has.
    await mkdir(part, { mode: 0o700 });
    const summary = await new Copy(store, part, held, options).make();
    await options.alongside?.(part);
    await syncFolderAsync(part);
    // Removes an empty folder only: another process may have added files meanwhile.
    if (existsSync(folder)) await rmdir(folder);
    await rename(part, folder);
    await syncFolderAsync(dirname(folder));
    return { folder, ...summary };
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    if (options.signal?.aborted) {
      throw new PriorartError('cancelled', `stopped; nothing was left at ${folder}`, { cause: error });
    }
    throw asFull(error, folder);
  } finally {
    await rm(held, { recursive: true, force: true }).finally(() => lock.release());
  }
}

/**
 * Links that a killed copy has left in the data folder: they keep the bytes of segments that are merged later.
 * @returns their path; undefined if there are none, or if a copy is being made
 */
export function leftOfCopy(store: Store): string | undefined {
  if (!existsSync(join(store.dir, HELD))) return undefined;
  try {
    return whileNotCopied(store, () => HELD);
  } catch (error) {
    // No copy can be made of a folder that takes no lock.
    if (isPriorartError(error) && error.code === 'read_only') return HELD;
    throw error;
  }
}

/** Removes them. @returns their path; undefined if there are none, or if a copy is being made */
export function removeLeftOfCopy(store: Store): string | undefined {
  if (!existsSync(join(store.dir, HELD))) return undefined;
  return whileNotCopied(store, () => {
    rmSync(join(store.dir, HELD), { recursive: true, force: true });
    return HELD;
  });
}

function whileNotCopied<T>(store: Store, work: () => T): T | undefined {
  const lock = lockInFolder(store.dir, LOCK);
  if (lock === null) return undefined;
  try {
    return work();
  } finally {
    lock.release();
  }
}

/** The random end of an incomplete copy's name. */
const PART = /\.part-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Removes incomplete copies that were to have this name. Killed processes left them, since the caller holds the lock. */
async function removeParts(folder: string): Promise<void> {
  for (const name of readdirSync(dirname(folder))) {
    if (name === basename(folder) || name.replace(PART, '') !== basename(folder)) continue;
    await rm(join(dirname(folder), name), { recursive: true, force: true });
  }
}

/**
 * The folder of a copy is not made: if the disk for backups is not mounted, the copy would fill another disk.
 * @throws PriorartError `usage`
 */
function requireFolder(parent: string): void {
  const isIn = `the copy would be in ${parent}, which`;
  try {
    if (statSync(parent).isDirectory()) return;
  } catch (cause) {
    const remedy = 'mount the disk that it is on, or make the folder first';
    throw new PriorartError('usage', `${isIn} ${whyUnreadable(cause)}; ${remedy}`, { cause });
  }
  throw new PriorartError('usage', `${isIn} is not a folder; name another path`);
}

/** A path without links. Its last parts may be missing. */
function realPathOf(path: string): string {
  if (existsSync(path) || dirname(path) === path) return realpathSync(path);
  return join(realPathOf(dirname(path)), basename(path));
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
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

  /** Copies the store. When it resolves, all segments that the copy names are linked. */
  async #copyState(): Promise<Manifest> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      this.#options.signal?.throwIfAborted();
      this.#store.refresh();
      await this.#hold(this.#store.manifest().segments);
      this.#options.onProgress?.('texts');
      await rm(join(this.#part, 'store'), { recursive: true, force: true });
      const path = dataFile(this.#part);
      await this.#makeFolder(dirname(path));
      await this.#store.root.backup(path, false);
      const manifest = await takeManifest(this.#part);
      // Links segments committed between the two steps. If one of them is gone, a merge replaced it: try again.
      if (!(await this.#hold(manifest.segments))) {
        this.#requireFiles();
        continue;
      }
      await syncFile(path);
      this.#count((await stat(path)).size, false);
      return manifest;
    }
    const message = `${this.#store.dir} is merged faster than it can be copied; try again when the ingest is over`;
    throw new PriorartError('unavailable', message);
  }

  /** Makes hard links to segments. Returns false if one is gone. */
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

  /**
   * A merge commits before it removes files, so a file that the newest state names is there.
   * @throws PriorartError `data_corrupt` if it is missing
   */
  #requireFiles(): void {
    const { dir } = this.#store;
    this.#store.refresh();
    const state = this.#store.manifestBytes();
    const paths = this.#store.manifest().segments.flatMap(filesOf);
    const missing = paths.map((file) => join(dir, 'segments', file)).find((path) => !existsSync(path));
    this.#store.refresh();
    if (missing === undefined || !this.#store.isManifest(state)) return;
    const message = `${missing} is missing; run \`priorart check --repair --data ${dir}\``;
    throw new PriorartError('data_corrupt', message);
  }

  /** Copies all images. The store refers to an image only after its file exists, so the copy lacks none. */
  async #copyDrawings(): Promise<void> {
    const from = new LocalDrawings(this.#store.dir);
    const to = new LocalDrawings(this.#part);
    for await (const { content, path } of from.list()) {
      if (this.#files % 100 === 0) this.#options.onProgress?.(`drawings: file ${this.#files}`);
      await this.#place(path, to.path(content));
    }
  }

  async #place(from: string, to: string): Promise<void> {
    this.#options.signal?.throwIfAborted();
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

  /** Syncs the folders, which makes the new names durable. */
  async #syncFolders(): Promise<void> {
    for (const folder of [...this.#folders].sort().reverse()) await syncFolderAsync(folder);
  }
}

/** Files of a segment, relative to `segments/`. */
function filesOf({ id, index }: SegmentEntry): string[] {
  return [SEGMENT_FILE, ...(index ? [index.file] : [])].map((name) => join(id, name));
}

/** Reads the manifest of the copy and removes a re-embedding in progress from it. */
async function takeManifest(folder: string): Promise<Manifest> {
  const copy = Store.open(folder);
  try {
    if (reembeddingOf(copy)) forgetReembedding(copy);
    return copy.manifest();
  } finally {
    await copy.close();
  }
}

/** Error codes of file systems that do not support a hard link. */
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

function asFull(error: unknown, folder: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'ENOSPC' && code !== 'EDQUOT' && !/No space left/.test(message)) return error;
  const text = `no room for a copy at ${folder}; nothing was left there`;
  return new PriorartError('disk_full', text, { cause: error });
}
