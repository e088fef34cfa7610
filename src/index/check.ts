/**
 * Verifies a data folder: checksums of all files, a vector for every passage, hashes of all texts, all lookups, all
 * counts. Reads everything and changes nothing.
 */

import { internationalKeys } from '../patent/international-number.js';
import type { Passage } from '../patent/passage.js';
import { whole } from '../store/checked-values.js';
import {
  applicationKeys,
  contentHash,
  type DocumentHead,
  passagesHash,
  patentOf,
} from '../store/document.js';
import { readable as asDamage, dataFile } from '../store/faults.js';
import type { Manifest, SegmentEntry } from '../store/manifest.js';
import { damagedPages } from '../store/pages.js';
import type { Store } from '../store/store.js';
import { checkDrawingFiles, checkFigures } from './check-drawings.js';
import { reasonOf, type SegmentFiles, verifyFiles } from './check-files.js';
import { leftovers } from './merge.js';
import { leftOfCopy } from './snapshot-folder.js';

export type ProblemKind =
  /** A segment's vectors and columns; rebuilt from the stored texts. */
  | 'segment'
  /** A segment's FAISS index; rebuilt from its vectors. */
  | 'faiss'
  /** Lookup tables of the store; rebuilt from its documents. */
  | 'lookup'
  /** Passages of a document; rebuilt from its texts. */
  | 'passages'
  /** Record or texts of a document; the document must be ingested again. */
  | 'document'
  /** Pages of the store's file; cannot be repaired. */
  | 'store'
  /** An image of a figure; removed, and must be ingested again. */
  | 'drawing'
  /** A file of accounts, quotas or the log of requests; cannot be repaired. Found by the command, not by this module. */
  | 'access'
  /** A folder or file that no manifest names, left by a killed process; harmless. */
  | 'leftover';

export interface FolderProblem {
  kind: ProblemKind;
  /** The segment or document with the problem. */
  where: string;
  reason: string;
}

export interface CheckReport {
  ok: boolean;
  documents: number;
  passages: number;
  segments: number;
  /** At most 1,000 of each kind. */
  problems: FolderProblem[];
}

/** A report, and the complete list of repairs. */
export interface Inspection extends CheckReport {
  /** Segments to rebuild; segments whose FAISS index must be rebuilt. */
  brokenSegments: Set<string>;
  brokenIndexes: Set<string>;
  lookupsBroken: boolean;
  /** Whether the store's file is damaged. Then nothing can be repaired, because all else is derived from its texts. */
  storeBroken: boolean;
  /** Documents with damaged passages and intact texts. */
  brokenPassages: Set<number>;
  /** Documents with vectors but without a record, and their patent_id if it is still known. */
  lost: Map<number, string | undefined>;
  /** Segments with a damaged list of deleted documents; files with a damaged entry in the ledger. */
  brokenLists: Set<string>;
  brokenSources: string[];
  /** Documents of earlier versions, which their international applications do not lead to. */
  withoutInternational: number[];
}

/** Maximum number of listed problems of each kind. */
const LISTED = 1_000;

/** Checks a data folder. Leftovers are listed but do not count as damage. */
export async function checkFolder(store: Store, onProgress?: (text: string) => void): Promise<CheckReport> {
  const { ok, documents, passages, segments, problems } = await inspectFolder(store, onProgress);
  return { ok, documents, passages, segments, problems };
}

/** Checks a data folder and lists the necessary repairs. */
export async function inspectFolder(store: Store, onProgress?: (text: string) => void): Promise<Inspection> {
  const files = await verifyAllFiles(store, onProgress);
  // No await until the files of drawings are checked, so that manifest and tables are read in one state.
  const run = new FolderCheck(store, onProgress);
  if (run.checkPages()) {
    run.checkSegments(files);
    run.reading('documents', () => run.checkDocuments());
    run.reading('ids', () => run.checkLookups());
    run.reading('figures', () => checkFigures(store, run.found));
    run.reading('ledger', () => run.checkLedger());
  }
  for (const name of leftovers(store, run.manifest)) run.found('leftover', name, 'no manifest names it');
  const held = leftOfCopy(store);
  if (held !== undefined) run.found('leftover', held, 'a snapshot that was killed has left it');
  if (!run.storeBroken) await checkDrawingFiles(store, run.found, onProgress);
  return run.report();
}

/** Verifies the files of all segments, and repeats with new segments until there are none. Files never change. */
async function verifyAllFiles(
  store: Store,
  onProgress?: (text: string) => void,
): Promise<Map<string, SegmentFiles>> {
  const files = new Map<string, SegmentFiles>();
  for (;;) {
    store.refresh();
    const { segments } = store.manifest();
    const entry = segments.find((candidate) => !files.has(filesKey(candidate)));
    if (entry === undefined) return files;
    onProgress?.(`segment ${files.size + 1} of ${segments.length}`);
    files.set(filesKey(entry), await verifyFiles(store, entry));
  }
}

