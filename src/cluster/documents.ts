/** Publications as documents of an index, and back. */
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { PriorartError } from '../errors.js';
import { applicationLink, COLUMNS, columnValues } from '../index/columns.js';
import { lexicalTexts } from '../index/lexical-texts.js';
import { calling, native } from '../index/native.js';
import type { Passage } from '../patent/passage.js';
import type { Patent } from '../patent/record.js';
import {
  applicationKeys,
  type DocumentBody,
  type DocumentHead,
  halves,
  type PreparedDocument,
} from '../store/document.js';
import type { Hit, Json } from './client.js';
import type { Part } from './mapping.js';
import { PRODUCTS } from './products.js';

/** What is stored of a document and not searched. A request names what it needs. */
export interface Stored {
  head: DocumentHead;
  body?: DocumentBody;
  texts?: { passages: Passage[] };
  /** Half-precision numbers, in base64. */
  vectors?: string;
  /** As `packedBags` makes them, in base64. */
  bags?: string;
  /** What `askingProducts` asked for. */
  products?: number[];
}

export type Field = Exclude<keyof Stored, 'products'>;

/** Bytes of the texts of a document at most, as JSON. */
const TEXTS_MOST = 1 << 29;

/** Day of a missing date in a column. */
const NO_DAY = -0x8000_0000;

/** The key that the publications of an application share. A publication without one is alone. */
export function applicationGroup(
  patent: Pick<Patent, 'country' | 'application_number' | 'patent_id'>,
): string {
  return applicationLink(patent) || patent.patent_id;
}

/** The key that the publications of a family share. */
export function familyGroup(
  patent: Pick<Patent, 'country' | 'application_number' | 'patent_id' | 'family_id'>,
): string {
  return patent.family_id ? `family ${patent.family_id}` : applicationGroup(patent);
}

/**
 * A document of the index as JSON.
 * @param replaced hashes of the versions that it takes the place of
 * @param dimensions of its vectors
 */
export function documentOf(document: PreparedDocument, replaced: string[], dimensions: number): string {
  const { patent, passages, bags, hash } = document;
  const [head, body] = halves(document, replaced);
  const bytes = calling(() => native.toHalves(document.vectors));
  const parts = calling(() => native.termsOfTexts(lexicalTexts(patent)));
  const byPart = <T>(of: (part: (typeof parts)[number]) => T) =>
    Object.fromEntries(parts.map((part) => [part.part, of(part)])) as Record<Part, T>;
  const rest = JSON.stringify({
    ids: [patent.patent_id, ...(patent.corrects ?? [])],
    number: patent.number,
    application_key: applicationKeys(head),
    application_group: applicationGroup(patent),
    family_group: familyGroup(patent),
    columns: columnsOf(patent),
    terms: byPart(({ terms }) => terms),
    lengths: byPart(({ length }) => length),
    passage_count: passages.length,
    hash,
    head: Buffer.from(JSON.stringify(head)).toString('base64'),
    body,
    texts: packedTexts(passages).toString('base64'),
    vectors: Buffer.from(bytes).toString('base64'),
    ...(bags ? { bags: packedBags(bags).toString('base64') } : {}),
  });
  const halfs = new Uint16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  const rows = passages.map((_, n) => rowText(halfs.subarray(n * dimensions, (n + 1) * dimensions)));
  return `${rest.slice(0, -1)},"passages":[${rows.join(',')}]}`;
}

/** A passage as JSON. The index and the stored vectors hold the same numbers. */
function rowText(halfs: Uint16Array): string {
  const texts: string[] = [];
  for (const half of halfs) {
    numberTexts[half] ??= numberText(half);
    texts.push(numberTexts[half]);
  }
  return `{"vector":[${texts.join(',')}]}`;
}

/** The text of each half-precision number that was written, by its bits. */
const numberTexts: (string | undefined)[] = Array(1 << 16).fill(undefined);

