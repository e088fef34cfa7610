/** The project's own JSON Lines (see `patent-schema.ts`): the way in for everything without a reader. */
import { normaliseApplicationNumber } from '../../patent/application-number.js';
import { normaliseClassification } from '../../patent/classification.js';
import { type Country, isCountry } from '../../patent/country.js';
import { parseDate } from '../../patent/date.js';
import { parsePatentNumber, patentId, publicationNumber } from '../../patent/number.js';
import type { Citation, Claim, Name, Patent, Priority, Section } from '../../patent/record.js';
import { PATENT_SCHEMA } from '../patent-schema.js';
import { splitLines } from '../split.js';
import { violation } from '../validate.js';
import { decodeText } from './decode.js';
import { memberNames } from './json-members.js';
import { foreignReason } from './publication.js';
import { DamagedDocument, type ParsedUnit, type Reader } from './reader.js';

type Fields = Record<string, unknown>;

const NUMBER_FIELDS = ['patent_id', 'publication_number', 'number'] as const;

/** Deeper than any field of a record. */
const DEPTH_MAX = 8;

function parse(bytes: Uint8Array): ParsedUnit {
  const fields = withoutNulls(readLine(decodeText(bytes))) as Fields;
  const wrong = violation(PATENT_SCHEMA, fields);
  if (wrong) throw new DamagedDocument(wrong);
  const foreign = foreignCountry(fields);
  if (foreign) return { patents: [], skipped: [{ reason: foreignReason(foreign) }] };
  const patent: Patent = { ...identity(fields), ...textFields(fields), ...rightFields(fields) };
  const hasText = patent.title || patent.abstract || patent.claims || patent.description;
  if (!hasText)
    throw new DamagedDocument('no text: expected at least one of title, abstract, claims, description');
  return { patents: [patent], skipped: [] };
}

function readLine(text: string): Fields {
  try {
    return JSON.parse(text) as Fields;
  } catch (error) {
    throw new DamagedDocument(`not a JSON object: ${(error as Error).message}`);
  }
}

/** null means absent, as in requests, however deep; in a list it stays, and is refused. */
function withoutNulls(value: unknown, depth = 0): unknown {
  if (depth > DEPTH_MAX || value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, depth + 1));
  const entries = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutNulls(inner, depth + 1)]));
}

/** A two-letter country outside the five, stated or opening the number. */
function foreignCountry(fields: Fields): string | undefined {
  const stated = fields['country'] as string | undefined;
  if (stated !== undefined) return isCountry(stated) ? undefined : stated;
  for (const field of NUMBER_FIELDS) {
    const prefix = /^([A-Z]{2})\s?\d/.exec(String(fields[field] ?? ''))?.[1];
    if (prefix && !isCountry(prefix) && !/^(?:PP|RE|RX|AI)$/.test(prefix)) return prefix;
  }
  return undefined;
}

/** The kind where a number's form leaves no choice: KR by its form, US applications and designs. */
function impliedKind(country: Country, number: string): string | undefined {
  if (country === 'KR') {
    const registered = /^[12]0\d{7}0000$/.test(number) && !/^[12]0(?:19|20)\d{2}/.test(number);
    const kinds = number.startsWith('20') ? ['U', 'Y1'] : number.startsWith('10') ? ['A', 'B1'] : ['S', 'S'];
    return kinds[registered ? 1 : 0];
  }
  if (country === 'US') return /^\d{11}$/.test(number) ? 'A1' : number.startsWith('D') ? 'S1' : undefined;
  return undefined;
}

function identity(fields: Fields): Patent {
  const field = NUMBER_FIELDS.find((name) => fields[name] !== undefined);
  if (!field) throw new DamagedDocument('no number: expected patent_id, publication_number or number');
  const written = fields[field] as string;
  // A Japanese re-publication bears the number of the international one.
  const isRepublication = fields['country'] === 'JP' && /^\s*WO/i.test(written);
  const readings = parsePatentNumber(isRepublication ? `JP${written.trim()}` : written).filter(
    (reading) => !reading.application,
  );
  const country = (fields['country'] ?? readings.find((reading) => reading.country)?.country) as
    | Country
    | undefined;
  const named = readings.length > 0 && readings.every((reading) => reading.country === readings[0]?.country);
  if (!country || (fields['country'] === undefined && !named)) {
    throw new DamagedDocument(`country: missing, and ${field} ${JSON.stringify(written)} does not name it`);
  }
  const reading = readings.find((candidate) => (candidate.country ?? country) === country);
  const kindWritten = (fields['kind_code'] as string | undefined) ?? reading?.kind;
  const number = reading && publicationNumber(country, reading.number, kindWritten);
  if (!number) {
    throw new DamagedDocument(
      `${field}: ${JSON.stringify(written)}; expected a publication number of ${country}`,
    );
  }
  const kind = kindWritten ?? impliedKind(country, number);
  if (!kind)
    throw new DamagedDocument(`kind_code: missing, and ${field} ${JSON.stringify(written)} does not tell it`);
  const patent_id = patentId(country, number, kind);
  return { patent_id, country, number, kind_code: kind };
}

/** The patent_id that a record will have; undefined if it names no publication. */
export function recordId(record: unknown): string | undefined {
  if (record === null || typeof record !== 'object') return undefined;
  try {
    return identity(withoutNulls(record) as Fields).patent_id;
  } catch {
    return undefined;
  }
}

type Listed<T> = (string | T)[];

function nameList(value: unknown): Name[] {
  const list = typeof value === 'string' ? [value] : (value as Listed<Name>);
  return list.map((name) => (typeof name === 'string' ? { name: name.trim() } : name));
}