const filesKey = ({ id, index }: SegmentEntry) => `${id} ${index?.file}`;

class FolderCheck {
  readonly #store: Store;
  readonly #onProgress: ((text: string) => void) | undefined;
  readonly #problems: FolderProblem[] = [];
  readonly #counts = new Map<ProblemKind, number>();
  readonly #brokenSegments = new Set<string>();
  readonly #brokenIndexes = new Set<string>();
  readonly #brokenPassages = new Set<number>();
  readonly #lost = new Map<number, string | undefined>();
  readonly #brokenLists = new Set<string>();
  readonly #brokenSources: string[] = [];
  readonly #withoutInternational: number[] = [];
  /** Number of vectors of each live document in intact segments. */
  readonly #live = new Map<number, number>();
  readonly manifest: Manifest;

  constructor(store: Store, onProgress?: (text: string) => void) {
    this.#store = store;
    this.#onProgress = onProgress;
    this.manifest = store.manifest();
  }

  readonly found = (kind: ProblemKind, where: string, reason: string): void => {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    if (count <= LISTED) this.#problems.push({ kind, where, reason });
  };

  get storeBroken(): boolean {
    return this.#counts.has('store');
  }

  report(): Inspection {
    const { documents, passages, segments } = this.manifest;
    return {
      ok: this.#problems.every(({ kind }) => kind === 'leftover'),
      documents,
      passages,
      segments: segments.length,
      problems: this.#problems,
      brokenSegments: this.#brokenSegments,
      brokenIndexes: this.#brokenIndexes,
      lookupsBroken: this.#counts.has('lookup'),
      brokenPassages: this.#brokenPassages,
      withoutInternational: this.#withoutInternational,
      lost: this.#lost,
      brokenLists: this.#brokenLists,
      brokenSources: this.#brokenSources,
      storeBroken: this.storeBroken,
    };
  }

