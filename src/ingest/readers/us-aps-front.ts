/** People, earlier applications and citations of the APS format. */
import { citedPatent } from '../../patent/citation.js';
import { parseDate } from '../../patent/date.js';
import type { Filing } from '../../patent/family.js';
import type { Citation, Patent } from '../../patent/record.js';
import { type ApsDocument, type ApsField, oneLine, valuesOf } from './aps-fields.js';
import { filingFields, internationalFiling, present, uniqueNames } from './publication.js';
import { applicationNumber } from './us-aps-number.js';
import { partyFields, personName } from './us-names.js';

/** Words behind the last name of an inventor who died, or who has another name too. */
const STATUS = /^(?:(?:now |late )?deceased|late of|nee |now |born |also known)/i;
/** Someone who acts for an inventor. */
const REPRESENTATIVE =
  /\b(?:legal(?:ly)? representative|legal guardian|execut(?:or|rix)|administrat(?:or|rix)|heirs?)\b/i;
const SUFFIX = /^(?:Jr|Sr|I{1,3}|IV|V)\.?$/i;
/** Longest first names. What is longer behind a semicolon is another name. */
const FIRST_CHARS = 40;

/** `Miller, Jr.; George H.` → `Miller, George H. Jr.` Names without a semicolon stay. */
function nameOf(written: string): string {
  const at = written.indexOf(';');
  const first = written.slice(at + 1).trim();
  if (at < 0 || first.includes(',') || first.length > FIRST_CHARS) return written;
  const [last = '', ...more] = written
    .slice(0, at)
    .split(',')
    .map((part) => part.trim());
  const suffix = more.find((part) => SUFFIX.test(part));
  const rest = more.filter((part) => part !== suffix && !STATUS.test(part));
  return personName({ last: [last, ...rest].join(', '), first, suffix }) ?? written;
}

/** Assignee codes of persons. */
const PERSON = /^0?[45]$/;

function assigneeNames(document: ApsDocument): string[] {
  return document.named('ASSG').flatMap((group) => {
    const { NAM: name, COD: code } = valuesOf(group);
    if (!name) return [];
    return code === undefined || PERSON.test(code) ? nameOf(name) : name;
  });
}

/** Inventors, assignees, attorneys and examiners. */
export function people(document: ApsDocument): Partial<Patent> {
  const inventors = document.all('INVT', 'NAM').filter((name) => !REPRESENTATIVE.test(name));
  const agents = document.all('LREP', 'FRM', 'FR2', 'ATT', 'AGT', 'AAT', 'NAM');
  return {
    ...partyFields({ assignees: assigneeNames(document), inventors: inventors.map(nameOf) }),
    ...present({
      agents: uniqueNames(agents.map(nameOf)),
      examiners: uniqueNames(document.all('PATN', 'EXP', 'EXA').map(nameOf)),
    }),
  };
}

/** Codes of 1976 to 1978, before the standard of today (WIPO ST.3), that are no others today. */
const OLD_CODES: Record<string, string> = {
  ...{ DT: 'DE', DL: 'DD', JA: 'JP', EN: 'GB', UK: 'GB', SW: 'SE', OE: 'AT', SF: 'FI', KS: 'KR' },
  ...{ EI: 'IE', PO: 'PL', UR: 'SU' },
};

/** `JPX`, `GB2`, `JA`: two letters, and perhaps a third character that is no part of the code. */
function countryOf(written: string | undefined): string | undefined {
  const code = /^([A-Z]{2})[X\d]?$/.exec(written ?? '')?.[1];
  return code === undefined ? undefined : (OLD_CODES[code] ?? code);
}

/** `53/84696` and `58-12345[U]` of Japan: a hyphen parts the year from the serial number. */
function foreignNumber(country: string, number: string): string {
  const bare = number.replace(/\s{0,3}\[[A-Z]\]$/, '');
  return country === 'JP' ? bare.replace(/^(\d{1,2})\/(?=\d{1,6}$)/, '$1-') : bare;
}

/** Most Japanese publications of a year. */
const SERIAL_MAX = 400_000;

/**
 * The number of a cited Japanese publication, whose year stands before the serial number without a hyphen:
 * `2191699` of 1990 is 2-191699.
 */
function japaneseNumber(number: string, year: number): string {
  const era = String(year >= 1989 ? year - 1988 : year - 1925);
  const serial = number.slice(era.length);
  const isDated = number.startsWith(era) && /^\d{1,6}$/.test(serial) && Number(serial) <= SERIAL_MAX;
  return isDated ? `${era}-${serial}` : number;
}

/** Characters of the parent case that are searched for a number. */
const PARENT_CHARS = 20_000;

/** A serial number with its series: `60/090,199`. */
const WITH_SERIES = /(?<!\d)(\d{1,2})\/(\d{3}),?(\d{3})(?!\d)/g;

/** The series with which the parent case names a serial number. */
function seriesNamed(text: string, apn: string | undefined): string | undefined {
  for (const [, series, head, tail] of text.matchAll(WITH_SERIES))
    if (apn?.slice(0, 6) === `${head}${tail}`) return series;
  return undefined;
}

/** Foreign priorities (PRIR), parents (RLAP) and the application of a reissued patent (REIS). */
function earlier(document: ApsDocument, isDesign: boolean): Filing[] {
  const foreign = document.named('PRIR').flatMap((group): Filing[] => {
    const { CNT: code, APN: number, APD: date } = valuesOf(group);
    const country = countryOf(code);
    if (!country || !number) return [];
    return [{ country, number: foreignNumber(country, number), date: parseDate(date) }];
  });
  const text = document.all('PARN', 'PAR', 'PAL').join(' ').slice(0, PARENT_CHARS);
  const parents = document.named('RLAP', 'REIS').flatMap((group): Filing[] => {
    const { APN: apn, APD: day } = valuesOf(group);
    const date = parseDate(day);
    const number = applicationNumber({ apn, date, series: seriesNamed(text, apn), isDesign });
    return number ? [{ country: 'US', number, date }] : [];
  });
  return [...foreign, ...parents];
}

/** The application, its priorities and its family. */
export function filings(document: ApsDocument, isDesign: boolean): Partial<Patent> {
  const patent = (tag: string) => document.first('PATN', tag);
  const date = parseDate(patent('APD'));
  const number = applicationNumber({ apn: patent('APN'), date, series: patent('SRC'), isDesign });
  const international = document.first('PCTA', 'PCN');
  return filingFields('US', {
    own: number ? { country: 'US', number, date } : undefined,
    international: internationalFiling(international, parseDate(document.first('PCTA', 'PD3'))),
    priorities: earlier(document, isDesign),
  });
}

/** Cited documents of the US (UREF) and of other offices (FREF), and literature (OREF), in order. */
export function citationsOf(document: ApsDocument): Citation[] {
  return document.named('UREF', 'FREF', 'OREF').flatMap((group): Citation[] => {
    if (group.name === 'OREF') return group.fields.flatMap(literature);
    const { PNO: number, ISD: date, CNT: code } = valuesOf(group);
    if (!number) return [];
    const country = group.name === 'UREF' ? 'US' : countryOf(code);
    if (country === undefined) return [{ text: [code, number].filter(Boolean).join(' ') }];
    const own = foreignNumber(country, number);
    const known = country === 'JP' && date ? japaneseNumber(own, Number(date.slice(0, 4))) : own;
    return [citedPatent(country, known, undefined, date)];
  });
}

function literature(field: ApsField): Citation[] {
  const text = /^PA/.test(field.tag) ? oneLine(field) : '';
  return text === '' ? [] : [{ text }];
}
