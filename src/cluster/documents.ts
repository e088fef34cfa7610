/** Publications as documents of an index, and back. */
import { applicationLink, COLUMNS, columnValues } from '../index/columns.js';
import { lexicalTexts } from '../index/lexical-texts.js';
import { calling, native } from '../index/native.js';
import type { Passage } from '../patent/passage.js';
import type { Patent } from '../patent/record.js';
import { type DocumentBody, type DocumentHead, halves, type PreparedDocument } from '../store/document.js';
import type { Part } from './mapping.js';

/** A document's fields that are stored. A request names those that it needs. */
export interface Stored {
  head: DocumentHead;
  body?: DocumentBody;
  texts?: { passages: Passage[] };
  /** Base64 of half-precision numbers. */
  vectors?: string;
  bags?: { model: string; bytes: string; lengths: number[] };
}

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
  const { patent, passages, bags } = document;
  const [head, body] = halves(document, replaced);
  const bytes = calling(() => native.toHalves(document.vectors));
  const parts = calling(() => native.termsOfTexts(lexicalTexts(patent)));
  const byPart = <T>(of: (part: (typeof parts)[number]) => T) =>
    Object.fromEntries(parts.map((part) => [part.part, of(part)])) as Record<Part, T>;
  const rest = JSON.stringify({
    ids: [patent.patent_id, ...(patent.corrects ?? [])],
    number: patent.number,
    ...(patent.application_number ? { application_key: patent.country + patent.application_number } : {}),
    application_group: applicationGroup(patent),
    family_group: familyGroup(patent),
    columns: columnsOf(patent),
    terms: byPart(({ terms }) => terms),
    lengths: byPart(({ length }) => length),
    passage_count: passages.length,
    head,
    body,
    texts: { passages },
    vectors: Buffer.from(bytes).toString('base64'),
    ...(bags
      ? {
          bags: {
            model: bags.model,
            bytes: Buffer.from(bags.bytes).toString('base64'),
            lengths: Array.from(bags.lengths),
          },
        }
      : {}),
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

/** The vectors of a document, passages × dimensions. */
export function vectorsOf({ vectors = '' }: Stored): Float32Array {
  return native.fromHalves(Buffer.from(vectors, 'base64'));
}

/** The token bags of a document; undefined if it has none. */
export function bagsOf({ bags }: Stored): PreparedDocument['bags'] {
  if (bags === undefined) return undefined;
  return {
    model: bags.model,
    bytes: new Uint8Array(Buffer.from(bags.bytes, 'base64')),
    lengths: Uint16Array.from(bags.lengths),
  };
}
