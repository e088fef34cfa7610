/** The expensive part of an ingest, which runs in a worker: read, compare, divide into passages, embed. */
import type { KeptImage } from '../drawings/keep.js';
import type { Embedder } from '../embed/embedder.js';
import type { DocumentTexts, TokenBags } from '../index/native.js';
import type { Derivation } from '../index/repair.js';
import { joinedSignal } from '../joined-signal.js';
import { DOCUMENT_MAX_CHARS } from '../limits.js';
import { withoutInvisible } from '../patent/invisible.js';
import { titlesOf } from '../patent/record.js';
import type { Reranker } from '../rerank/reranker.js';
import { changesNothing } from '../store/commit.js';
import { contentHash, type PreparedDocument, storable } from '../store/document.js';
import type { ModelIdentity } from '../store/manifest.js';
import type { NamedDrawings } from './figures.js';
import { tooLongKey } from './key-length.js';
import { passagesOf } from './passages.js';
import type { Failure, ParsedUnit, Unit } from './readers/reader.js';
import { parseUnit } from './readers/registry.js';
import type { SourcePlace } from './summary.js';
import type { StoredHeads } from './target.js';

const NO_VECTORS = new Float32Array();

/** A document and its file. */
export interface ReadDocument extends PreparedDocument {
  file: string;
}

/** Results of some units. */
export interface Prepared {
  /** Model of the vectors. */
  model: ModelIdentity;
  documents: ReadDocument[];
  /** Units without new documents, one entry per unit. */
  read: { file: string; format: string; unchanged: number; skipped: number }[];
  /** Publications that the store already holds with the same content. */
  unchanged: number;
  /** Publications left out on purpose, by reason: their number, and the place of the first. */
  skipped: Record<string, { count: number; first: SourcePlace }>;
  failed: Failure[];
  /** Drawings of all publications, changed or unchanged. */
  drawings: NamedDrawings[];
}

/** Results of the models for a document. */
export interface Derived {
  /** Passages × dimensions. */
  vectors: Float32Array;
  /** Tokens that the reranker stores for the texts, if any. */
  bags?: TokenBags | undefined;
}

export interface Embedded {
  model: ModelIdentity;
  documents: Derived[];
}

/** Prepares documents and images, in workers or on this thread. */
export interface Preparer {
  prepare(units: Unit[]): Promise<Prepared>;
  /** Embeds documents with the current model of the folder. */
  embed(documents: DocumentTexts[]): Promise<Embedded>;
  /** Converts and stores an image. */
  keepImage(bytes: Uint8Array): Promise<KeptImage>;
  /** Batches in progress at the same time. */
  readonly parallel: number;
}

/** The models that derive data from ingested documents. */
export interface DerivingModels {
  embedder: Embedder;
  reranker: Pick<Reranker, 'bags'>;
}

/** The texts of a document that the models receive: without characters that are not shown, like questions. */
export function textsOf({ patent, passages }: Pick<PreparedDocument, 'patent' | 'passages'>): DocumentTexts {
  return {
    title: withoutInvisible(titlesOf(patent)),
    passages: passages.map(({ text }) => withoutInvisible(text)),
    firstIsAbstract: passages[0]?.chunk_type === 'abstract',
  };
}

/** Embeds documents that are already divided into passages. Returns the data that segments store. */
export async function embedDocuments(
  models: DerivingModels,
  documents: readonly DocumentTexts[],
  signal?: AbortSignal,
): Promise<Embedded> {
  const own = joinedSignal(signal);
  try {
    const derived = documents.map((texts) => derive(models, texts, own.signal));
    return { model: identityOf(models), documents: await Promise.all(derived) };
  } catch (error) {
    // The caller waits for none of the other documents.
    own.abort(error);
    throw error;
  } finally {
    own.release();
  }
}

/**
 * Derives the stored data of one document. If embedder and reranker are one model, the texts are split into
 * tokens once.
 */
export async function derive(
  { embedder, reranker }: DerivingModels,
  texts: DocumentTexts,
  signal?: AbortSignal,
): Promise<Derived> {
  if (embedder.bags && embedder.bags.model === reranker.bags?.model) return embedder.bags.embed(texts);
  const vectors = await embedder.embed(texts.passages, 'passage', texts.title, signal);
  return { vectors, bags: reranker.bags?.of(texts) };
}

