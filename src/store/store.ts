/**
 * The document store in LMDB. Any number of threads and processes may read; one transaction at a time writes. keys.ts
 * describes the layout.
 */
import { existsSync, statSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Database, RootDatabase } from 'lmdb';
import { PriorartError } from '../errors.js';
import type { Passage } from '../patent/passage.js';
import { checkedValues, isWhole } from './checked-values.js';
import { type DocumentBody, type DocumentHead, type PreparedDocument, patentOf } from './document.js';
import {
  corrupt,
  dataFile,
  diskFull,
  hasDataFile,
  hasSegments,
  noData,
  onReadOnlyDisk,
  readable,
} from './faults.js';
import type { PatentFigures } from './figures.js';
import { fileId } from './file-id.js';
import { deletedKey, FORMAT, MANIFEST } from './keys.js';
import { faultOfLmdbFile, fillLmdbFile, isHalfMade } from './lmdb-file.js';
import { openForReading, openLmdb } from './lmdb-open.js';
import type { Manifest, ModelIdentity } from './manifest.js';
import { isOnReadOnlyDisk, makeFolder, makeRoom, syncFolders } from './room.js';
import type { SourceRecord } from './source-record.js';

/** Maximum number of replaced versions that are stored for a document. */
export const REPLACED_KEPT = 16;

const NONE = new Uint32Array();

/** Maximum number of concurrent readers of a folder: threads of all processes. */
const MAX_READERS = 1024;

/** The tables of a store; keys.ts explains them. */
interface Tables {
  meta: Database;
  documents: Database<DocumentHead, number>;
  bodies: Database<DocumentBody, number>;
  passages: Database<Passage, [number, number]>;
  ids: Database<number, string>;
  numbers: Database<string, string>;
  applications: Database<string, string>;
  figures: Database<PatentFigures, string>;
  figureNames: Database<string, [string, string]>;
  figureFiles: Database<string, string>;
  sources: Database<SourceRecord, string>;
}

export class Store {
  readonly dir: string;
  readonly root: RootDatabase;
  #tables: Tables;
  #isClosed = false;
  /** Of the data file that is mapped. */
  readonly #file: string | undefined;

  private constructor(dir: string) {
    this.dir = dir;
    const path = dataFile(dir);
    const isNew = !existsSync(path) || isHalfMade(path);
    checkDataFile(dir);
    const mayWrite = !isOnReadOnlyDisk(dirname(path));
    this.root = openRoot(dir, mayWrite);
    this.#file = fileId(path);
    try {
      if (mayWrite) {
        this.root.transactionSync(() => {
          fillLmdbFile(path);
          // Only a new folder needs room for its tables. Others must be readable on a full disk.
          if (isNew) makeRoom(path);
        });
      }
      checkManifest(this.root, dir);
      this.#tables = openTables(this.root, dir);
    } catch (error) {
      void this.root.close();
      throw readable(error, dir);
    }
  }

  get meta(): Tables['meta'] {
    return this.#tables.meta;
  }
  get documents(): Tables['documents'] {
    return this.#tables.documents;
  }
  get bodies(): Tables['bodies'] {
    return this.#tables.bodies;
  }
  get passages(): Tables['passages'] {
    return this.#tables.passages;
  }
  get ids(): Tables['ids'] {
    return this.#tables.ids;
  }
  get numbers(): Tables['numbers'] {
    return this.#tables.numbers;
  }
  get applications(): Tables['applications'] {
    return this.#tables.applications;
  }
  get figures(): Tables['figures'] {
    return this.#tables.figures;
  }
  get figureNames(): Tables['figureNames'] {
    return this.#tables.figureNames;
  }
  get figureFiles(): Tables['figureFiles'] {
    return this.#tables.figureFiles;
  }
  get sources(): Tables['sources'] {
    return this.#tables.sources;
  }

  /**
   * Resets the encoders after an aborted transaction. Encoders number the structures of the records that they write.
   * After an abort they would use numbers whose definitions are not on disk, and those records would be unreadable.
   */
  afterAbort(): void {
    this.#tables = openTables(this.root, this.dir);
  }

