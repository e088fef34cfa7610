/** The two halves of a stored publication, and the hash that identifies its content. */
import { createHash } from 'node:crypto';
import { internationalKeys } from '../patent/international-number.js';
import type { Passage } from '../patent/passage.js';
import type { Patent } from '../patent/record.js';
import type { Basis } from './basis.js';

/** Fields that are shown only in the details of a publication. */
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
  /** Hash of the complete record as it was read. */
  hash: string;
  /** Hash of its passages, which detects damage to their texts. */
  passagesHash: string;
  /** Hashes of the versions that this one replaced. Reading one of those again changes nothing. */
  replaced?: string[];
  /** Keys of the international application that it rests on and of its publication: `PCTKR2018016728`, `WO2019135546`. */
  international?: string[];
}

/** A publication ready to be stored: read, cut into passages, embedded. */
export interface PreparedDocument {
  patent: Patent;
  hash: string;
  passages: Passage[];
  /** passages × dimensions */
  vectors: Float32Array;
  /** Hashes of the records that this one was joined from. Reading one of those again changes nothing. */
  sources?: string[];
  /** It replaces the stored record, even if that has replaced the same content before. */
  replaces?: boolean;
  /** A commit writes the document only if its publication is stored as this says; absent: in any case. */
  basis?: Basis;
  /** Token bags of the reranker; absent if it stores none. */
  bags?: TokenBags | undefined;
}

/** The pieces of a model in a document's titles and passages. native/core/src/late/bag.rs defines the bytes. */
export interface TokenBags {
  /** Name of the model. Bags of another model are not used. */
  model: string;
  bytes: Uint8Array;
  /** Lengths of the titles' bag and of each passage's bag, bytes. */
  lengths: Uint16Array;
}

/**
 * Makes a record storable: replaces lone surrogates, which JSON can contain but UTF-8 cannot encode, with U+FFFD, so that
 * the stored record has the hash of the original.
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

/** Splits a record into the head, which a result shows, and the body, which only its details show. */
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
  const international = internationalKeys(body);
  return [
    {
      ...head,
      passages: document.passages.length,
      hash: document.hash,
      passagesHash: passagesHash(document.passages),
      ...(replaced.length > 0 ? { replaced } : {}),
      ...(international.length > 0 ? { international } : {}),
    },
    body,
  ];
}

/** Joins the two halves of a record. */
export function patentOf(head: DocumentHead, body: DocumentBody): Patent {
  const {
    passages: _passages,
    hash: _hash,
    passagesHash: _passagesHash,
    replaced: _replaced,
    international: _international,
    ...rest
  } = head;
  return { ...rest, ...body };
}

/** Keys under which the lookup by application finds a publication: its own application, and what `international` lists. */
export function applicationKeys({
  country,
  application_number: number,
  international = [],
}: Pick<DocumentHead, 'country' | 'application_number' | 'international'>): string[] {
  return [...(number ? [country + number] : []), ...international];
}