function identityOf({ embedder: { name, version, dimensions } }: DerivingModels): ModelIdentity {
  return { name, version, dimensions };
}

/** The data that a repair derives again with these models. */
export function derivationBy(models: DerivingModels): Derivation {
  return {
    model: identityOf(models),
    passagesOf,
    derive: (document) => derive(models, textsOf(document)),
    bagsModel: models.reranker.bags?.model,
  };
}

/** The content of a unit. Text above the memory limit of an ingest is a failure. */
function boundedUnit({ format, bytes }: Unit): ParsedUnit {
  const parsed = parseUnit(format, bytes);
  // A character takes at least one byte in every encoding.
  const characters = bytes.length > DOCUMENT_MAX_CHARS ? charactersIn(parsed.patents) : 0;
  if (characters <= DOCUMENT_MAX_CHARS) return parsed;
  const reason =
    `a document of ${millions(characters)} characters of text; at most ${millions(DOCUMENT_MAX_CHARS)} can be ` +
    'ingested. Remove parts that no search needs, such as printed sequence listings and data';
  return { patents: [], skipped: [], failed: { reason } };
}

function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (value === null || typeof value !== 'object') return 0;
  return Object.values(value).reduce((sum: number, part) => sum + charactersIn(part), 0);
}

const millions = (count: number): string => `${Math.round(count / 1e5) / 10} million`;

/** Prepares units in their order. Faults in a unit never make it throw. */
export async function prepareUnits(
  stored: StoredHeads,
  models: DerivingModels,
  units: readonly Unit[],
  signal?: AbortSignal,
): Promise<Prepared> {
  const read: Prepared['read'] = [];
  const prepared: Omit<Prepared, 'model' | 'read'> = {
    documents: [],
    unchanged: 0,
    skipped: {},
    failed: [],
    drawings: [],
  };
  const parsed = units.map(boundedUnit);
  const headOf = await stored(parsed.flatMap(({ patents }) => patents.map(({ patent_id: id }) => id)));
  for (const [n, unit] of units.entries()) {
    const { patents, skipped, failed } = parsed[n]!;
    const outcome = { file: unit.file, format: unit.format, unchanged: 0, skipped: skipped.length };
    read.push(outcome);
    for (const { reason } of skipped) {
      prepared.skipped[reason] ??= { count: 0, first: { file: unit.file, position: unit.position } };
      prepared.skipped[reason].count += 1;
    }
    if (failed) prepared.failed.push({ file: unit.file, position: unit.position, ...failed });
    for (const patent of patents.map(storable)) {
      const tooLong = tooLongKey(patent);
      if (tooLong !== undefined) {
        prepared.failed.push({ file: unit.file, position: unit.position, reason: tooLong });
        continue;
      }
      if (patent.drawings?.length) {
        const files = patent.drawings.map(({ file }) => file);
        prepared.drawings.push({ patentId: patent.patent_id, folder: unit.folder, files });
      }
      const hash = contentHash(patent);
      const head = headOf(patent.patent_id);
      const { replaces = false, isRepeated = false } = unit;
      if (head && !isRepeated && changesNothing({ hash, replaces }, head)) {
        prepared.unchanged += 1;
        outcome.unchanged += 1;
        continue;
      }
      const passages = passagesOf(patent);
      if (passages.length === 0) {
        const reason = `${patent.patent_id} has no title, abstract, claim or description to search in`;
        prepared.failed.push({ file: unit.file, position: unit.position, reason });
        continue;
      }
      const document = { patent, hash, passages, vectors: NO_VECTORS, file: unit.file };
      prepared.documents.push(replaces ? { ...document, replaces } : document);
    }
  }
  // All documents are embedded in one call: a model that computes batches, or a remote model, then gets many
  // texts together.
  const { model, documents } = await embedDocuments(models, prepared.documents.map(textsOf), signal);
  for (const [n, document] of prepared.documents.entries()) Object.assign(document, documents[n]);
  return { model, read, ...prepared };
}
