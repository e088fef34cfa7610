/** Where the figures of publications are kept: their names, and the images stored so far. */
import { transaction } from '../store/commit.js';
import {
  copyFigures,
  type Figure,
  type FigureImage,
  figureImages,
  type GivenImage,
  giveImage,
  type NamedFigure,
  nameFigures,
  namersOf,
  roomForFigures,
} from '../store/figures.js';
import type { Store } from '../store/store.js';

/** The figures that a publication names. */
export interface PublicationFigures {
  patentId: string;
  figures: NamedFigure[];
}

/** A publication with a figure of a name, and the image that it has. */
export interface Namer {
  patentId: string;
  image?: FigureImage | undefined;
}

/** A stored image; undefined if the office's file could not be read. */
export interface ReadyImage extends NamedFigure {
  image: FigureImage | undefined;
}

export interface FigureTable {
  /**
   * Stores the figures that publications name, durably.
   * @param run the current ingest
   * @returns for each, the keys without an image that this run has not yet counted as missing
   */
  name(named: readonly PublicationFigures[], run: number): Promise<string[][]>;
  /** For each name, the publications with a figure of this name. */
  namers(names: readonly NamedFigure[]): Promise<Namer[][]>;
  /**
   * Gives images to all publications that name them, durably.
   * @returns for each, the publications and what became of the image
   */
  give(images: readonly ReadyImage[], run: number): Promise<({ patentId: string } & GivenImage)[][]>;
}

/** The figures of a data folder. */
export class FolderFigures implements FigureTable {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async name(named: readonly PublicationFigures[], run: number): Promise<string[][]> {
    return transaction(
      this.#store,
      () => named.map(({ patentId, figures }) => nameFigures(this.#store, patentId, figures, run)),
      () => roomForFigures(named.reduce((sum, { figures }) => sum + 1 + figures.length, 0)),
    );
  }

  async namers(names: readonly NamedFigure[]): Promise<Namer[][]> {
    return names.map(({ place, key }) =>
      namersOf(this.#store, place, key).map((patentId) => ({
        patentId,
        image: figureImages(this.#store, patentId).get(key),
      })),
    );
  }

  /** Adds figures that were copied from elsewhere. Their images take the place of others. */
  async copy(copied: readonly { patentId: string; figures: readonly Figure[] }[]): Promise<void> {
    transaction(
      this.#store,
      () => {
        for (const { patentId, figures } of copied) copyFigures(this.#store, patentId, figures);
      },
      () => roomForFigures(copied.reduce((sum, { figures }) => sum + 1 + figures.length, 0)),
    );
  }

  async give(images: readonly ReadyImage[], run: number): Promise<({ patentId: string } & GivenImage)[][]> {
    // The names are listed before the transaction: lmdb cannot list the values of a key within a transaction.
    const named = images.map(({ place, key }) => namersOf(this.#store, place, key));
    return transaction(
      this.#store,
      () =>
        images.map(({ key, image }, n) =>
          named[n]!.flatMap((patentId) => {
            const given = giveImage(this.#store, patentId, key, image, run);
            return given === undefined ? [] : [{ patentId, ...given }];
          }),
        ),
      () => roomForFigures(named.reduce((sum, namers) => sum + namers.length, 0)),
    );
  }
}
