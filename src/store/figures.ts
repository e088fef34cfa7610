/**
 * The figures of publications: the names that an office gives them, and the images stored so far. A publication and its
 * images can be ingested in any order and in different runs. They are joined by the *place* of a figure's name (`placeOf`
 * in ingest/figures.ts) and its key (drawings/name.ts).
 */
import { whole } from './checked-values.js';
import type { Publications } from './publications.js';
import type { Store } from './store.js';

/** The stored images of one figure. */
export interface FigureImage {
  /** SHA-256 of the WebP in hex, which is the name of its file. */
  content: string;
  thumbnail: string;
  /** SHA-256 of the office's file. */
  source: string;
  /** Size in pixels. */
  width: number;
  height: number;
}

export interface Figure {
  key: string;
  place: string;
  image?: FigureImage;
  /** The last ingest that counted the figure as missing. */
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
 * The stored images, by key, of a publication and of those that it corrects.
 * @param patentIds the first one takes precedence
 */
export function figureImages(
  store: Pick<Publications, 'figures'>,
  ...patentIds: string[]
): Map<string, FigureImage> {
  const images = new Map<string, FigureImage>();
  for (const patentId of patentIds) {
    for (const { key, image } of store.figures.get(patentId)?.figures ?? []) {
      if (image && !images.has(key)) images.set(key, image);
    }
  }
  return images;
}

/** patent_ids of the publications with a figure of this name. Not within a transaction: lmdb reads a wrong key there. */
export function namersOf(store: Store, place: string, key: string): string[] {
  return [...store.figureNames.getValues([place, key])];
}

/**
 * Stores the figures that a publication names, in addition to those of other versions or parts of its record. Answers
 * show the figures of the record. To be called within a transaction.
 * @param run the current ingest
 * @returns keys without an image that this run has not yet counted as missing
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
 * Stores the image of a publication's figure. `undefined` marks the image as unreadable, so that it is not counted as
 * missing. To be called within a transaction.
 * @returns whether this run had counted the figure as missing, and whether it had this image before; undefined if the
 *   publication does not name the figure
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

/** Removes the figures of a publication. To be called within a transaction. */
export function removeFigures(store: Store, patentId: string): void {
  replace(store, patentId, store.figures.get(patentId)?.figures ?? [], []);
}

/** Removes the figures of a publication whose list is unreadable. To be called within a transaction. */
export function forgetFigures(store: Store, patentId: string): void {
  store.figures.removeSync(patentId);
  rebuildFigureLookups(store);
}

/**
 * Removes images with damaged files from a publication. To be called within a transaction.
 * @returns keys of the figures that lost their image
 */
export function takeImages(store: Store, patentId: string, files: ReadonlySet<string>): string[] {
  const old = store.figures.get(patentId)?.figures ?? [];
  const isBroken = ({ image }: Figure) => image && (files.has(image.content) || files.has(image.thumbnail));
  const fresh = old.map((figure) => (isBroken(figure) ? { key: figure.key, place: figure.place } : figure));
  replace(store, patentId, old, fresh);
  return old.filter(isBroken).map(({ key }) => key);
}

/** Rebuilds the lookups from names and files to publications. To be called within a transaction. */
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

/** Writes the figures of a publication and its entries in the lookups by name and by file. */
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

/** Content hashes of all files of figures. */
export function filesOf(figures: readonly Figure[]): Set<string> {
  return new Set(figures.flatMap(({ image }) => (image ? [image.content, image.thumbnail] : [])));
}
