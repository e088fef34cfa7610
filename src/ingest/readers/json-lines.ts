/** The project's own JSON Lines (`patent-schema.ts`), the format for sources without a reader. */
import { normaliseApplicationNumber } from '../../patent/application-number.js';
import { normaliseClassification } from '../../patent/classification.js';
import { type Country, isCountry } from '../../patent/country.js';
import { japaneseKind } from '../../patent/japanese-number.js';
import { sameKind } from '../../patent/kind.js';
import { parsePatentNumber, patentId, publicationNumber } from '../../patent/number.js';
import { claimedPriority } from '../../patent/priority.js';
import type { Claim, Name, Patent, Section } from '../../patent/record.js';
import { checkPatent, type PatentLine, patentSchema } from '../patent-schema.js';
import { splitLines } from '../split.js';
import { decodeText } from './decode.js';
import { withOwnRight } from './finish.js';
import { memberNames } from './json-members.js';
import { foreignReason, impliedKind } from './publication.js';
import { DamagedDocument, type ParsedUnit, type Reader } from './reader.js';

const NUMBER_FIELDS = ['patent_id', 'publication_number', 'number'] as const;

const NO_TEXT = 'no text: expected at least one of title, abstract, claims, description';
const NO_NUMBER = 'no number: expected patent_id, publication_number or number';
/** A number that no office has given, for messages. */
const EXAMPLE = 'US20990000001A1';
/** Characters of a stated number in a message. */
const NUMBER_CHARS_SHOWN = 60;
/** Names of a JSON object in a message. */
const NAMES_SHOWN = 8;

/** Larger than the depth of every field of a record. */
const DEPTH_MAX = 8;

function parse(bytes: Uint8Array): ParsedUnit {
  const record = givenFields(readLine(decodeText(bytes)));
  try {
    return parseRecord(record);
  } catch (error) {
    if (!(error instanceof DamagedDocument)) throw error;
    const stated = statedNumber(record);
    const reason = error.message;
    return {
      patents: [],
      skipped: [],
      failed: stated === undefined ? { reason } : { reason, patent_id: stated },
    };
  }
}

/** The number that a record states, cut for messages. */
function statedNumber(record: unknown): string | undefined {
  if (record === null || typeof record !== 'object') return undefined;
  const fields = record as Record<string, unknown>;
  const number = NUMBER_FIELDS.map((name) => fields[name]).find((value) => typeof value === 'string');
  return typeof number === 'string' ? number.slice(0, NUMBER_CHARS_SHOWN) : undefined;
}

function parseRecord(record: unknown): ParsedUnit {
  const checked = checkPatent(record);
  if ('wrong' in checked) throw new DamagedDocument(checked.wrong);
  const { line } = checked;
  const foreign = foreignCountry(line);
  if (foreign) return { patents: [], skipped: [{ reason: foreignReason(foreign) }] };
  const named = identity(line);
  const read: Patent = { ...named, ...textFields(line), ...rightFields(line, named.country) };
  const patent = { ...read, ...withOwnRight(read) };
  const hasText = patent.title || patent.abstract || patent.claims || patent.description;
  if (!hasText) throw new DamagedDocument(NO_TEXT);
  return { patents: [patent], skipped: [] };
}

function readLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DamagedDocument(`not a JSON object: ${(error as Error).message}`);
  }
}

/** The record without null fields and without names that begin with an underscore. */
function givenFields(record: unknown): unknown {
  if (record === null || typeof record !== 'object' || Array.isArray(record)) return record;
  return withoutNulls(Object.fromEntries(Object.entries(record).filter(([name]) => !name.startsWith('_'))));
}

/** null means absent at every depth, as in requests. A null in a list stays and is refused. */
function withoutNulls(value: unknown, depth = 0): unknown {
  if (depth > DEPTH_MAX || value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, depth + 1));
  const entries = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutNulls(inner, depth + 1)]));
}

/** A two-letter country outside the five offices, stated or at the beginning of the number. */
function foreignCountry(fields: PatentLine): string | undefined {
  const stated = fields.country;
  if (stated !== undefined) return isCountry(stated) ? undefined : stated;
  for (const field of NUMBER_FIELDS) {
    const prefix = /^([A-Z]{2})\s?\d/.exec(String(fields[field] ?? ''))?.[1];
    if (prefix && !isCountry(prefix) && !/^(?:PP|RE|RX|AI)$/.test(prefix)) return prefix;
  }
  return undefined;
}

type NumberFields = Pick<
  PatentLine,
  (typeof NUMBER_FIELDS)[number] | 'country' | 'kind_code' | 'publication_date'
>;

