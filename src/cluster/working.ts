/**
 * The publications that a search needs, as an index in memory: the same code groups, scores, reranks and counts them that
 * works on the segments of a data folder.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPriorartError, PriorartError } from '../errors.js';
import { applicationLink, COLUMNS, columnValues } from '../index/columns.js';
import {
  type BestPassages,
  type CountOptions,
  type Counts,
  calling,
  type FilterClause,
  native,
  type SearchHits,
  type SearchOptions,
  type SegmentScan,
  type Selection,
  type TranslationShares,
  type UsedWord,
  type WordHits,
  type Words,
} from '../index/native.js';
import type { OpenSnapshot } from '../index/segment.js';
import { isGrantPublication } from '../patent/kind.js';
import { WORDS } from '../search/filter-rows.js';
import type { PartOfAll } from '../search/selections.js';
import type { TokenBags } from '../store/document.js';
import type { Manifest, ModelIdentity } from '../store/manifest.js';
import type { PublicationsInMemory } from './publications.js';

/** What is known of all documents of the cluster, by the JSON of clauses. */
export interface KnownOfAll {
  counts?: ReadonlyMap<string, number> | undefined;
  /** For each clause on words, the patent_ids of the working set that fulfil it. */
  fulfil?: ReadonlyMap<string, readonly string[]> | undefined;
  /** Lexical scores above 0 by document id, and the words that were scored. */
  lexical?: { scores: ReadonlyMap<number, number>; used: UsedWord[] } | undefined;
  /** For each document id the parts that hold each required term; as `partsHolding` returns them. */
  parts?: ReadonlyMap<number, readonly number[]> | undefined;
  /** The question of the vectors of `scoreVectors`. */
  scoreQuestion?: Float32Array | undefined;
  /** For each document id the languages of its passages, if the vectors do not tell them. */
  languages?: ReadonlyMap<number, Uint8Array> | undefined;
}

/** One document of a working set. */
export interface WorkingDocument {
  doc: number;
  vectors: Float32Array;
  bags?: TokenBags | undefined;
}

/**
 * A snapshot of a working set. What depends on documents outside of it was asked from the cluster before.
 */
class WorkingSnapshot extends native.Snapshot implements PartOfAll {
  known: KnownOfAll = {};

  countOfAll(clauses: FilterClause[]): number {
    const count = this.known.counts?.get(JSON.stringify(clauses));
    if (count === undefined) throw notAsked('a count', clauses);
    return count;
  }

  override select(clauses: FilterClause[]): Selection {
    return super.select(
      clauses.map((clause) => {
        if (clause.column !== WORDS) return clause;
        const terms = this.known.fulfil?.get(JSON.stringify(clause));
        if (terms === undefined) throw notAsked('words', [clause]);
        return { column: 'patent_id', test: 'exact', terms: [...terms] };
      }),
    );
  }

  override count(
    query: Float32Array,
    selection: Selection,
    scans: SegmentScan[],
    options: CountOptions,
  ): Counts {
    return super.count(this.known.scoreQuestion ?? query, selection, scans, options);
  }

  override search(
    query: Float32Array,
    selection: Selection,
    scans: SegmentScan[],
    options: SearchOptions,
  ): SearchHits {
    return super.search(this.known.scoreQuestion ?? query, selection, scans, options);
  }

  override languages(docs: Uint32Array, passages: Uint32Array, first: number, count: number): Uint8Array {
    const { languages } = this.known;
    if (languages === undefined) return super.languages(docs, passages, first, count);
    return Uint8Array.from(docs, (doc, n) => languages.get(doc)![passages[n]!]!);
  }

  override preferred(
    query: Float32Array,
    selection: Selection,
    docs: Uint32Array,
    countries: string[],
  ): Uint32Array {
    return super.preferred(this.known.scoreQuestion ?? query, selection, docs, countries);
  }

  override bestPassages(
    query: Float32Array,
    docs: Uint32Array,
    known: Uint32Array,
    scores: Float32Array,
    chunks: number,
    exact: boolean,
  ): BestPassages {
    return super.bestPassages(this.known.scoreQuestion ?? query, docs, known, scores, chunks, exact);
  }

  override searchWords(
    _words: Words,
    _translated: TranslationShares,
    query: Float32Array,
    selections: Selection[],
    found: Uint32Array,
    options: SearchOptions,
  ): WordHits {
    const { scores, used } = this.known.lexical ?? { scores: new Map<number, number>(), used: [] };
    const docs = Uint32Array.from(scores.keys());
    const values = Float32Array.from(scores.values());
    const question = this.known.scoreQuestion ?? query;
    return { ...super.searchScoredWords(docs, values, question, selections, found, options), used };
  }

  override partsHolding(words: Words, docs: Uint32Array): Uint8Array {
    const none = Array<number>(words.count).fill(0);
    return Uint8Array.from([...docs].flatMap((doc) => this.known.parts?.get(doc) ?? none));
  }
}

