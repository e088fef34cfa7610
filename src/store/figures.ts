/**
 * The figures of publications: which files an office names for one, and the content of those that have come in.
 * A publication and its images come in any order and in different runs; what joins them is the *place* of a
 * figure's name (`placeOf` in ingest/figures.ts) and its key (drawings/name.ts).
 */
import { whole } from './checked-values.js';
import type { Store } from './store.js';

/** The stored images of one figure. */
export interface FigureImage {
  /** SHA-256 of the WebP, in hex; names its file. */
  content: string;
  thumbnail: string;
  /** SHA-256 of the office's file that it was made of. */
  source: string;
  /** Pixels. */
  width: number;
  height: number;
}

export interface Figure {
  key: string;
  place: string;
  image?: FigureImage;
  /** The ingest that counted it as missing last. */
  missedBy?: number;
}

export interface PatentFigures {
  figures: Figure[];
}

/** A figure as a record names it. */
export interface NamedFigure {
  key: string;
  place: string;
}

/**
 * The images that are there, by key, of a publication and of those that it corrects.
 * @param patentIds the first one goes before the others
 */
export function figureImages(store: Store, ...patentIds: string[]): Map<string, FigureImage> {
  const images = new Map<string, FigureImage>();
  for (const patentId of patentIds) {
    for (const { key, image } of store.figures.get(patentId)?.figures ?? []) {
      if (image && !images.has(key)) images.set(key, image);
    }
  }
  return images;
}

/** patent_ids of the publications that name a figure so. Not within a transaction: lmdb reads a wrong key there. */
export function namersOf(store: Store, place: string, key: string): string[] {
  return [...store.figureNames.getValues([place, key])];
}

/**
 * Notes which figures a publication names, beside those that other versions or parts of its record name: what an
 * answer shows goes by the record. To be called within a transaction.
 * @param run the ingest that asks
 * @returns keys that have no image and that this run had not missed so far
 */
export function nameFigures(
  store: Store,
  patentId: string,
  named: readonly NamedFigure[],
  run: number,
): string[] {
  const old = store.figures.get(patentId)?.figures ?? [];
  const figures = new Map(old.map((figure) => [figure.key, figure]));
  const missed: string[] = [];
  let changed = false;
  for (const { key, place } of named) {
    const { image, missedBy, place: before } = figures.get(key) ?? {};
    if (!image && missedBy !== run) missed.push(key);
    if (place === before && (image || missedBy === run)) continue;
    figures.set(key, image ? { key, place, image } : { key, place, missedBy: run });
    changed = true;
  }
  if (changed) replace(store, patentId, old, [...figures.values()]);
  return missed;
}

/**
 * Gives a figure of a publication its image, or notes that the one it has can not be read (`undefined`), so that
 * it is not called missing. To be called within a transaction.
 * @returns whether this run had missed it, and whether it had this image before; undefined where the publication
 *   does not name it (any more)
 */
export function giveImage(
  store: Store,
  patentId: string,
  key: string,
  image: FigureImage | undefined,
  run: number,
): { missed: boolean; same: boolean } | undefined {
  const old = store.figures.get(patentId)?.figures ?? [];
  const figure = old.find((candidate) => candidate.key === key);
  if (figure === undefined) return undefined;
  const { place, missedBy } = figure;
  const kept = image ?? figure.image;
  const fresh: Figure = kept ? { key, place, image: kept } : { key, place };
  replace(
    store,
    patentId,
    old,
    old.map((other) => (other === figure ? fresh : other)),
  );
  return { missed: missedBy === run, same: image !== undefined && figure.image?.source === image.source };
}

/** Forgets the figures of a publication. To be called within a transaction. */
export function removeFigures(store: Store, patentId: string): void {
  replace(store, patentId, store.figures.get(patentId)?.figures ?? [], []);
}

/** Takes out the figures of a publication whose list can not be read. To be called within a transaction. */
export function forgetFigures(store: Store, patentId: string): void {
  store.figures.removeSync(patentId);
  rebuildFigureLookups(store);
}

/**
 * Takes images from a publication whose files are damaged. To be called within a transaction.
 * @returns keys of the figures that have none any more
 */
export function takeImages(store: Store, patentId: string, files: ReadonlySet<string>): string[] {
  const old = store.figures.get(patentId)?.figures ?? [];
  const isBroken = ({ image }: Figure) => image && (files.has(image.content) || files.has(image.thumbnail));
  const fresh = old.map((figure) => (isBroken(figure) ? { key: figure.key, place: figure.place } : figure));
  replace(store, patentId, old, fresh);
  return old.filter(isBroken).map(({ key }) => key);
}

/** Makes the ways from names and files to publications anew. To be called within a transaction. */
export function rebuildFigureLookups(store: Store): void {
  store.figureNames.clearSync();
  store.figureFiles.clearSync();
  for (const key of [...store.figures.getKeys()]) {
    const value = whole(() => store.figures.get(key));
    if (value === undefined) continue;
    for (const name of namesOf(value.figures).values()) store.figureNames.putSync(name, key);
    for (const file of filesOf(value.figures)) store.figureFiles.putSync(file, key);
  }
}

/** Writes what a publication shows, and both ways back to it: from the names, and from the files. */
function replace(store: Store, patentId: string, old: readonly Figure[], fresh: readonly Figure[]): void {
  const [namesBefore, namesNow] = [namesOf(old), namesOf(fresh)];
  for (const [text, name] of namesBefore)
    if (!namesNow.has(text)) store.figureNames.removeSync(name, patentId);
  for (const [text, name] of namesNow) if (!namesBefore.has(text)) store.figureNames.putSync(name, patentId);
  const [filesBefore, filesNow] = [filesOf(old), filesOf(fresh)];
  for (const file of filesBefore) if (!filesNow.has(file)) store.figureFiles.removeSync(file, patentId);
  for (const file of filesNow) if (!filesBefore.has(file)) store.figureFiles.putSync(file, patentId);
  if (fresh.length === 0) store.figures.removeSync(patentId);
  else store.figures.putSync(patentId, { figures: [...fresh] });
}

function namesOf(figures: readonly Figure[]): Map<string, [string, string]> {
  return new Map(figures.map(({ place, key }) => [`${place} ${key}`, [place, key]]));
}

/** Contents of the files that figures show. */
export function filesOf(figures: readonly Figure[]): Set<string> {
  return new Set(figures.flatMap(({ image }) => (image ? [image.content, image.thumbnail] : [])));
}