  /** Whether the pages of the store's file are intact. If not, its tables cannot be checked. */
  checkPages(): boolean {
    this.#onProgress?.('pages of the store');
    // The manifest was read in this turn of the event loop, which holds the state of the file until it ends.
    const path = dataFile(this.#store.dir);
    const damage = damagedPages(path);
    for (const fault of damage) this.found('store', path, fault);
    return damage.length === 0;
  }

  /** Reads a table. Reports an LMDB error of a damaged page as a problem. */
  reading(where: string, read: () => void): void {
    try {
      read();
    } catch (error) {
      // A read transaction is unusable after a damaged page.
      this.#store.refresh();
      this.found('document', where, reasonOf(asDamage(error, this.#store.dir)));
    }
  }

  /** Reports faults of files, and collects the live documents of intact segments with their numbers of vectors. */
  checkSegments(files: ReadonlyMap<string, SegmentFiles>): void {
    for (const entry of this.manifest.segments) {
      const { path, fault, indexFault, rows } = files.get(filesKey(entry))!;
      if (fault !== undefined) {
        this.found('segment', path, fault);
        this.#brokenSegments.add(entry.id);
      } else if (indexFault !== undefined) {
        this.found('faiss', entry.id, indexFault);
        this.#brokenIndexes.add(entry.id);
      }
      const deleted = whole(() => new Set(this.#store.deleted(entry.id)));
      if (deleted === undefined) {
        this.found('lookup', entry.id, 'its list of deleted documents is damaged');
        this.#brokenLists.add(entry.id);
      }
      const isLive = (doc: number) => (deleted ? !deleted.has(doc) : this.#store.documents.doesExist(doc));
      for (const [doc, count] of rows) if (isLive(doc)) this.#live.set(doc, count);
    }
  }

  /** Checks that every record is intact and has its vectors, and that all vectors have a record. */
  checkDocuments(): void {
    const records = new Map<number, number>();
    // Lists the keys before reading the values: an open cursor would keep an unusable transaction alive.
    for (const doc of [...this.#store.documents.getKeys()]) {
      if (records.size % 1000 === 0) {
        this.#onProgress?.(`document ${records.size} of ${this.manifest.documents}`);
      }
      records.set(doc, 0);
      this.reading(`document ${doc}`, () => {
        const head = whole(() => this.#store.documents.get(doc));
        if (head === undefined) return this.#lose(doc, 'its record is damaged');
        records.set(doc, head.passages);
        this.#checkDocument(doc, head);
        return undefined;
      });
    }
    for (const doc of this.#live.keys()) {
      if (!records.has(doc)) this.#lose(doc, 'has vectors but no record');
    }
    const passages = [...records.values()].reduce((sum, count) => sum + count, 0);
    const { documents, passages: counted } = this.manifest;
    if (documents !== records.size || counted !== passages) {
      const there = `there are ${records.size} documents and ${passages} passages`;
      this.found('lookup', 'manifest', `counts ${documents} and ${counted}, ${there}`);
    }
  }

  #lose(doc: number, reason: string): void {
    const { ids } = this.#store;
    const patentId = [...ids.getKeys()].find((key) => whole(() => ids.get(key)) === doc);
    this.#lost.set(doc, patentId);
    this.found('document', patentId ?? String(doc), reason);
  }

  /** Finds publications that have neither a record nor vectors, which only their ids still name. */
  #loseMissing(): void {
    const { documents, ids } = this.#store;
    for (const name of [...ids.getKeys()]) {
      const doc = whole(() => ids.get(name));
      if (doc === undefined || documents.doesExist(doc) || this.#lost.has(doc)) continue;
      this.#lost.set(doc, name);
      this.found('document', name, 'its record is missing');
    }
  }

  #checkDocument(doc: number, head: DocumentHead): void {
    const name = head.patent_id;
    const body = whole(() => this.#store.bodies.get(doc));
    const recordWhole = body !== undefined && contentHash(patentOf(head, body)) === head.hash;
    if (body === undefined) this.found('document', name, 'its text is missing or damaged');
    else if (!recordWhole) this.found('document', name, 'its record or text is not as it was stored');
    else if (head.international === undefined && internationalKeys(body).length > 0) {
      this.#withoutInternational.push(doc);
    }

    const fault = this.#faultOfPassages(doc, head);
    if (fault !== undefined) {
      if (recordWhole) this.#brokenPassages.add(doc);
      this.found(recordWhole ? 'passages' : 'document', name, fault);
    }
    const segment = this.manifest.segments.find((s) => s.firstDoc <= doc && doc <= s.lastDoc);
    if (segment !== undefined && this.#brokenSegments.has(segment.id)) return;
    const rows = this.#live.get(doc);
    if (rows === head.passages) return;
    // Vectors can be rebuilt only from intact texts.
    if (fault === undefined || recordWhole) {
      this.found('segment', name, `has ${head.passages} passages and ${rows ?? 0} vectors`);
      if (segment) this.#brokenSegments.add(segment.id);
    } else if (rows === undefined) this.found('document', name, 'is not searched: it has no vectors');
  }

  #faultOfPassages(doc: number, head: DocumentHead): string | undefined {
    const passages: Passage[] = [];
    for (let n = 0; n < head.passages; n++) {
      const passage = whole(() => this.#store.passage(doc, n));
      if (passage === undefined) return `passage ${n} is missing or damaged`;
      passages.push(passage);
    }
    return passagesHash(passages) === head.passagesHash ? undefined : 'a passage is not as it was stored';
  }

  /** Checks that every entry in the ledger can be read. */
  checkLedger(): void {
    const { sources } = this.#store;
    for (const key of [...sources.getKeys()]) {
      if (whole(() => sources.get(key)) !== undefined) continue;
      this.found('lookup', key, 'its entry in the ledger is damaged');
      this.#brokenSources.push(key);
    }
  }

  /** Checks that the lookups contain all numbers of all records, and no others. */
  checkLookups(): void {
    const { documents, ids, numbers, applications } = this.#store;
    let records = 0;
    let names = 0;
    for (const key of [...documents.getKeys()]) {
      const value = whole(() => documents.get(key));
      if (value === undefined) continue; // Already reported.
      records += 1;
      names += 1 + (value.corrects?.length ?? 0);
      const { patent_id: name, number } = value;
      if (whole(() => ids.get(name)) !== key) this.found('lookup', name, 'its id does not lead to it');
      if (!numbers.doesExist(number, name)) this.found('lookup', name, 'its number does not lead to it');
      if (!applicationKeys(value).every((key) => applications.doesExist(key, name))) {
        this.found('lookup', name, 'its application number does not lead to it');
      }
    }
    this.#loseMissing();
    const count = ids.getCount();
    if (count !== names && this.#lost.size === 0)
      this.found('lookup', 'ids', `there are ${count} ids for ${records} documents`);
    for (const table of [numbers, applications]) {
      for (const { key, value } of table.getRange()) {
        if (!ids.doesExist(value)) this.found('lookup', key, `leads to ${value}, which is not there`);
      }
    }
  }
}