function notAsked(what: string, clauses: readonly FilterClause[]): PriorartError {
  return new PriorartError(
    'internal',
    `${what} of ${JSON.stringify(clauses)} was not asked from the cluster`,
  );
}

/** A working set, open for searching. */
export interface WorkingSet extends OpenSnapshot {
  native: WorkingSnapshot;
}

export interface WorkingSetOptions {
  model: ModelIdentity;
  /** Numbers of all documents and passages of the cluster. */
  documents: number;
  passages: number;
  dimensions?: number;
  known?: KnownOfAll;
  /** Columns that nothing will read. */
  empty?: ReadonlySet<string>;
  /** A folder in memory, which the system may lack. */
  memory?: string;
}

/** Opens documents as a snapshot. The caller must close it. @param documents ascending by id; heads are in `publications` */
export function openWorkingSet(
  publications: PublicationsInMemory,
  documents: readonly WorkingDocument[],
  {
    model,
    documents: all,
    passages,
    dimensions = model.dimensions,
    known = {},
    empty,
    memory = '/dev/shm',
  }: WorkingSetOptions,
): WorkingSet {
  const manifest: Manifest = {
    format: 1,
    generation: 0,
    createdAt: '',
    updatedAt: '',
    model,
    indexKind: 'flat',
    segments: [],
    nextDoc: publications.size + 1,
    nextSegment: 1,
    documents: all,
    passages,
  };
  if (documents.length === 0) {
    const snapshot = calling(() => new WorkingSnapshot([]));
    snapshot.known = known;
    return { manifest, native: snapshot };
  }
  const write = (folder: string) => {
    const path = join(folder, 'segment.bin');
    return calling(() => {
      const writer = new native.SegmentWriter(path, dimensions, COLUMNS, false);
      for (const { doc, vectors, bags } of documents) {
        const { head } = publications.stored(doc)!;
        writer.push({
          id: doc,
          patentId: head.patent_id,
          application: applicationLink(head),
          grant: isGrantPublication(head),
          vectors,
          bags,
          ...columnValues(head, empty),
        });
      }
      const written = writer.finish();
      const snapshot = new WorkingSnapshot([{ path, deleted: new Uint32Array() }]);
      snapshot.known = known;
      const [firstDoc, lastDoc] = [documents[0]!.doc, documents.at(-1)!.doc];
      const segment = { id: 'cluster', ...written, firstDoc, lastDoc };
      return { manifest: { ...manifest, segments: [segment] }, native: snapshot };
    });
  };
  if (!statSync(memory, { throwIfNoEntry: false })?.isDirectory()) return inTemporary(tmpdir(), write);
  try {
    return inTemporary(memory, write);
  } catch (error) {
    // Containers often have 64 MB of it, which a few searches with many passages fill.
    if (!isPriorartError(error) || error.code !== 'disk_full') throw error;
    return inTemporary(tmpdir(), write);
  }
}

function inTemporary<T>(parent: string, write: (folder: string) => T): T {
  const folder = mkdtempSync(join(parent, 'priorart-'));
  try {
    return write(folder);
  } finally {
    // The snapshot has the file mapped.
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Halves that a score is made of, each 2^-11 of the one before. */
const SCORE_PARTS = 3;
const STEP = 2 ** 11;

/** Numbers whose inner product with a vector of `scoreVectors` is the score. */
export const SCORE_QUESTION = Float32Array.from({ length: SCORE_PARTS }, (_, n) => STEP ** -n);

/**
 * Scores from -1 to 1 as vectors of passages, for a working set of documents whose vectors were compared by the cluster. They
 * are as exact as numbers of 32 bits, though vectors are stored in half precision.
 */
export function scoreVectors(scores: Float32Array): Float32Array {
  const vectors = new Float32Array(SCORE_PARTS * scores.length);
  const rest = scores.slice();
  for (let part = 0; part < SCORE_PARTS; part++) {
    const halves = native.fromHalves(native.toHalves(rest));
    for (const [n, half] of halves.entries()) {
      vectors[n * SCORE_PARTS + part] = half;
      rest[n] = (rest[n]! - half) * STEP;
    }
  }
  return vectors;
}

/** Documents whose passages have these scores. All are converted by few calls. */
export function scoredDocuments(
  documents: readonly { doc: number; scores: ArrayLike<number>; bags?: TokenBags | undefined }[],
): WorkingDocument[] {
  const all = new Float32Array(documents.reduce((sum, { scores }) => sum + scores.length, 0));
  let at = 0;
  for (const { scores } of documents) {
    all.set(scores, at);
    at += scores.length;
  }
  const vectors = scoreVectors(all);
  at = 0;
  return documents.map(({ doc, scores, bags }) => {
    const from = SCORE_PARTS * at;
    at += scores.length;
    return { doc, vectors: vectors.subarray(from, SCORE_PARTS * at), bags };
  });
}
