/** The two halves of a stored publication, and the hash by which a repeated one is recognised. */
import { createHash } from 'node:crypto';
import type { Passage } from '../patent/passage.js';
import type { Patent } from '../patent/record.js';

/** Fields that only the details of a publication show. */
const BODY_FIELDS = [
  ...(['abstract', 'abstracts', 'claims', 'translated_claims'] as const),
  ...(['description', 'descriptions', 'citations'] as const),
  ...(['fi_codes', 'f_terms', 'uspc_codes', 'agents', 'examiners'] as const),
  ...(['pct_application', 'pct_publication', 'legal_status'] as const),
];

export type DocumentBody = Pick<Patent, (typeof BODY_FIELDS)[number]>;

/** A publication without its long texts and lists. */
export interface DocumentHead extends Omit<Patent, keyof DocumentBody> {
  passages: number;
  /** Hash of the whole record as it was read. */
  hash: string;
  /** Hash of its passages, by which damage of their texts is noticed. */
  passagesHash: string;
  /** Hashes of earlier versions that this one replaced; reading one of those again changes nothing. */
  replaced?: string[];
}

/** A publication ready to be stored: read, cut into passages, embedded. */
export interface PreparedDocument {
  patent: Patent;
  hash: string;
  passages: Passage[];
  /** passages × dimensions */
  vectors: Float32Array;
  /** Hashes of the records that this one was put together from; reading one of them again changes nothing. */
  sources?: string[];
  /** It replaces the stored record, even if that has replaced the same content before. */
  replaces?: boolean;
  /** What the reranker keeps of the texts, if it keeps anything. */
  bags?: TokenBags | undefined;
}

/** Which pieces of a model a document's titles and passages hold; native/core/src/late/bag.rs states the bytes. */
export interface TokenBags {
  /** Whose pieces: bags of another model are as good as none. */
  model: string;
  bytes: Uint8Array;
  /** Bytes of the titles' bag and of each passage's. */
  lengths: Uint16Array;
}

/**
 * A record as it can be stored: half of a surrogate pair, which a JSON file may spell, has no UTF-8 and
 * becomes U+FFFD, so that what is read back is what was hashed.
 */
export function storable<T>(value: T): T {
  if (typeof value === 'string') return value.replace(/\p{Surrogate}/gu, '\ufffd') as T;
  if (Array.isArray(value)) return value.map(storable) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, storable(part)])) as T;
}

/** Hash of a record's content, independent of the order of its fields. */
export function contentHash(patent: Patent): string {
  return hashOf(patent);
}

/** Hash of a document's passages. */
export function passagesHash(passages: readonly Passage[]): string {
  return hashOf(passages);
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('base64url').slice(0, 27);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (part === null || typeof part !== 'object' || Array.isArray(part)) return part;
    const entries = Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries);
  });
}

/** Splits a record into what a result shows and what only its details show. */
export function halves(document: PreparedDocument, replaced: string[]): [DocumentHead, DocumentBody] {
  const isBody = new Set<string>(BODY_FIELDS);
  const part = (wanted: boolean): object =>
    Object.fromEntries(
      Object.entries(document.patent).filter(
        ([name, value]) => isBody.has(name) === wanted && value !== undefined,
      ),
    );
  const head = part(false) as Omit<Patent, keyof DocumentBody>;
  const body: DocumentBody = part(true);
  return [
    {
      ...head,
      passages: document.passages.length,
      hash: document.hash,
      passagesHash: passagesHash(document.passages),
      ...(replaced.length > 0 ? { replaced } : {}),
    },
    body,
  ];
}

/** The record that the two halves were made of. */
export function patentOf(head: DocumentHead, body: DocumentBody): Patent {
  const {
    passages: _passages,
    hash: _hash,
    passagesHash: _passagesHash,
    replaced: _replaced,
    ...rest
  } = head;
  return { ...rest, ...body };
}
