/**
 * Joins figures during an ingest. Publications name figures and files hold images, in any order. An image
 * waits, within bounds, until a publication names it. A publication that names it later gets it from those that have it.
 * Only named images are converted, so images of formulas cost nothing. Joined figures are committed at once, so a run after
 * a kill finds them.
 */
import { createHash, randomInt } from 'node:crypto';
import { contentOf, type DrawingFiles } from '../drawings/files.js';
import type { KeptImage } from '../drawings/keep.js';
import { figureKey, isInlineImage, isUniqueName } from '../drawings/name.js';
import { DRAWING_WAITING_BYTES, DRAWINGS_MISSING_LISTED } from '../limits.js';
import type { NamedFigure } from '../store/figures.js';
import type { FigureTable, Namer, ReadyImage } from './figure-table.js';
import type { Failure } from './readers/reader.js';
import type { ImageFile } from './source.js';
import type { DrawingSummary } from './summary.js';

/** The drawings that a publication names, as the office writes them. */
export interface NamedDrawings {
  patentId: string;
  /** Folder of the publication, as `Unit.folder`. */
  folder: string;
  files: string[];
}

/** Converts and stores an image, on a worker. */
export type Keep = (bytes: Uint8Array) => Promise<KeptImage>;

/** Number of images and publications after which they are joined. */
const JOIN_IMAGES = 64;
const JOIN_BYTES = 8 << 20;
const JOIN_PUBLICATIONS = 512;
/** Converted images that are committed in one transaction. */
const COMMIT_IMAGES = 64;
const FAILURES_LISTED = 1_000;
/** Missing figures whose names are kept until the end. Most of them may be found by then. */
const MISSING_REMEMBERED = 10_000;
/** Joined images that later publications of the same ingest can still get. */
const JOINED_REMEMBERED = 100_000;

interface WaitingImage {
  file: ImageFile;
  place: string;
  key: string;
}

interface Working extends WaitingImage {
  source: string;
  /** Number of publications that name it. */
  namers: number;
  /** Undefined: all of them have it already. */
  kept: Promise<KeptImage | undefined>;
}

/** Joins the figures of one ingest. */
export class Figures {
  readonly #table: FigureTable;
  readonly #files: DrawingFiles;
  readonly #keep: Keep;
  readonly #parallel: number;
  readonly #run = randomInt(2 ** 32);
  #named: NamedDrawings[] = [];
  readonly #waiting = new Map<string, WaitingImage>();
  #waitingBytes = 0;
  /** Images received since the last join. */
  #fresh = { images: 0, bytes: 0 };
  /** Places and keys of the newest images that this ingest joined. */
  readonly #joined = new Set<string>();
  readonly #working: Working[] = [];
  #done: { image: Working; kept: KeptImage }[] = [];
  #counts = { stored: 0, unchanged: 0, missing: 0, unclaimed: 0 };
  readonly #missing = new Map<string, string>();
  readonly #failed: Failure[] = [];
  #failures = 0;

  /** @param parallel images that are converted at the same time */
  constructor(table: FigureTable, files: DrawingFiles, keep: Keep, parallel: number) {
    this.#table = table;
    this.#files = files;
    this.#keep = keep;
    this.#parallel = parallel;
  }

  /** Figures that are stored. */
  get count(): number {
    return this.#counts.stored + this.#counts.unchanged;
  }