  /**
   * Why what is at the folder's path is not what was opened; undefined while it is. LMDB goes on with a file that was
   * renamed or deleted.
   */
  displacement(): string | undefined {
    const found = fileId(dataFile(this.dir));
    if (found === this.#file) return undefined;
    return `the data folder was ${found === undefined ? 'deleted or renamed' : 'replaced by another'}`;
  }

  /**
   * To be called before files are written by their path.
   * @throws PriorartError `unavailable`
   */
  checkInPlace(): void {
    const why = this.displacement();
    if (why === undefined) return;
    throw new PriorartError('unavailable', `${this.dir}: ${why} while it was open; nothing was written`);
  }

  /** Folder of a segment's files. */
  segmentDir(id: string): string {
    return join(this.dir, 'segments', id);
  }

  /**
   * Opens the data folder for reading and writing.
   * @throws PriorartError `no_data` if it does not exist, `data_version` if it has another format, `data_corrupt` if
   *   its file is not a valid LMDB file, `read_only` if this user may not read it
   */
  static open(dir: string): Store {
    if (!hasDataFile(dir)) throw noData(dir);
    const store = new Store(dir);
    try {
      store.manifest();
    } catch (error) {
      void store.close();
      throw readable(error, dir);
    }
    return store;
  }

  /**
   * Opens the data folder; undefined if it holds no index. Its file may exist without an index: another process may be
   * making it, or was killed while it did.
   * @throws the errors of `open`, apart from `no_data`
   */
  static async openIfThere(dir: string): Promise<Store | undefined> {
    if (!hasDataFile(dir)) return undefined;
    const store = new Store(dir);
    try {
      if (store.meta.get(MANIFEST) === undefined) {
        await store.close();
        return undefined;
      }
      store.manifest();
      return store;
    } catch (error) {
      void store.close();
      throw readable(error, dir);
    }
  }

  /**
   * Opens the data folder. Makes one for this model if it does not exist.
   * @throws the errors of `open`; `no_data` if the folder cannot be made
   */
  static openOrCreate(
    dir: string,
    model: ModelIdentity,
    indexKind: string,
    models?: Manifest['models'],
  ): Store {
    // Refuses a folder that has lost its file before it gets a new one.
    hasDataFile(dir);
    const top = makeFolders(dir);
    const store = new Store(dir);
    try {
      store.root.transactionSync(() => {
        if (store.meta.get(MANIFEST) !== undefined) return;
        // A folder without an index may be new, and its entries may not be synced.
        for (const part of PARTS) syncFolders(join(dir, part), top);
        const now = new Date().toISOString();
        const manifest: Manifest = {
          format: FORMAT,
          generation: 1,
          createdAt: now,
          updatedAt: now,
          model,
          ...(models === undefined ? {} : { models }),
          indexKind,
          segments: [],
          nextDoc: 1,
          nextSegment: 1,
          documents: 0,
          passages: 0,
        };
        store.meta.putSync(MANIFEST, manifest);
      });
      store.manifest();
      return store;
    } catch (error) {
      void store.close();
      throw error;
    }
  }

  /** The manifest of the current read transaction. */
  manifest(): Manifest {
    const manifest = this.meta.get(MANIFEST) as Manifest | undefined;
    if (manifest === undefined) throw noData(this.dir);
    if (manifest.format !== FORMAT) throw otherFormat(this.dir, manifest.format);
    return manifest;
  }

  /** The manifest of the current read transaction as it is stored, for `isManifest`. */
  manifestBytes(): Buffer {
    const stored = this.meta.getBinaryFast(MANIFEST);
    if (stored === undefined) throw noData(this.dir);
    return Buffer.from(stored.subarray(0, stored.length));
  }

  /** Whether the manifest is unchanged. Compares bytes, which is much faster than decoding. */
  isManifest(bytes: Buffer): boolean {
    const stored = this.meta.getBinaryFast(MANIFEST);
    // The buffer of a read value is longer than the value.
    return stored?.length === bytes.length && bytes.compare(stored, 0, stored.length) === 0;
  }

  /** Ids of a segment's documents deleted since it was written. */
  deleted(segment: string): Uint32Array {
    const bytes = this.meta.get(deletedKey(segment)) as Uint8Array | undefined;
    if (bytes === undefined) return NONE;
    // The value may be at any address in the map; u32 needs an aligned copy.
    return new Uint32Array(bytes.slice().buffer, 0, bytes.byteLength / 4);
  }

  /** Starts a new read transaction, in which all commits of other processes are visible. */
  refresh(): void {
    this.root.resetReadTxn();
  }

  /** Grows with every commit of any process; undefined if LMDB does not tell it. */
  get lastTransaction(): number | undefined {
    return (this.root.getStats() as { lastTxnId?: number }).lastTxnId;
  }

  passage(doc: number, number: number): Passage | undefined {
    return this.passages.get([doc, number]);
  }

  /**
   * A publication as it was prepared, without vectors; undefined if it or one of its passages is gone.
   * @param read reads each of its values; `whole` takes a damaged one for a missing one
   */
  document(
    doc: number,
    read: <T>(value: () => T) => T | undefined = (value) => value(),
  ): Omit<PreparedDocument, 'vectors'> | undefined {
    const head = read(() => this.documents.get(doc));
    if (head === undefined) return undefined;
    const passages = Array.from({ length: head.passages }, (_, n) => read(() => this.passage(doc, n)));
    if (!passages.every((passage) => passage !== undefined)) return undefined;
    return { patent: patentOf(head, read(() => this.bodies.get(doc)) ?? {}), hash: head.hash, passages };
  }

  /** Whether `close` was called, which ends all read transactions. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.root.close();
  }
}

/** @throws PriorartError `disk_full`, `data_corrupt`, `read_only` */
function openRoot(dir: string, mayWrite: boolean): RootDatabase {
  const path = dataFile(dir);
  if (!mayWrite)
    return openForReading({ path, maxDbs: 16, maxReaders: MAX_READERS }, () => onReadOnlyDisk(dir));
  // LMDB opens an empty file but not an incomplete one.
  const begunAnew = () => {
    if (existsSync(path) && isHalfMade(path)) truncateSync(path, 0);
  };
  try {
    return openLmdb(
      {
        path,
        maxDbs: 16,
        maxReaders: MAX_READERS,
        // A commit returns when it is on disk, so that acknowledged commits survive a power failure.
        overlappingSync: false,
      },
      begunAnew,
    );
  } catch (error) {
    throw readable(error, dir);
  }
}

/** Mode of the data folder. It protects the files in it, whatever umask the application has. */
const OWNER_ONLY = 0o700;
/** Subfolders of a new data folder. */
const PARTS = ['store', 'segments'];

/**
 * @returns the existing parent of the new folders
 * @throws PriorartError `no_data` if a file has the name of a folder, or the folder cannot be made
 */
function makeFolders(dir: string): string {
  try {
    const top = makeFolder(dir, OWNER_ONLY);
    for (const part of PARTS) makeFolder(join(dir, part), OWNER_ONLY);
    return top;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC') throw diskFull(dir, error);
    const file = code === 'ENOTDIR' || code === 'EEXIST';
    const reason = file ? 'it or a part of its path is a file' : (error as Error).message;
    const message = `cannot make the data folder ${dir}: ${reason}; give another`;
    throw new PriorartError('no_data', message, { cause: error, inCommand: `${message} with --data` });
  }
}

/** @param dir the data folder, for messages on damaged values */
function openTables(root: RootDatabase, dir: string): Tables {
  const structures = Symbol.for('structures');
  const values = (name: string) => ({ name, ...(checkedValues(root, dir, name) as object) });
  return {
    meta: root.openDB(values('meta')),
    documents: root.openDB({ ...values('documents'), sharedStructuresKey: structures }),
    bodies: root.openDB({ ...values('bodies'), sharedStructuresKey: structures, compression: true }),
    passages: root.openDB({ ...values('passages'), sharedStructuresKey: structures }),
    ids: root.openDB(values('ids')),
    numbers: root.openDB({ name: 'numbers', dupSort: true, encoding: 'ordered-binary' }),
    applications: root.openDB({ name: 'applications', dupSort: true, encoding: 'ordered-binary' }),
    figures: root.openDB({ ...values('figures'), sharedStructuresKey: structures }),
    figureNames: root.openDB({ name: 'figure_names', dupSort: true, encoding: 'ordered-binary' }),
    figureFiles: root.openDB({ name: 'figure_files', dupSort: true, encoding: 'ordered-binary' }),
    sources: root.openDB(values('sources')),
  };
}

function otherFormat(dir: string, format: number): PriorartError {
  const [writer, advice] =
    format > FORMAT
      ? ['a newer priorart', 'upgrade priorart, or ingest into another folder']
      : ['another program', 'ingest into another folder'];
  const message = `${dir} was written by ${writer} (format ${format}, this priorart reads ${FORMAT}); ${advice}`;
  return new PriorartError('data_version', message);
}

/** @throws PriorartError `data_corrupt` */
function checkManifest(root: RootDatabase, dir: string): void {
  const bytes = root.openDB<Uint8Array>({ name: 'meta', encoding: 'binary' }).get(MANIFEST);
  if (bytes !== undefined && !isWhole(bytes)) throw corrupt(dir, 'the manifest has a wrong checksum');
}

/**
 * Checks the file before LMDB maps it, because LMDB would end the process if the file is damaged.
 * @throws PriorartError `data_corrupt`
 */
function checkDataFile(dir: string): void {
  const path = dataFile(dir);
  if (!existsSync(path)) return;
  if (isHalfMade(path)) {
    // A process that died while it made the folder leaves an empty or incomplete file. If segments exist, the file was
    // truncated later.
    if (!hasSegments(dir)) return;
    const { size } = statSync(path);
    if (size === 0) throw corrupt(dir, 'the file is empty');
    throw corrupt(dir, faultOfLmdbFile(path) ?? `the file is cut off after ${size} bytes`);
  }
  const fault = faultOfLmdbFile(path);
  if (fault !== undefined) throw corrupt(dir, fault);
}