/** Beginnings of numbers that are Japanese only behind `JP`: `WO2018/062001`, `H0578571`, `5-12345`, `10/123456`. */
const JAPANESE = /^\s{0,9}(?:WO|[MTSHR]\d|\d{1,2}[-/])/i;

function identity(fields: NumberFields): Patent {
  const field = NUMBER_FIELDS.find((name) => fields[name] !== undefined);
  if (!field) throw new DamagedDocument(NO_NUMBER);
  const written = fields[field]!;
  // A re-publication has the number of the international publication; others may count an era.
  const isJapanese = fields.country === 'JP' && JAPANESE.test(written);
  const readings = parsePatentNumber(isJapanese ? `JP${written.trim()}` : written).filter(
    (reading) => !reading.application,
  );
  const country = (fields.country ?? readings.find((reading) => reading.country)?.country) as
    | Country
    | undefined;
  const named = readings.length > 0 && readings.every((reading) => reading.country === readings[0]?.country);
  if (!country || (fields.country === undefined && !named)) {
    throw new DamagedDocument(
      `country: missing, and ${field} ${JSON.stringify(written)} does not name it; expected a number such as ${EXAMPLE}`,
    );
  }
  const reading = readings.find((candidate) => (candidate.country ?? country) === country);
  const kindRead = reading?.kind;
  const kindGiven = fields.kind_code;
  if (kindRead && kindGiven && states(written, kindRead) && !sameKind(country, kindRead, kindGiven)) {
    throw new DamagedDocument(
      `kind_code: ${JSON.stringify(kindGiven)}; expected ${kindRead}, the kind of ${field} ${JSON.stringify(written)}`,
    );
  }
  const kindWritten = kindGiven ?? kindRead;
  const number = reading && publicationNumber(country, reading.number, kindWritten);
  if (!number) {
    throw new DamagedDocument(
      `${field}: ${JSON.stringify(written)}; expected a publication number of ${country}${country === 'US' ? `, such as ${EXAMPLE}` : ''}`,
    );
  }
  const stated = kindWritten ?? impliedKind(country, number);
  if (!stated)
    throw new DamagedDocument(`kind_code: missing, and ${field} ${JSON.stringify(written)} does not tell it`);
  const { isEra = false } = reading;
  const published = fields.publication_date ?? undefined;
  const kind = country === 'JP' ? japaneseKind(stated, { number, isEra, published }) : stated;
  const patent_id = patentId(country, number, kind);
  return { patent_id, country, number, kind_code: kind };
}

/** Whether a number states its kind. The name of a gazette only suggests it: 実用新案登録 was Y2 before it was U. */
function states(number: string, kind: string): boolean {
  return number.normalize('NFKC').toUpperCase().includes(kind);
}

/** The patent_id of a record; undefined if the record names no publication. */
export function recordId(record: unknown): string | undefined {
  if (record === null || typeof record !== 'object') return undefined;
  try {
    return identity(withoutNulls(record) as NumberFields).patent_id;
  } catch {
    return undefined;
  }
}

function nameList(names: PatentLine['applicants']): Name[] | undefined {
  const list = typeof names === 'string' ? [names] : names;
  return list?.map((name) => (typeof name === 'string' ? { name: name.trim() } : name));
}

function sections(description: PatentLine['description'] = []): Section[] {
  if (typeof description === 'string') {
    const paragraphs = description.split(/\n+/).filter((text) => text.trim() !== '');
    return [{ section: 'Description', paragraphs: paragraphs.map((text) => ({ text })) }];
  }
  return description
    .map((given) => ({
      section: given.section ?? 'Description',
      paragraphs: given.paragraphs.map((paragraph) =>
        typeof paragraph === 'string' ? { text: paragraph } : paragraph,
      ),
    }))
    .filter(({ paragraphs }) => paragraphs.length > 0);
}

function claimList(claims: PatentLine['claims'] = []): Claim[] {
  return claims.map((claim, at) =>
    typeof claim === 'string' ? withoutOwnNumber({ number: at + 1, text: claim }) : claim,
  );
}

/**
 * The claim without its own number at the beginning of the text: `1. A hinge` of claim 1 is `A hinge`. A claim that states its
 * number apart from its text is kept as it is: `1) a chelating agent; 2) a base` may be a list within claim 1.
 */
function withoutOwnNumber(claim: Claim): Claim {
  const [lead, number] = /^\s{0,9}(\d{1,6})\s?[.)．]\s{1,9}(?=\S)/.exec(claim.text) ?? [];
  if (lead === undefined || Number(number) !== claim.number) return claim;
  return { ...claim, text: claim.text.slice(lead.length) };
}

