/** Lists the files under the given paths, in order, without opening them. */
import type { Dirent } from 'node:fs';
import { lstat, opendir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isImageName } from '../drawings/name.js';
import { PriorartError } from '../errors.js';
import type { SourceFile } from '../store/source-record.js';
import { failureAt, reasonOf } from './place.js';
import type { Failure, SkippedFile } from './readers/reader.js';

/** The path that stands for standard input. */
export const STANDARD_INPUT = '-';

export interface FoundFile {
  path: string;
  size: number;
  modified: Date;
  isNamed: boolean;
}

/** The file in the form of the ledger. */
export function sourceFile({ path, size, modified }: FoundFile): SourceFile {
  return { path: resolve(path), bytes: size, modified: modified.toISOString() };
}

/**
 * Refuses paths that do not exist, before the first file is read.
 * @throws PriorartError `not_found`
 */
export async function checkPaths(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    if (path === STANDARD_INPUT) continue;
    if (path.trim() === '') {
      throw new PriorartError(
        'usage',
        `the path ${JSON.stringify(path)} is empty; expected a file or folder`,
      );
    }
    const error = await stat(path).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error,
    );
    if (error?.code === 'ENOENT' || error?.code === 'ENOTDIR') {
      throw new PriorartError('not_found', `there is no file or folder ${path}`);
    }
  }
}

const LINKED_FOLDER = 'link to a folder; name the folder itself to read it';

/**
 * A file, or the files under a folder: its documents, its folders and its images, each sorted by name. An inaccessible
 * path is a failure, and does not keep the others of its folder from being read.
 * @param onSkipped called for links to folders, which are not followed
 */
export async function* walk(
  path: string,
  given: boolean,
  onSkipped?: (file: SkippedFile) => void,
): AsyncGenerator<FoundFile | Failure> {
  const place = { file: path, entries: [], depth: 0, isNamed: given };
  if (given && path === STANDARD_INPUT) {
    yield { path, size: 0, modified: new Date(), isNamed: true };
    return;
  }
  try {
    const found = await stat(path);
    if (found.isFile()) {
      yield { path, size: found.size, modified: found.mtime, isNamed: given };
    } else if (found.isDirectory()) {
      const entries: Dirent[] = [];
      for await (const entry of await opendir(path)) entries.push(entry);
      entries.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
      for (const entry of entries) {
        const inner = join(path, entry.name);
        // A linked folder may lead to a parent folder. Links to files are followed, links to folders only if
        // given. What is wrong with a link is found when it is walked.
        if (entry.isSymbolicLink() && (await isFolder(inner))) {
          onSkipped?.({ file: inner, position: 'byte 0', reason: LINKED_FOLDER });
          continue;
        }
        yield* walk(inner, false, onSkipped);
      }
    } else yield failureAt(place, 'neither a file nor a folder');
  } catch (error) {
    yield failureAt(place, await whyNot(path, given, error));
  }
}

/**
 * The documents of a folder come before its folders, so that its tables are read one after another and are joined.
 * Images come last: the publications that name them are then known.
 */
function rank(entry: Dirent): number {
  if (entry.isDirectory()) return 1;
  return isImageName(entry.name) ? 2 : 0;
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** Why a path could not be read. */
async function whyNot(path: string, given: boolean, error: unknown): Promise<string> {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ELOOP') return 'a link that leads to itself';
  if (code !== 'ENOENT') return reasonOf(error);
  if (given) return 'no such file or folder';
  const isLink = await lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
  return isLink ? 'a link to a file or folder that does not exist' : 'no such file or folder any more';
}

/** The files without the folders that have a file changed in the last `settledMs` milliseconds. */
export function settled(files: readonly FoundFile[], settledMs: number): FoundFile[] {
  if (settledMs <= 0) return [...files];
  const now = Date.now();
  // A time far in the future comes from another clock. It would keep the folder unread until then.
  const isBusy = ({ modified }: FoundFile) => Math.abs(now - modified.getTime()) < settledMs;
  const busy = new Set(files.filter(isBusy).map(({ path }) => dirname(path)));
  return files.filter(({ path }) => !busy.has(dirname(path)));
}
