/**
 * Figures during an ingest: publications name them, files hold them, and both come in any order. An image waits
 * until a publication names it, within bounds; only then is it converted, so that the formulas among the images
 * cost nothing. What is joined is written down at once: a run that was killed finds it again.
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
  /** Where the publication lies; `Unit.folder`. */
  folder: string;
  files: string[];
}

/** Converts and stores an image, on a worker. */
export type Keep = (bytes: Uint8Array) => Promise<KeptImage>;

/** Images and publications after which the two are joined. */
const JOIN_IMAGES = 64;
const JOIN_BYTES = 8 << 20;
const JOIN_PUBLICATIONS = 512;
/** Converted images that are written down in one transaction. */
const COMMIT_IMAGES = 64;
const FAILURES_LISTED = 1_000;
/** Missing figures whose names are remembered until the end, where most of them may have come in. */
const MISSING_REMEMBERED = 10_000;

/** What the figures of publications, and each figure, may need in the store. */
const roomFor = (figures: number): Room => ({ bytes: figures << 12, changed: figures << 15 });

interface Waiting {
  file: ImageFile;
  place: string;
  key: string;
}

interface Working extends Waiting {
  source: string;
  kept: Promise<KeptImage>;
}

/** The joining of figures of one ingest. */
export class Figures {
  readonly #store: Store;
  readonly #files: DrawingFiles;
  readonly #keep: Keep;
  readonly #parallel: number;
  readonly #run = randomInt(2 ** 32);
  #named: NamedDrawings[] = [];
  readonly #waiting = new Map<string, Waiting>();
  #waitingBytes = 0;
  /** Come in since the last join. */
  #fresh = { images: 0, bytes: 0 };
  readonly #working: Working[] = [];
  #done: { image: Working; kept: KeptImage }[] = [];
  #counts = { stored: 0, unchanged: 0, missing: 0, unclaimed: 0 };
  readonly #missing = new Map<string, string>();
  readonly #failed: Failure[] = [];
  #unlisted = 0;

  /** @param parallel images that are converted at once */
  constructor(store: Store, files: DrawingFiles, keep: Keep, parallel: number) {
    this.#store = store;
    this.#files = files;
    this.#keep = keep;
    this.#parallel = parallel;
  }

  /** Figures that are there. */
  get count(): number {
    return this.#counts.stored + this.#counts.unchanged;
  }

  /** Publications that were read, with the figures they name. */
  async name(drawings: readonly NamedDrawings[]): Promise<void> {
    this.#named.push(...drawings);
    if (this.#named.length >= JOIN_PUBLICATIONS) await this.#join();
  }

  /**
   * An image that was found.
   * @param catchUp waits until all publications found before it were named
   */
  async offer(file: ImageFile, catchUp: () => Promise<void>): Promise<void> {
    const key = figureKey(file.name);
    if (key === undefined) return; // What it is called nobody can ask for; who names it so is told that it is missing.
    const place = placeOf(file.folder, key);
    const id = `${place} ${key}`;
    // Of several files of one stem the last one counts.
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

  /** Joins what is left and waits for all conversions. */
  async finish(): Promise<DrawingSummary> {
    await this.#join();
    while (this.#working.length > 0) await this.#finishOne();
    this.#commit();
    this.#forget(0);
    const failed = [...this.#failed];
    if (this.#unlisted > 0) {
      failed.push({ file: '', position: '', reason: `and ${this.#unlisted} failures more` });
    }
    const { stored, unchanged, missing, unclaimed } = this.#counts;
    const first = [...this.#missing.values()].slice(0, DRAWINGS_MISSING_LISTED);
    return { stored, unchanged, missing, missing_first: first, unclaimed, failed };
  }

  /** Whatever was named and whatever waits for it come together. */
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
   * Writes down what publications name. To be called before their file enters the ledger: it is not read again then,
   * and an image that comes later would find nobody who names it.
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
          // Packages often come without the images of formulas: only figures are missed.
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

  /** Converts an image, unless all who name it have it already. */
  async #take(waiting: Waiting, namers: readonly string[]): Promise<void> {
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
    kept.catch(() => {}); // Reported when its turn comes; until then it must not count as unhandled.
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

  /** Writes down which images came out, and who shows them. */
  #commit(): void {
    const done = this.#done;
    this.#done = [];
    if (done.length === 0) return;
    // Listed before the transaction: lmdb can not list the values of one key within one.
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

  /** Lets go of the images that came in first and that nobody names. */
  #forget(bytes: number): void {
    for (const [id, { file }] of this.#waiting) {
      if (this.#waitingBytes <= bytes) return;
      this.#waiting.delete(id);
      this.#waitingBytes -= file.bytes.length;
      this.#counts.unclaimed += 1;
    }
  }
}

/** The place of names that mean one publication wherever they lie. */
const EVERYWHERE = '*';

/**
 * Where a name means the same figure: everywhere for a name that carries the number of its publication, else in
 * the folder (or the folder within an archive) in which it was found.
 */
function placeOf(folder: string, key: string): string {
  return isUniqueName(key)
    ? EVERYWHERE
    : createHash('sha256').update(folder).digest('base64url').slice(0, 22);
}
