/**
 * Where the images lie: files named by their content, so that one that is stored twice is there once, and a
 * damaged one is known by its name.
 *
 * `<data>/drawings/<first 3 hex digits>/<SHA-256 in hex>.webp`, and `<data>/drawings/new/` for files that are
 * being written. A file comes under its name whole or not at all: it is written aside, synced, renamed.
 */
import { createHash, randomUUID } from 'node:crypto';
import { access, mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DRAWING_LEFTOVER_AGE_MS } from '../limits.js';

/** Stored images, wherever that is. */
export interface DrawingFiles {
  /** Stores an image and returns what it is found by, the SHA-256 of its bytes in hex. Durable when it resolves. */
  put(bytes: Uint8Array): Promise<string>;
  has(content: string): Promise<boolean>;
}

const SHARD_DIGITS = 3;
const NEW = 'new';
const CONTENT = /^[0-9a-f]{64}$/;
const FILE_NAME = /^([0-9a-f]{64})\.webp$/;

/** Folders of images whose names this process has synced, at most so many. */
const durable = new Set<string>();
const DURABLE_REMEMBERED = 16_384;

/** SHA-256 in hex. */
export function contentOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Images in a folder of this machine; several processes may write into it at once. */
export class LocalDrawings implements DrawingFiles {
  readonly dir: string;

  /** @param dataDir the data folder; nothing is made before the first `put` */
  constructor(dataDir: string) {
    this.dir = join(dataDir, 'drawings');
  }

  /** @throws TypeError for anything but a SHA-256 in hex: no other text becomes a path */
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

  async put(bytes: Uint8Array): Promise<string> {
    const content = contentOf(bytes);
    const path = this.path(content);
    const shard = join(this.dir, content.slice(0, SHARD_DIGITS));
    // Young again, so that nobody takes it for a leftover before its name is written.
    const now = new Date();
    if (
      await utimes(path, now, now).then(
        () => true,
        () => false,
      )
    ) {
      // Whoever stored it may have been killed before he had synced it.
      await this.#makeShard(shard);
      await syncFolder(shard);
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
    await syncFolder(shard);
    return content;
  }

  /** Makes a folder of images that outlives a power cut. */
  async #makeShard(shard: string): Promise<void> {
    await mkdir(dirname(this.dir), { recursive: true });
    const isNew = [await makeFolder(this.dir), await makeFolder(shard)].includes(true);
    if (!isNew && durable.has(shard)) return;
    for (const folder of [this.dir, dirname(this.dir)]) await syncFolder(folder);
    if (durable.size >= DURABLE_REMEMBERED) durable.clear();
    durable.add(shard);
  }

  /** The content of every stored file, in order, with its path. */
  async *list(): AsyncGenerator<{ content: string; path: string }> {
    for (const shard of await names(this.dir)) {
      if (shard === NEW) continue;
      for (const name of await names(join(this.dir, shard))) {
        const content = FILE_NAME.exec(name)?.[1];
        if (content?.startsWith(shard)) yield { content, path: join(this.dir, shard, name) };
      }
    }
  }

  /** What is wrong with a stored file, in words. */
  async fault(content: string): Promise<string | undefined> {
    try {
      return contentOf(await readFile(this.path(content))) === content ? undefined : 'wrong checksum';
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return code === 'ENOENT' ? 'the file is missing' : message;
    }
  }

  /** Files that a killed process was writing; young ones may be another's at this moment. */
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

/** Whether a file is old enough not to be anybody's work at this moment. */
export async function isOld(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  return Date.now() - mtimeMs > DRAWING_LEFTOVER_AGE_MS;
}

/** Whether it had to be made. (`recursive` would call a full disk ENOENT.) */
async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function names(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).sort();
}

/** A renamed file is under its new name after a power cut only when its folder was synced. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return; // A folder can not be opened there, and need not be.
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
