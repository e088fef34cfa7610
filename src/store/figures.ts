/**
 * The figures of publications: the names that an office gives them, and the images stored so far. A publication and its
 * images can be ingested in any order and in different runs. They are joined by the *place* of a figure's name (`placeOf`
 * in ingest/figures.ts) and its key (drawings/name.ts).
 */
import { whole } from './checked-values.js';
import type { Lookup } from './publications.js';
import type { Room } from './room.js';
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
  /**
   * When they last changed while their publication was not there, ms since 1970: an ingest stores the names of figures
   * before the publication.
   */
  ahead?: number;
}

/** The part of a publication's figures that answers need. */
export interface StoredFigures<Image extends Pick<FigureImage, 'content'> = Pick<FigureImage, 'content'>> {
  readonly figures: readonly { readonly key: string; readonly image?: Image }[];
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
export function figureImages<Image extends Pick<FigureImage, 'content'>>(
  store: { readonly figures: Lookup<string, StoredFigures<Image>> },
  ...patentIds: string[]
): Map<string, Image> {
  const images = new Map<string, Image>();
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
 * The figures of a publication after it names some, in addition to those of other versions or parts of its record. Answers
 * show the figures of the record.
 * @param run the current ingest
 * @returns `missed`: keys without an image that this run has not yet counted as missing; `changed`: whether `figures` differ
 */
export function withNames(
  old: readonly Figure[],
  named: readonly NamedFigure[],
  run: number,
): { figures: Figure[]; missed: string[]; changed: boolean } {
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
  return { figures: [...figures.values()], missed, changed };
}

/** What became of an image that a publication was given. */
export interface GivenImage {
  /** Whether this run had counted the figure as missing. */
  missed: boolean;
  /** Whether the publication had this image before. */
  same: boolean;
}

/**
 * The figures of a publication after one of them is given its image. `undefined` marks the image as unreadable, so that it is
 * not counted as missing.
 * @returns undefined if the publication does not name the figure
 */
export function withImage(
  old: readonly Figure[],
  key: string,
  image: FigureImage | undefined,
  run: number,
): { figures: Figure[]; given: GivenImage } | undefined {
  const figure = old.find((candidate) => candidate.key === key);
  if (figure === undefined) return undefined;
  const { place, missedBy } = figure;
  const kept = image ?? figure.image;
  const fresh: Figure = kept ? { key, place, image: kept } : { key, place };
  const figures = old.map((other) => (other === figure ? fresh : other));
  const same = image !== undefined && figure.image?.source === image.source;
  return { figures, given: { missed: missedBy === run, same } };
}

/**
 * Stores the figures that a publication names, as `withNames`. To be called within a transaction.
 * @returns keys without an image that this run has not yet counted as missing
 */
export function nameFigures(
  store: Store,
  patentId: string,
  named: readonly NamedFigure[],
  run: number,
): string[] {
  const old = store.figures.get(patentId)?.figures ?? [];
  const { figures, missed, changed } = withNames(old, named, run);
  if (changed) replace(store, patentId, old, figures);
  return missed;
}

/**
 * Stores the image of a publication's figure, as `withImage`. To be called within a transaction.
 * @returns undefined if the publication does not name the figure
 */
export function giveImage(
  store: Store,
  patentId: string,
  key: string,
  image: FigureImage | undefined,
  run: number,
): GivenImage | undefined {
  const old = store.figures.get(patentId)?.figures ?? [];
  const given = withImage(old, key, image, run);
  if (given !== undefined) replace(store, patentId, old, given.figures);
  return given?.given;
}

/**
 * The figures of a publication after others were copied to them, whose images take the place of others.
 * @returns undefined if they stay as they are
 */
export function withCopied(old: readonly Figure[], copied: readonly Figure[]): Figure[] | undefined {
  const figures = new Map(old.map((figure) => [figure.key, figure]));
  let isChanged = false;
  for (const { key, place, image } of copied) {
    const before = figures.get(key);
    if (before && (image === undefined || before.image?.content === image.content)) continue;
    figures.set(key, image ? { key, place, image } : { key, place });
    isChanged = true;
  }
  return isChanged ? [...figures.values()] : undefined;
}

/** Stores figures that were copied from elsewhere, as `withCopied`. To be called within a transaction. */
export function copyFigures(store: Store, patentId: string, copied: readonly Figure[]): void {
  const old = store.figures.get(patentId)?.figures ?? [];
  const figures = withCopied(old, copied);
  if (figures !== undefined) replace(store, patentId, old, figures);
}

/** Room that a change of some figures may need: their entries, and the pages of these in three tables. */
export function roomForFigures(figures: number): Required<Room> {
  return { bytes: figures * (4 << 10), changed: figures * (32 << 10) };
}

/** Number of the figures of publications, without those whose list is damaged. */
export function figureCount(store: Store, patentIds: readonly string[]): number {
  return patentIds.reduce(
    (count, patentId) => count + (whole(() => store.figures.get(patentId))?.figures.length ?? 0),
    0,
  );
}

/** Bytes of a figure's entries in the lookups, by its name and by its two files, in pages that are half full. */
const LOOKUP_BYTES = 1 << 10;

/** Bytes that `rebuildFigureLookups` may need: the pages of the old entries become free only after its transaction. */
export function roomForLookups(store: Store): number {
  return figureCount(store, [...store.figures.getKeys()]) * LOOKUP_BYTES;
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
  else store.figures.putSync(patentId, { figures: [...fresh], ...aheadOf(store, patentId) });
}

function aheadOf(store: Store, patentId: string): Pick<PatentFigures, 'ahead'> {
  return store.ids.doesExist(patentId) ? {} : { ahead: Date.now() };
}

function namesOf(figures: readonly Figure[]): Map<string, [string, string]> {
  return new Map(figures.map(({ place, key }) => [`${place} ${key}`, [place, key]]));
}

/** Content hashes of all files of figures. */
export function filesOf(figures: readonly Figure[]): Set<string> {
  return new Set(figures.flatMap(({ image }) => (image ? [image.content, image.thumbnail] : [])));
}
