/** Checks and repairs drawings: every figure has intact files, and every file belongs to a figure. */
import { statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { relative } from 'node:path';
import { isOld, LocalDrawings } from '../drawings/files.js';
import { DRAWING_LEFTOVER_AGE_MS } from '../limits.js';
import { whole } from '../store/checked-values.js';
import { transaction } from '../store/commit.js';
import {
  figureCount,
  filesOf,
  forgetFigures,
  removeFigures,
  roomForFigures,
  roomForLookups,
  takeImages,
} from '../store/figures.js';
import { runningIngests } from '../store/ingest-progress.js';
import type { Store } from '../store/store.js';

/** Reports a problem: `drawing`, `lookup` or `leftover`. */
type ReportProblem = (kind: 'drawing' | 'lookup' | 'leftover', where: string, reason: string) => void;

/** Checks the tables of figures: each figure belongs to a publication that names it, and its files exist. Synchronous. */
export function checkFigures(store: Store, found: ReportProblem): void {
  const files = new LocalDrawings(store.dir);
  for (const patentId of [...store.figures.getKeys()]) {
    const value = whole(() => store.figures.get(patentId));
    if (value === undefined) {
      found('drawing', patentId, 'the list of its figures is damaged');
      continue;
    }
    if (areLeft(store, patentId)) {
      found('leftover', patentId, 'figures of a publication that is not there');
    }
    for (const { key, place } of value.figures) {
      if (!store.figureNames.doesExist([place, key], patentId)) {
        found('lookup', patentId, `the name of its figure ${key} does not lead to it`);
      }
    }
    for (const content of filesOf(value.figures)) {
      if (!store.figureFiles.doesExist(content, patentId)) {
        found('lookup', patentId, `its drawing ${content} does not lead to it`);
      }
      if (isMissing(files.path(content)))
        found('drawing', patentId, `the file ${files.path(content)} is missing`);
    }
  }
  for (const { key, value } of store.figureNames.getRange()) {
    const [place, name] = key;
    const figures = whole(() => store.figures.get(value))?.figures ?? [];
    if (!figures.some((figure) => figure.key === name && figure.place === place)) {
      found('lookup', String(name), `leads to ${value}, which has no such figure`);
    }
  }
  for (const { key, value } of store.figureFiles.getRange()) {
    if (!filesOf(whole(() => store.figures.get(value))?.figures ?? []).has(key)) {
      found('lookup', String(key), `leads to ${value}, which does not show it`);
    }
  }
}

/** Whether there is no file. One that cannot be looked up may be there. */
function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** Checks the files of drawings: the content of each matches its name, and a publication uses it. */
export async function checkDrawingFiles(
  store: Store,
  found: ReportProblem,
  onProgress?: (text: string) => void,
): Promise<void> {
  const files = new LocalDrawings(store.dir);
  let count = 0;
  try {
    for await (const { content, path } of files.list()) {
      if (count++ % 1000 === 0) onProgress?.(`drawing ${count}`);
      store.refresh();
      if (!store.figureFiles.doesExist(content)) {
        if (await isLeft(store, path))
          found('leftover', relative(store.dir, path), 'no publication shows it');
        continue;
      }
      const fault = await files.fault(content);
      if (fault === undefined) continue;
      for (const patentId of store.figureFiles.getValues(content))
        found('drawing', patentId, `${path}: ${fault.reason}`);
    }
    for (const path of await files.abandoned()) {
      found('leftover', relative(store.dir, path), 'was never finished');
    }
  } catch (error) {
    found('drawing', relative(store.dir, files.dir), unlistable(error));
  }
}

/** Why the files of drawings cannot be listed. @throws the error if it has a different cause */
function unlistable(error: unknown): string {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall !== 'scandir') throw error;
  return `a folder cannot be read, and the files of the folders after it were not checked: ${message}`;
}

/**
 * Whether a file that no publication shows is left over. An ingest stores the files of an archive before its publications, which
 * may take long.
 */
async function isLeft(store: Store, path: string): Promise<boolean> {
  return (await isOld(path)) && runningIngests(store.dir).length === 0;
}

/**
 * Whether figures have no publication and no running ingest needs them, which stores the names of figures before the
 * publication.
 */
function areLeft(store: Store, patentId: string): boolean {
  if (store.ids.doesExist(patentId)) return false;
  const ahead = whole(() => store.figures.get(patentId))?.ahead ?? 0;
  return Date.now() - ahead > DRAWING_LEFTOVER_AGE_MS && runningIngests(store.dir).length === 0;
}

/**
 * Removes damaged and missing drawings from the tables, so that no answer names them, and deletes unused files. Files that
 * cannot be read stay: they may be intact.
 * @returns descriptions of the repairs
 */
export async function repairDrawings(store: Store): Promise<string[]> {
  const files = new LocalDrawings(store.dir);
  const repaired: string[] = [];
  store.refresh();
  for (const patentId of [...store.figures.getKeys()]) {
    if (whole(() => store.figures.get(patentId)) === undefined) {
      transaction(
        store,
        () => forgetFigures(store, patentId),
        () => ({ bytes: roomForLookups(store) }),
      );
      repaired.push(`figures of ${patentId} were taken out: their list was damaged; ingest its file again`);
      continue;
    }
    const shown = filesOf(store.figures.get(patentId)?.figures ?? []);
    const broken = new Set<string>();
    for (const content of shown) if ((await files.fault(content))?.isDamaged) broken.add(content);
    const room = () => roomForFigures(1 + figureCount(store, [patentId]));
    if (broken.size > 0) {
      const names = transaction(store, () => takeImages(store, patentId, broken), room);
      repaired.push(`${patentId}: taken out, ingest again: ${names.join(', ')}`);
    }
    if (!areLeft(store, patentId)) continue;
    const isRemoved = transaction(
      store,
      () => {
        // An ingest may have stored more of them, or the publication, since they were read.
        if (!areLeft(store, patentId)) return false;
        removeFigures(store, patentId);
        return true;
      },
      room,
    );
    if (isRemoved) repaired.push(`figures of ${patentId}, which is not there, were taken out`);
  }
  try {
    for await (const { content, path } of files.list()) {
      store.refresh();
      const isShown = store.figureFiles.doesExist(content);
      if (isShown || !((await isLeft(store, path)) || (await files.fault(content))?.isDamaged)) continue;
      // An ingest may have stored the publication, and ended, meanwhile.
      store.refresh();
      if (store.figureFiles.doesExist(content)) continue;
      await rm(path, { force: true });
      repaired.push(`leftover ${relative(store.dir, path)} was removed`);
    }
    for (const path of await files.removeAbandoned()) {
      repaired.push(`leftover ${relative(store.dir, path)} was removed`);
    }
  } catch (error) {
    // The check after the repair reports it.
    unlistable(error);
  }
  return repaired;
}
