/**
 * Joins figures during an ingest. Publications name figures and files hold images, in any order. An image
 * waits, within bounds, until a publication names it. Only named images are converted, so images of formulas
 * cost nothing. Joined figures are committed at once, so a run after a kill finds them.
 */
import { createHash, randomInt } from 'node:crypto';
import { contentOf, type DrawingFiles } from '../drawings/files.js';
import type { KeptImage } from '../drawings/keep.js';
import { figureKey, isInlineImage, isUniqueName } from '../drawings/name.js';
import { DRAWING_WAITING_BYTES, DRAWINGS_MISSING_LISTED } from '../limits.js';
import { transaction } from '../store/commit.js';
import { figureImages, giveImage, nameFigures, namersOf } from '../store/figures.js';
import type { Room } from '../store/room.js';
import type { Store } from '../store/store.js';
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

/** Space in the store for the figures of publications and for each figure. */
const roomFor = (figures: number): Room => ({ bytes: figures << 12, changed: figures << 15 });

interface WaitingImage {
  file: ImageFile;
  place: string;
  key: string;
}

interface Working extends WaitingImage {
  source: string;
  kept: Promise<KeptImage>;
}

/** Joins the figures of one ingest. */
export class Figures {
  readonly #store: Store;
  readonly #files: DrawingFiles;
  readonly #keep: Keep;
  readonly #parallel: number;
  readonly #run = randomInt(2 ** 32);
  #named: NamedDrawings[] = [];
  readonly #waiting = new Map<string, WaitingImage>();
  #waitingBytes = 0;
  /** Images received since the last join. */
  #fresh = { images: 0, bytes: 0 };
  readonly #working: Working[] = [];
  #done: { image: Working; kept: KeptImage }[] = [];
  #counts = { stored: 0, unchanged: 0, missing: 0, unclaimed: 0 };
  readonly #missing = new Map<string, string>();
  readonly #failed: Failure[] = [];
  #unlisted = 0;

  /** @param parallel images that are converted at the same time */
  constructor(store: Store, files: DrawingFiles, keep: Keep, parallel: number) {
    this.#store = store;
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
    const id = `${place} ${key}`;
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

  /** Joins the remaining figures and waits for all conversions. */
  async finish(): Promise<DrawingSummary> {
    await this.#join();
    while (this.#working.length > 0) await this.#finishOne();
    this.#commit();
    this.#forget(0);
    const failed = [...this.#failed];
    if (this.#unlisted > 0) {
      failed.push({ file: '', position: '', reason: `and ${this.#unlisted} more failures` });
    }
    const { stored, unchanged, missing, unclaimed } = this.#counts;
    const first = [...this.#missing.values()].slice(0, DRAWINGS_MISSING_LISTED);
    return { stored, unchanged, missing, missing_first: first, unclaimed, failed };
  }

  /** Joins named figures with waiting images. */
  async #join(): Promise<void> {
    this.#fresh = { images: 0, bytes: 0 };
    this.writeNames();
    for (const [id, waiting] of this.#waiting) {
      const namers = namersOf(this.#store, waiting.place, waiting.key);
      if (namers.length === 0) continue;
      this.#waiting.delete(id);
      this.#waitingBytes -= waiting.file.bytes.length;
      await this.#take(waiting, namers);
    }
  }

  /**
   * Commits the names of figures that publications state. Call it before the file of the publications enters
   * the ledger. A file in the ledger is not read again, so a later image would find no name.
   */
  writeNames(): void {
    if (this.#named.length === 0) return;
    const named = this.#named;
    this.#named = [];
    const missed = transaction(
      this.#store,
      () =>
        named.flatMap(({ patentId, folder, files }) => {
          const keyed = new Map<string, string>();
          const nameless: string[] = [];
          for (const file of files) {
            const key = figureKey(file);
            if (key === undefined) nameless.push(file);
            else if (!keyed.has(key)) keyed.set(key, file);
          }
          const figures = [...keyed.keys()].map((key) => ({ key, place: placeOf(folder, key) }));
          const keys = nameFigures(this.#store, patentId, figures, this.#run);
          // Packages often lack the images of formulas. Only figures are reported as missing.
          return [
            ...keys.map((key) => ({ patentId, key, file: keyed.get(key)! })),
            ...nameless.map((file) => ({ patentId, key: file, file })),
          ].filter(({ file }) => !isInlineImage(file));
        }),
      () => roomFor(named.reduce((sum, { files }) => sum + 1 + files.length, 0)),
    );
    this.#counts.missing += missed.length;
    for (const { patentId, key, file } of missed) {
      if (this.#missing.size >= MISSING_REMEMBERED) break;
      this.#missing.set(`${patentId} ${key}`, `${patentId}: ${file}`);
    }
  }

  /** Converts an image, unless all publications that name it have it already. */
  async #take(waiting: WaitingImage, namers: readonly string[]): Promise<void> {
    const { file, key } = waiting;
    const source = contentOf(file.bytes);
    const images = namers.map((patentId) => figureImages(this.#store, patentId).get(key));
    const there = await Promise.all(
      images.map(async (image) => image?.source === source && (await this.#hasBoth(image))),
    );
    if (there.every(Boolean)) {
      this.#counts.unchanged += namers.length;
      return;
    }
    if (this.#working.length >= this.#parallel) await this.#finishOne();
    const kept = this.#keep(file.bytes);
    kept.catch(() => {}); // Prevents an unhandled rejection before the join awaits this promise.
    this.#working.push({ ...waiting, source, kept });
  }

  async #hasBoth({ content, thumbnail }: { content: string; thumbnail: string }): Promise<boolean> {
    return (await this.#files.has(content)) && (await this.#files.has(thumbnail));
  }

  async #finishOne(): Promise<void> {
    const image = this.#working.shift();
    if (image === undefined) return;
    this.#done.push({ image, kept: await image.kept });
    if (this.#done.length >= COMMIT_IMAGES) this.#commit();
  }

  /** Commits the converted images and the publications that show them. */
  #commit(): void {
    const done = this.#done;
    this.#done = [];
    if (done.length === 0) return;
    // The names are listed before the transaction: lmdb cannot list the values of a key within a transaction.
    const named = done.map(({ image: { place, key } }) => namersOf(this.#store, place, key));
    const all = transaction(
      this.#store,
      () =>
        done.flatMap(({ image: { key, source }, kept }, n) => {
          const image = 'reason' in kept ? undefined : { ...kept, source };
          return named[n]!.map((patentId) => {
            const given = giveImage(this.#store, patentId, key, image, this.#run);
            return { id: `${patentId} ${key}`, given, image, isMissed: given?.missed && !isInlineImage(key) };
          });
        }),
      () => roomFor(named.reduce((sum, namers) => sum + namers.length, 0)),
    );
    for (const { id, given, image, isMissed } of all) {
      if (given === undefined) continue;
      if (image) this.#counts[given.same ? 'unchanged' : 'stored'] += 1;
      if (!isMissed) continue;
      this.#counts.missing -= 1;
      this.#missing.delete(id);
    }
    for (const { image, kept } of done) if ('reason' in kept) this.#fail(image.file, kept.reason);
  }

  #fail({ file, position, name }: ImageFile, reason: string): void {
    if (this.#failed.length < FAILURES_LISTED)
      this.#failed.push({ file, position, reason: `${name}: ${reason}` });
    else this.#unlisted += 1;
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