  /** Adds publications with the figures that they name. */
  async name(drawings: readonly NamedDrawings[]): Promise<void> {
    this.#named.push(...drawings);
    if (this.#named.length >= JOIN_PUBLICATIONS) await this.#join();
  }

  /**
   * Adds an image.
   * @param catchUp waits until all publications before the image are named
   */
  async offer(file: ImageFile, catchUp: () => Promise<void>): Promise<void> {
    const key = figureKey(file.name);
    if (key === undefined) return; // No request can name it. A publication that does gets a missing figure.
    const place = placeOf(file.folder, key);
    const id = idOf({ place, key });
    // The last of several files with one stem counts.
    this.#waitingBytes += file.bytes.length - (this.#waiting.get(id)?.file.bytes.length ?? 0);
    this.#waiting.delete(id);
    this.#waiting.set(id, { file, place, key });
    this.#fresh = { images: this.#fresh.images + 1, bytes: this.#fresh.bytes + file.bytes.length };
    if (this.#fresh.images < JOIN_IMAGES && this.#fresh.bytes < JOIN_BYTES) return;
    await this.#join();
    if (this.#waitingBytes <= DRAWING_WAITING_BYTES) return;
    await catchUp();
    await this.#join();
    this.#forget(DRAWING_WAITING_BYTES / 2);
  }

  /**
   * Stores all images that publications name so far. Call it before their files enter the ledger: an archive in the ledger is
   * not read again, so its images would be lost if the ingest were killed.
   */
  async settle(): Promise<void> {
    await this.#join();
    await this.#drain();
  }

  /** Waits for the images that are being converted, and commits them. */
  async #drain(): Promise<void> {
    while (this.#working.length > 0) await this.#finishOne();
    await this.#commit();
  }

  /** Joins the remaining figures and waits for all conversions. */
  async finish(): Promise<DrawingSummary> {
    await this.settle();
    this.#forget(0);
    const { stored, unchanged, missing, unclaimed } = this.#counts;
    const first = [...this.#missing.values()].slice(0, DRAWINGS_MISSING_LISTED);
    const failed = [...this.#failed];
    return {
      ...{ stored, unchanged, missing, missing_first: first, unclaimed },
      ...{ failures: this.#failures, failed },
    };
  }

  /** Joins named figures with waiting images. */
  async #join(): Promise<void> {
    this.#fresh = { images: 0, bytes: 0 };
    await this.writeNames();
    const waiting = [...this.#waiting];
    if (waiting.length === 0) return;
    const namers = await this.#table.namers(waiting.map(([, { place, key }]) => ({ place, key })));
    for (const [n, [id, image]] of waiting.entries()) {
      if (namers[n]!.length === 0) continue;
      this.#waiting.delete(id);
      this.#waitingBytes -= image.file.bytes.length;
      await this.#take(image, namers[n]!);
    }
  }

  /**
   * Commits the names of figures that publications state. Call it before the file of the publications enters
   * the ledger. A file in the ledger is not read again, so a later image would find no name.
   */
  async writeNames(): Promise<void> {
    if (this.#named.length === 0) return;
    const named = this.#named.map(({ patentId, folder, files }) => {
      const keyed = new Map<string, string>();
      const nameless: string[] = [];
      for (const file of files) {
        const key = figureKey(file);
        if (key === undefined) nameless.push(file);
        else if (!keyed.has(key)) keyed.set(key, file);
      }
      const figures = [...keyed.keys()].map((key) => ({ key, place: placeOf(folder, key) }));
      return { patentId, figures, keyed, nameless };
    });
    this.#named = [];
    // An image that all its publications have already is not given again: then only the table gives it to new ones.
    const atWork = new Set([...this.#working, ...this.#done.map(({ image }) => image)].map(idOf));
    if (named.some(({ figures }) => figures.some((figure) => atWork.has(idOf(figure))))) await this.#drain();
    const keys = await this.#table.name(named, this.#run);
    const missed = named.flatMap(({ patentId, keyed, nameless }, n) =>
      [
        ...keys[n]!.map((key) => ({ patentId, key, file: keyed.get(key)! })),
        ...nameless.map((file) => ({ patentId, key: file, file })),
      ].filter(({ file }) => !isInlineImage(file)),
    );
    // Packages often lack the images of formulas. Only figures are reported as missing.
    this.#counts.missing += missed.length;
    for (const { patentId, key, file } of missed) {
      if (this.#missing.size >= MISSING_REMEMBERED) break;
      this.#missing.set(`${patentId} ${key}`, `${patentId}: ${file}`);
    }
    await this.#share(
      named.flatMap(({ figures }, n) => {
        const missedKeys = new Set(keys[n]!);
        return figures.filter(({ key }) => missedKeys.has(key));
      }),
    );
  }

  /**
   * Gives publications the images that this ingest joined before they were named here: two publications of one application
   * name the same files, and an image is not kept after the first of them has it.
   * @param missed figures without an image
   */
  async #share(missed: readonly NamedFigure[]): Promise<void> {
    const sought = new Map<string, NamedFigure>();
    for (const figure of missed) {
      const id = idOf(figure);
      // A newer image of this name waits and will be joined with all that name it.
      if (this.#joined.has(id) && !this.#waiting.has(id)) sought.set(id, figure);
    }
    if (sought.size === 0) return;
    const figures = [...sought.values()];
    const namers = await this.#table.namers(figures);
    const ready: ReadyImage[] = [];
    for (const [n, { place, key }] of figures.entries()) {
      const image = namers[n]!.find((namer) => namer.image)?.image;
      if (image && (await this.#hasBoth(image))) ready.push({ place, key, image });
    }
    if (ready.length === 0) return;
    const given = await this.#table.give(ready, this.#run);
    for (const [n, { key }] of ready.entries()) {
      for (const { patentId, missed: wasMissed, same } of given[n]!) {
        if (same) continue;
        this.#counts.stored += 1;
        if (wasMissed) this.#found(patentId, key);
      }
    }
  }

  /** Takes a figure from the missing ones. */
  #found(patentId: string, key: string): void {
    if (isInlineImage(key)) return;
    this.#counts.missing -= 1;
    this.#missing.delete(`${patentId} ${key}`);
  }

  /** Converts an image, unless all publications that name it have it already. */
  async #take(waiting: WaitingImage, namers: readonly Namer[]): Promise<void> {
    const id = idOf(waiting);
    this.#joined.delete(id);
    this.#joined.add(id);
    if (this.#joined.size > JOINED_REMEMBERED) this.#joined.delete(this.#joined.values().next().value!);
    const source = contentOf(waiting.file.bytes);
    if (this.#working.length >= this.#parallel) await this.#finishOne();
    const kept = this.#keptUnlessThere(waiting.file.bytes, source, namers);
    kept.catch(() => {}); // Prevents an unhandled rejection before the join awaits this promise.
    this.#working.push({ ...waiting, source, namers: namers.length, kept });
  }

  async #keptUnlessThere(
    bytes: Uint8Array,
    source: string,
    namers: readonly Namer[],
  ): Promise<KeptImage | undefined> {
    const images = namers.map(({ image }) => image);
    if (images.some((image) => image?.source !== source)) return this.#keep(bytes);
    const there = await Promise.all(images.map((image) => this.#hasBoth(image!)));
    return there.every(Boolean) ? undefined : this.#keep(bytes);
  }

  async #hasBoth({ content, thumbnail }: { content: string; thumbnail: string }): Promise<boolean> {
    return (await this.#files.has(content)) && (await this.#files.has(thumbnail));
  }

  async #finishOne(): Promise<void> {
    const image = this.#working.shift();
    if (image === undefined) return;
    const kept = await image.kept;
    if (kept === undefined) {
      this.#counts.unchanged += image.namers;
      return;
    }
    this.#done.push({ image, kept });
    if (this.#done.length >= COMMIT_IMAGES) await this.#commit();
  }

  /** Commits the converted images and the publications that show them. */
  async #commit(): Promise<void> {
    const done = this.#done;
    this.#done = [];
    if (done.length === 0) return;
    const images = done.map(({ image: { place, key, source }, kept }) => {
      return { place, key, image: 'reason' in kept ? undefined : { ...kept, source } };
    });
    const given = await this.#table.give(images, this.#run);
    for (const [n, { key, image }] of images.entries()) {
      for (const { patentId, missed, same } of given[n]!) {
        if (image) this.#counts[same ? 'unchanged' : 'stored'] += 1;
        if (missed) this.#found(patentId, key);
      }
    }
    for (const { image, kept } of done) if ('reason' in kept) this.#fail(image.file, kept.reason);
  }

  #fail({ file, position, name }: ImageFile, reason: string): void {
    this.#failures += 1;
    if (this.#failed.length < FAILURES_LISTED) {
      this.#failed.push({ file, position, reason: `${name}: ${reason}` });
    }
  }

  /** Drops the oldest images that no publication names. */
  #forget(bytes: number): void {
    for (const [id, { file }] of this.#waiting) {
      if (this.#waitingBytes <= bytes) return;
      this.#waiting.delete(id);
      this.#waitingBytes -= file.bytes.length;
      this.#counts.unclaimed += 1;
    }
  }
}

function idOf({ place, key }: NamedFigure): string {
  return `${place} ${key}`;
}

/** Place of names that mean one publication in every folder. */
const EVERYWHERE = '*';

/**
 * Place in which a name means one figure. A name with the number of its publication means the same figure
 * everywhere. Every other name means a figure of its folder, or of the folder within its archive.
 */
function placeOf(folder: string, key: string): string {
  return isUniqueName(key)
    ? EVERYWHERE
    : createHash('sha256').update(folder).digest('base64url').slice(0, 22);
}
