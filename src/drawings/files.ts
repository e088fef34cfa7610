/**
 * Stores images in files that are named by the hash of their content. Equal images are stored once, and a damaged file
 * does not match its name.
 *
 * `<data>/drawings/<first 3 hex digits>/<SHA-256 in hex>.webp`, and `<data>/drawings/new/` for files that are being
 * written. A file is written there, synced, then renamed, so that no incomplete file ever has a final name.
 */
import { createHash, randomUUID } from 'node:crypto';
import { access, mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PriorartError } from '../errors.js';
import { DRAWING_LEFTOVER_AGE_MS } from '../limits.js';
import { syncFolderAsync } from '../store/room.js';

/** A store of images: a folder or a bucket. */
export interface DrawingFiles {
  /** Stores an image and returns the SHA-256 of its bytes in hex, its key. Durable when it resolves. */
  put(bytes: Uint8Array): Promise<string>;
  has(content: string): Promise<boolean>;
  /** The bytes of an image. @throws PriorartError if it is not there */
  read(content: string): Promise<Uint8Array>;
}

/** What is wrong with a stored file. */
export interface DrawingFault {
  reason: string;
  /** Whether the file is gone or has other bytes. Otherwise it could not be read, and may be intact. */
  isDamaged: boolean;
}

const SHARD_DIGITS = 3;
const NEW = 'new';
const CONTENT = /^[0-9a-f]{64}$/;
const FILE_NAME = /^([0-9a-f]{64})\.webp$/;

/** Folders of images whose names this process has synced. */
const durable = new Set<string>();
const DURABLE_REMEMBERED = 16_384;

/** SHA-256 in hex. */
export function contentOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Images in a local folder. Several processes may write to it at once. */
export class LocalDrawings implements DrawingFiles {
  readonly dir: string;

  /** @param dataDir the data folder; the first `put` makes the subfolders */
  constructor(dataDir: string) {
    this.dir = join(dataDir, 'drawings');
  }

  /** @throws TypeError if `content` is not a SHA-256 in hex: no other text becomes a path */
  path(content: string): string {
    if (!CONTENT.test(content)) throw new TypeError('not the SHA-256 of a drawing');
    return join(this.dir, content.slice(0, SHARD_DIGITS), `${content}.webp`);
  }

  async has(content: string): Promise<boolean> {
    return access(this.path(content)).then(
      () => true,
      () => false,
    );
  }

  read(content: string): Promise<Uint8Array> {
    return readFile(this.path(content)).catch((cause: unknown) => {
      throw new PriorartError('unavailable', 'the image is not in the data folder', { cause });
    });
  }

  async put(bytes: Uint8Array): Promise<string> {
    const content = contentOf(bytes);
    const path = this.path(content);
    const shard = join(this.dir, content.slice(0, SHARD_DIGITS));
    // Renews the time of the file, so that a concurrent cleanup does not remove it before a commit refers to it.
    const now = new Date();
    if (
      await utimes(path, now, now).then(
        () => true,
        () => false,
      )
    ) {
      // The process that stored the image may have been killed before it synced the folder.
      await this.#makeShard(shard);
      await syncFolderAsync(shard);
      return content;
    }
    await this.#makeShard(shard);
    await makeFolder(join(this.dir, NEW));
    const aside = join(this.dir, NEW, randomUUID());
    try {
      const file = await open(aside, 'wx');
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(aside, path);
    } catch (error) {
      await rm(aside, { force: true });
      throw error;
    }
    await syncFolderAsync(shard);
    return content;
  }

  /** Makes a folder of images that survives a power failure. */
  async #makeShard(shard: string): Promise<void> {
    await mkdir(dirname(this.dir), { recursive: true });
    const isNew = [await makeFolder(this.dir), await makeFolder(shard)].includes(true);
    if (!isNew && durable.has(shard)) return;
    for (const folder of [this.dir, dirname(this.dir)]) await syncFolderAsync(folder);
    if (durable.size >= DURABLE_REMEMBERED) durable.clear();
    durable.add(shard);
  }

  /** Yields the key of every stored file, in order, with its path. @throws Error of the system if a folder cannot be read */
  async *list(): AsyncGenerator<{ content: string; path: string }> {
    for (const shard of await names(this.dir)) {
      if (shard === NEW) continue;
      for (const name of await names(join(this.dir, shard))) {
        const content = FILE_NAME.exec(name)?.[1];
        if (content?.startsWith(shard)) yield { content, path: join(this.dir, shard, name) };
      }
    }
  }

  /** The fault of a stored file; undefined if it is intact. */
  async fault(content: string): Promise<DrawingFault | undefined> {
    try {
      const isIntact = contentOf(await readFile(this.path(content))) === content;
      return isIntact ? undefined : { reason: 'wrong checksum', isDamaged: true };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return { reason: 'the file is missing', isDamaged: true };
      return { reason: `it cannot be read: ${message}`, isDamaged: false };
    }
  }

  /** Files that a killed process left behind. Recent files are skipped: another process may be writing them. */
  async abandoned(): Promise<string[]> {
    const found: string[] = [];
    for (const name of await names(join(this.dir, NEW))) {
      const path = join(this.dir, NEW, name);
      if (await isOld(path)) found.push(path);
    }
    return found;
  }

  async removeAbandoned(): Promise<string[]> {
    const found = await this.abandoned();
    for (const path of found) await rm(path, { force: true });
    return found;
  }
}

/** Whether a file is too old for another process to be writing it. */
export async function isOld(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  return Date.now() - mtimeMs > DRAWING_LEFTOVER_AGE_MS;
}

/** Makes a folder. Returns false if it exists. (With `recursive`, a full disk would be reported as ENOENT.) */
async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Names in a folder, in order; none if there is no such folder. Without those of a folder that cannot be read, a copy would lack files. */
async function names(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}