/** One value per language, without empty values. */
function inLanguages<G, T>(given: Record<string, G> | undefined, read: (value: G) => T[]) {
  if (given === undefined) return undefined;
  const found = Object.entries(given).map(([language, value]): [string, T[]] => [language, read(value)]);
  const filled = found.filter(([, list]) => list.length > 0);
  return filled.length > 0 ? Object.fromEntries(filled) : undefined;
}

function orAbsent<T>(list: T[] | undefined): T[] | undefined {
  return list && list.length > 0 ? list : undefined;
}

/** A patent in construction. `put` skips absent values. */
type Found = { -readonly [name in keyof Patent]?: Patent[name] | undefined };

function put<N extends keyof Patent>(found: Found, name: N, value: Patent[N] | undefined): void {
  if (value !== undefined) found[name] = value;
}

function textFields(fields: PatentLine): Partial<Patent> {
  const found: Found = {};
  for (const name of ['language', 'title', 'titles', 'abstract', 'abstracts'] as const)
    put(found, name, fields[name]);
  put(found, 'claims', orAbsent(claimList(fields.claims)));
  put(found, 'description', orAbsent(sections(fields.description)));
  put(found, 'translated_claims', inLanguages(fields.translated_claims, claimList));
  put(found, 'descriptions', inLanguages(fields.descriptions, sections));
  return found as Partial<Patent>;
}

function classifications(name: 'ipc_codes' | 'cpc_codes', codes: string[] = []): string[] | undefined {
  const normal = codes.map((code) => {
    const read = normaliseClassification(code);
    if (read) return read;
    throw new DamagedDocument(`${name}: ${JSON.stringify(code)}; expected a code such as H01M 10/0525`);
  });
  return orAbsent([...new Set(normal)]);
}

function rightFields(fields: PatentLine, country: Country): Partial<Patent> {
  const found: Found = {};
  for (const name of ['filing_date', 'publication_date', 'grant_date'] as const)
    put(found, name, fields[name]);
  put(found, 'priority_date', claimedPriority(fields));
  for (const name of ['ipc_codes', 'cpc_codes'] as const)
    put(found, name, classifications(name, fields[name]));
  for (const name of ['applicants', 'inventors', 'agents', 'examiners'] as const)
    put(found, name, nameList(fields[name]));
  const application = normaliseApplicationNumber(country, fields.application_number ?? '');
  put(found, 'application_number', application);
  for (const name of [
    'locarno_codes',
    'family_id',
    'family_derived',
    'partial',
    'corrects',
    'filled',
  ] as const)
    put(found, name, fields[name]);
  for (const name of ['pct_application', 'pct_publication', 'legal_status'] as const)
    put(found, name, fields[name]);
  for (const name of ['fi_codes', 'f_terms', 'uspc_codes'] as const) put(found, name, orAbsent(fields[name]));
  put(found, 'drawings', orAbsent(fields.drawings));
  put(found, 'citations', orAbsent(fields.citations));
  put(found, 'priorities', orAbsent(fields.priorities));
  return found as Partial<Patent>;
}

const TEXT_FIELDS = ['title', 'abstract', 'claims', 'description'];
const KNOWN = new Set(Object.keys(patentSchema.shape));

/** Whether an object is a line of this format. Exports of other services share some of its names. */
function isOurs(names: readonly string[]): boolean {
  const known = names.filter((name) => KNOWN.has(name) || name.startsWith('_')).length;
  const hasOneOf = (wanted: readonly string[]): boolean => wanted.some((name) => names.includes(name));
  return hasOneOf(NUMBER_FIELDS) && hasOneOf(TEXT_FIELDS) && known * 2 > names.length;
}

/** Whether one of a JSON object's names is a field of a record. */
export function hasField(names: readonly string[]): boolean {
  return names.some((name) => KNOWN.has(name));
}

/**
 * What a JSON object lacks to be a record of this format; undefined if no name of it is a field of a record. For the message
 * about an object that no reader recognises.
 */
export function missingIn(names: readonly string[]): string | undefined {
  if (!hasField(names)) return undefined;
  if (!NUMBER_FIELDS.some((name) => names.includes(name)))
    return `${NO_NUMBER}; found ${names.slice(0, NAMES_SHOWN).join(', ')}`;
  return TEXT_FIELDS.some((name) => names.includes(name)) ? undefined : NO_TEXT;
}

export const jsonLines: Reader = {
  format: 'jsonl',
  title: 'JSON Lines of priorart',
  version: 7,
  detect: (head) => isOurs(memberNames(head) ?? []),
  split: splitLines,
  parse,
};