/** The shortest text that the cluster reads as the same number of 32 bits. All digits would be twice as long. */
function numberText(half: number): string {
  const number = native.fromHalves(new Uint8Array(Uint16Array.of(half).buffer))[0]!;
  for (let digits = 1; ; digits++) {
    const short = Number(number.toPrecision(digits));
    if (Math.fround(short) === number || digits === 9) return String(short);
  }
}

function columnsOf(patent: Patent): Record<string, string[] | number> {
  const { terms, days } = columnValues(patent);
  const keywords = COLUMNS.filter(({ kind }) => kind === 'keyword');
  const dates = COLUMNS.filter(({ kind }) => kind === 'date');
  const columns: Record<string, string[] | number> = {};
  for (const [n, { name }] of keywords.entries()) {
    if (name !== 'applicant' && terms[n]!.length > 0) columns[name] = terms[n]!;
  }
  for (const [n, { name }] of dates.entries()) if (days[n] !== NO_DAY) columns[name] = days[n]!;
  return columns;
}

/**
 * The part of a request that makes its hits have some fields. Without the body, no stored field is read, not even the id of
 * the document: the cluster would decompress the texts of every hit for it.
 */
export function asking(fields: readonly Field[], others: readonly string[] = []): Json {
  const columns = [...fields.filter((field) => field !== 'body'), ...others];
  if (fields.includes('body')) return { docvalue_fields: columns, _source: ['body'] };
  return { docvalue_fields: columns, _source: false, stored_fields: '_none_' };
}

/** The fields of a hit. `head` was asked for. */
export function storedOf({ _source, fields }: Hit<{ body?: DocumentBody }>): Stored {
  const [head, texts, vectors, bags] = ['head', 'texts', 'vectors', 'bags'].map(
    (name) => fields?.[name]?.[0] as string | undefined,
  );
  if (head === undefined) throw new PriorartError('data_corrupt', 'a document of the index has no head');
  return {
    head: JSON.parse(Buffer.from(head, 'base64').toString()),
    ...(_source?.body === undefined ? {} : { body: _source.body }),
    ...(texts === undefined ? {} : { texts: { passages: passagesOf(texts) } }),
    ...(vectors === undefined ? {} : { vectors }),
    ...(bags === undefined ? {} : { bags }),
    ...(fields?.[PRODUCTS] === undefined ? {} : { products: fields[PRODUCTS] as number[] }),
  };
}

/** Columns are stored uncompressed. */
function packedTexts(passages: readonly Passage[]): Buffer {
  return deflateRawSync(JSON.stringify(passages), { level: constants.Z_BEST_SPEED });
}

function passagesOf(packed: string): Passage[] {
  const text = inflateRawSync(Buffer.from(packed, 'base64'), { maxOutputLength: TEXTS_MOST });
  return JSON.parse(text.toString());
}

/** The vectors of a document, passages × dimensions. */
export function vectorsOf({ vectors = '' }: Pick<Stored, 'vectors'>): Float32Array {
  return native.fromHalves(Buffer.from(vectors, 'base64'));
}

type Bags = NonNullable<PreparedDocument['bags']>;

/** A line of JSON with the model and the number of lengths; the lengths, two bytes each; the bytes. */
function packedBags({ model, bytes, lengths }: Bags): Buffer {
  const line = `${JSON.stringify({ model, count: lengths.length })}\n`;
  const numbers = Buffer.alloc(2 * lengths.length);
  for (const [n, length] of lengths.entries()) numbers.writeUInt16LE(length, 2 * n);
  return Buffer.concat([Buffer.from(line), numbers, bytes]);
}

/** The token bags of a document; undefined if it has none. */
export function bagsOf({ bags }: Pick<Stored, 'bags'>): PreparedDocument['bags'] {
  if (bags === undefined) return undefined;
  const packed = Buffer.from(bags, 'base64');
  const end = packed.indexOf('\n') + 1;
  const { model, count } = JSON.parse(packed.toString('utf8', 0, end)) as { model: string; count: number };
  const lengths = Uint16Array.from({ length: count }, (_, n) => packed.readUInt16LE(end + 2 * n));
  return { model, lengths, bytes: new Uint8Array(packed.subarray(end + 2 * count)) };
}
