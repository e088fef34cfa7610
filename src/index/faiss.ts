/**
 * FAISS without the engine, for applications with their own vectors. Methods have the names of the npm package faiss-node
 * if it has them. Unlike there, arrays are typed, and a search takes parameters and a filter.
 */
import { PriorartError } from '../errors.js';
import { calling, type FaissHits, type FaissOptions, type FaissSearchOptions, native } from './native.js';

export type { FaissHits, FaissOptions, FaissSearchOptions };

/** Components, row after row. Plain arrays are copied; a Float32Array is read in place. */
export type Vectors = Float32Array | readonly number[];

const NativeIndex = native.FaissIndex;
type NativeIndex = InstanceType<typeof NativeIndex>;

function invalid(name: string, value: unknown, expected: string): PriorartError {
  const shown = typeof value === 'number' || typeof value === 'string' ? String(value) : typeof value;
  return new PriorartError('invalid_request', `${name} is ${shown}; expected ${expected}`);
}

/** Checks an integer, because the addon would silently wrap a value that is not an unsigned 32-bit integer. */
function whole(name: string, value: unknown, least: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > 0x7fffffff) {
    throw invalid(name, value, `a whole number from ${least} to 2147483647`);
  }
  return value;
}

function float32(name: string, value: Vectors): Float32Array {
  if (value instanceof Float32Array) return value;
  if (!Array.isArray(value)) throw invalid(name, value, 'a Float32Array or an array of numbers');
  return Float32Array.from(value);
}

/** The given options, checked. An explicit `undefined` means the default. */
function checked<T extends object>(options: T, least: Partial<Record<keyof T, number>>): T {
  const out: Partial<T> = {};
  for (const [name, value] of Object.entries(options) as [keyof T & string, T[keyof T & string]][]) {
    if (value === undefined) continue;
    const minimum = least[name];
    if (minimum !== undefined) whole(name, value, minimum);
    out[name] = value;
  }
  return out as T;
}

function searchOptions(options: FaissSearchOptions): FaissSearchOptions {
  const { filter, kFactor } = options;
  if (filter !== undefined && !(filter instanceof Uint8Array)) {
    throw invalid('filter', filter, 'a Uint8Array with a bit for every row');
  }
  if (kFactor !== undefined && typeof kFactor !== 'number') throw invalid('kFactor', kFactor, 'a number');
  return checked(options, { nprobe: 1, efSearch: 1 });
}

/**
 * A FAISS index by inner product. With vectors of unit length, scores are cosines. Calls run on the calling thread, so a
 * server makes them in a worker.
 */
export class FaissIndex {
  readonly #index: NativeIndex;

  /**
   * An empty index.
   * @param kind `flat`, `ivf-flat`, `ivf-sq8`, `ivf-sqfp16`, `ivf-pq`, `ivf-pq-refine`, `hnsw-flat` or `hnsw-sq8`
   * @param dimension components of a vector
   * @throws PriorartError `unknown_index_kind`, `invalid_request`
   */
  constructor(kind: string, dimension: number, options?: FaissOptions);
  /** @internal For `read`. */
  constructor(opened: NativeIndex);
  constructor(kind: string | NativeIndex, dimension = 0, options: FaissOptions = {}) {
    if (kind instanceof NativeIndex) {
      this.#index = kind;
      return;
    }
    if (typeof kind !== 'string') throw invalid('kind', kind, 'the name of an index kind');
    whole('dimension', dimension, 1);
    const least = { expectedRows: 0, nlist: 1, pqM: 1, hnswM: 2, efConstruction: 1, threads: 0, seed: 0 };
    const given = checked(options, least);
    this.#index = calling(() => new NativeIndex(kind, dimension, given));
  }

  /**
   * Opens a file that `write`, or FAISS itself, has written.
   * @param options `mmap`: leave vectors, lists and graphs in the file, which then must not change. Such an index
   * cannot be added to, and all threads of the process that open the file share one. Without it, everything is
   * read and checked. With it, vectors and row numbers are not read at opening: damage to them can change results,
   * or a search finds it. No damage crashes the process.
   * @throws PriorartError `data_corrupt` for a damaged file, `invalid_request` for a path that cannot be opened
   */
  static read(path: string, options: { mmap?: boolean } = {}): FaissIndex {
    if (typeof path !== 'string') throw invalid('path', path, 'the path of an index file');
    return new FaissIndex(calling(() => NativeIndex.read(path, options.mmap === true)));
  }

  /**
   * Learns centroids and value ranges; to be called once before `add`, also for the kinds that learn nothing.
   * @param x rows × dimension, at least `nlist` rows; 50 to 250 rows for each list are a good sample. Components
   * as for `add`
   * @throws PriorartError `invalid_request`
   */
  train(x: Vectors): void {
    calling(() => this.#index.train(float32('x', x)));
  }

  /**
   * Appends rows, whose numbers follow the ones before.
   * @param x rows × dimension; components from -1e15 to 1e15, for `ivf-sqfp16` from -32752 to 32752
   * @throws PriorartError `invalid_request`, also before `train` and for an index opened with `mmap`
   */
  add(x: Vectors): void {
    calling(() => this.#index.add(float32('x', x)));
  }

  /**
   * The `k` best rows for each query.
   * @param x queries × dimension; components from -1e15 to 1e15
   * @throws PriorartError `invalid_request`; `data_corrupt` where a mapped file turns out to be damaged
   */
  search(x: Vectors, k: number, options: FaissSearchOptions = {}): FaissHits {
    whole('k', k, 1);
    const given = searchOptions(options);
    return calling(() => this.#index.search(float32('x', x), k, given));
  }

  /**
   * All rows with a score of at least `minScore` for one query, unordered. Exact for `flat` and, with all lists probed,
   * `ivf-flat`. Other kinds compare estimates with the threshold.
   * @param x one query
   * @throws PriorartError as `search`
   */
  rangeSearch(x: Vectors, minScore: number, options: FaissSearchOptions = {}): FaissHits {
    if (typeof minScore !== 'number') throw invalid('minScore', minScore, 'a number');
    const given = searchOptions(options);
    return calling(() => this.#index.rangeSearch(float32('x', x), minScore, given));
  }

  /**
   * Writes the index in FAISS's own file format. Not atomic: write beside the old file and rename.
   * @throws PriorartError `invalid_request` for a path that cannot be written, `disk_full`
   */
  write(path: string): void {
    if (typeof path !== 'string') throw invalid('path', path, 'the path of an index file');
    calling(() => this.#index.write(path));
  }

  /** Number of rows. */
  ntotal(): number {
    return this.#index.ntotal();
  }

  /** Components of a vector. */
  getDimension(): number {
    return this.#index.getDimension();
  }

  /** Number of inverted lists; 0 for kinds without lists. */
  nlist(): number {
    return this.#index.nlist();
  }

  /** Name of the index kind. */
  kind(): string {
    return this.#index.kind();
  }

  /** Whether `train` was called, or nothing needs to be learned. */
  isTrained(): boolean {
    return this.#index.isTrained();
  }
}