function sections(value: unknown): Section[] {
  if (typeof value === 'string') {
    const paragraphs = value.split(/\n+/).filter((text) => text.trim() !== '');
    return [{ section: 'Description', paragraphs: paragraphs.map((text) => ({ text })) }];
  }
  return (value as { section?: string; paragraphs: Listed<{ number?: number; text: string }> }[])
    .map((given) => ({
      section: given.section ?? 'Description',
      paragraphs: given.paragraphs.map((paragraph) =>
        typeof paragraph === 'string' ? { text: paragraph } : paragraph,
      ),
    }))
    .filter(({ paragraphs }) => paragraphs.length > 0);
}

function claimList(value: unknown): Claim[] {
  return ((value ?? []) as Listed<Claim>).map((claim, at) =>
    typeof claim === 'string' ? { number: at + 1, text: claim } : claim,
  );
}

/** A field that holds a text for each of several languages; empty ones are left out. */
function translated<T>(fields: Fields, name: string, read: (value: unknown) => T[]): Partial<Patent> {
  const given = (fields[name] ?? {}) as Record<string, unknown>;
  const found = Object.entries(given).flatMap(([language, value]): [string, T[]][] => {
    const list = read(value);
    return list.length > 0 ? [[language, list]] : [];
  });
  return found.length > 0 ? { [name]: Object.fromEntries(found) } : {};
}

function textFields(fields: Fields): Partial<Patent> {
  const found: Fields = {};
  for (const name of ['language', 'title', 'titles', 'abstract', 'abstracts'] as const) {
    if (fields[name] !== undefined) found[name] = fields[name];
  }
  const listed = claimList(fields['claims']);
  if (listed.length > 0) found['claims'] = listed;
  if (fields['description'] !== undefined) {
    const described = sections(fields['description']);
    if (described.length > 0) found['description'] = described;
  }
  Object.assign(found, translated(fields, 'translated_claims', claimList));
  Object.assign(found, translated(fields, 'descriptions', sections));
  return found as Partial<Patent>;
}

function rightFields(fields: Fields): Partial<Patent> {
  const found: Fields = {};
  for (const name of ['filing_date', 'publication_date', 'grant_date', 'priority_date']) {
    if (fields[name] === undefined) continue;
    const date = parseDate(fields[name] as string);
    if (!date)
      throw new DamagedDocument(`${name}: ${JSON.stringify(fields[name])}; expected a real day, YYYY-MM-DD`);
    found[name] = date;
  }
  for (const name of ['ipc_codes', 'cpc_codes']) {
    const codes = (fields[name] as string[] | undefined)?.map((code) => {
      const normal = normaliseClassification(code);
      if (normal) return normal;
      throw new DamagedDocument(`${name}: ${JSON.stringify(code)}; expected a code such as H01M 10/0525`);
    });
    if (codes && codes.length > 0) found[name] = [...new Set(codes)];
  }
  for (const name of ['applicants', 'inventors', 'agents', 'examiners']) {
    if (fields[name] !== undefined) found[name] = nameList(fields[name]);
  }
  const application = fields['application_number'] as string | undefined;
  const country = (fields['country'] as string | undefined) ?? identity(fields).country;
  const number = application && normaliseApplicationNumber(country, application);
  if (number) found['application_number'] = number;
  for (const name of ['locarno_codes', 'family_id', 'family_derived', 'partial', 'corrects', 'filled']) {
    if (fields[name] !== undefined) found[name] = fields[name];
  }
  for (const name of ['pct_application', 'pct_publication', 'legal_status']) {
    const stated = fields[name] as { date?: string } | undefined;
    if (stated === undefined) continue;
    if (stated.date !== undefined && !parseDate(stated.date)) {
      throw new DamagedDocument(
        `${name}.date: ${JSON.stringify(stated.date)}; expected a real day, YYYY-MM-DD`,
      );
    }
    found[name] = stated;
  }
  for (const name of ['fi_codes', 'f_terms', 'uspc_codes']) {
    const list = fields[name] as string[] | undefined;
    if (list && list.length > 0) found[name] = list;
  }
  for (const name of ['drawings', 'citations', 'priorities']) {
    const list = fields[name] as unknown[] | undefined;
    if (list && list.length > 0) found[name] = list;
  }
  for (const [at, { patent_id, country, number, text }] of (
    (found['citations'] ?? []) as Citation[]
  ).entries()) {
    if (patent_id ?? text ?? (country && number)) continue;
    throw new DamagedDocument(`citations[${at}]: expected patent_id, country and number, or text`);
  }
  for (const { date } of (found['priorities'] ?? []) as Priority[]) {
    if (date !== undefined && !parseDate(date)) {
      throw new DamagedDocument(`priorities: ${JSON.stringify(date)}; expected a real day, YYYY-MM-DD`);
    }
  }
  return found as Partial<Patent>;
}

const TEXT_FIELDS = ['title', 'abstract', 'claims', 'description'];
const KNOWN = new Set(Object.keys(PATENT_SCHEMA.properties ?? {}));

/** Whether an object is meant as a line of this format: exports of other services share some of its names. */
function isOurs(names: readonly string[]): boolean {
  const known = names.filter((name) => KNOWN.has(name) || name.startsWith('_')).length;
  const hasOneOf = (wanted: readonly string[]): boolean => wanted.some((name) => names.includes(name));
  return hasOneOf(NUMBER_FIELDS) && hasOneOf(TEXT_FIELDS) && known * 2 > names.length;
}

export const jsonLines: Reader = {
  format: 'jsonl',
  title: 'JSON Lines of priorart',
  version: 3,
  detect: (head) => isOurs(memberNames(head) ?? []),
  split: splitLines,
  parse,
};
