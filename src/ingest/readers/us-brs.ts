/**
 * US full text in the export format of the office's BRS search system: one field per line, with a name of two
 * to four letters. Lines indented by six spaces continue the field. A boundary line separates documents. In a
 * text field, a value with further indentation is a paragraph, and a value without it is a heading.
 */

import { citedPatent } from '../../patent/citation.js';
import { parseDate } from '../../patent/date.js';
import type { Filing } from '../../patent/family.js';
import type { Citation, Claim, Patent, Section } from '../../patent/record.js';
import { beforeFirst, withoutEnd } from '../../patent/scan.js';
import { splitFrom } from '../split.js';
import { decodeText } from './decode.js';
import { dotCodesRead } from './dot-codes.js';
import {
  codeFields,
  filingFields,
  identity,
  internationalFields,
  internationalFiling,
  present,
  publicationDates,
  uniqueNames,
  withText,
} from './publication.js';
import { DamagedDocument, type ParsedUnit, type Reader } from './reader.js';
import { Sections } from './sections.js';
import { citedBy, claimOf } from './us-citations.js';
import { partyFields } from './us-names.js';

const BOUNDARY = '*** BRS DOCUMENT BOUNDARY';

/**
 * Share of its stated size that a complete document has at least. The stated size is slightly larger than the
 * sum of its lines.
 */
const WHOLE = 0.95;

/** One field. `value` keeps the space that distinguishes a paragraph from a heading. */
interface Field {
  tag: string;
  value: string;
}

function fieldsOf(text: string): Field[] {
  const fields: Field[] = [];
  for (const line of text.split(/\r?\n/)) {
    const field = /^([A-Z]{2,4}) (.*)$/.exec(line);
    if (field?.[1]) fields.push({ tag: field[1], value: field[2] ?? '' });
    else if (/^ {6}/.test(line)) {
      const last = fields.at(-1);
      if (last) last.value += ` ${line.trim()}`;
      // The list of documents before the boundary of the next document.
    } else if (/^\w+\t/.test(line)) break;
  }
  return fields;
}

/** The fields of one document, by name and in order. */
class Document {
  readonly fields: readonly Field[];

  constructor(text: string) {
    this.fields = fieldsOf(text);
  }

  all(...tags: string[]): string[] {
    return this.fields.filter(({ tag }) => tags.includes(tag)).map(({ value }) => dotCodesRead(value).trim());
  }

  first(tag: string): string | undefined {
    return this.all(tag).find((value) => value !== '' && value !== 'N/A');
  }

  /** Groups of fields. Each group begins with the first tag. */
  groups(first: string, ...others: string[]): Record<string, string>[] {
    const found: Record<string, string>[] = [];
    for (const { tag, value } of this.fields) {
      if (tag === first) found.push({});
      const group = found.at(-1);
      if (group && (tag === first || others.includes(tag))) group[tag] ??= dotCodesRead(value).trim();
    }
    return found;
  }
}

function parse(bytes: Uint8Array): ParsedUnit {
  const document = new Document(decodeText(bytes));
  const id = /^US (\S+) ([A-Z]\d?)$/.exec(document.first('DID') ?? '');
  const own = identity('US', id?.[1] ?? document.first('WKU'), id?.[2] ?? document.first('APT')) as Patent;
  const size = Number(document.first('SIZE'));
  if (bytes.length < size * WHOLE) throw new DamagedDocument(`cut off: ${bytes.length} of ${size} bytes`);
  const issued = parseDate(document.first('GISD'));
  const patent = withText({
    ...own,
    language: 'en',
    ...present({
      title: document.first('TTL'),
      abstract: document.all('ABPR').filter(Boolean).join('\n'),
      claims: claims(document),
      description: description(document),
    }),
    ...publicationDates(own, issued),
    ...present({ grant_date: issued }),
    ...filings(document),
    ...parties(document),
    ...codeFields({
      ipc: document.all('IPCP', 'IPCS', 'ICM', 'ICS').map(symbol),
      cpc: document.all('CPOI', 'CPOA').map(symbol),
    }),
    ...officeFields(document),
    ...present({ citations: citations(document) }),
  });
  return { patents: [patent], skipped: [] };
}

/** `H05K9/00 20060101 H05K009/00`: the code, its version and the code again. */
const symbol = (text: string): string => beforeFirst(text, /\s\d{8}\b/).trimEnd();

/** `Yu; Long-Kun` → `Yu, Long-Kun` */
function withComma(name: string): string {
  const at = name.indexOf(';');
  return at < 0 ? name : `${name.slice(0, at).trimEnd()}, ${name.slice(at + 1).trimStart()}`;
}

function parties(document: Document): Partial<Patent> {
  const names = (tag: string) => document.all(tag).map(withComma);
  return partyFields({ applicants: names('AANM'), assignees: names('ASNM'), inventors: names('INNM') });
}

/**
 * USPC at issue, otherwise the current USPC; agents, examiners, and the numbers of the international stage.
 */
function officeFields(document: Document): Partial<Patent> {
  const [issued, current] = [document.all('CIOR', 'CIXR'), document.all('CCOR', 'CCXR')];
  const names = (...tags: string[]) => uniqueNames(document.all(...tags).map(withComma));
  const filed = document.first('PCAD') ?? document.first('PCFD');
  return {
    ...present({
      uspc_codes: [...new Set(issued.length > 0 ? issued : current)],
      agents: names('LRNM', 'LRAG', 'LRFW', 'LRFM'),
      examiners: names('EXP', 'EXA'),
    }),
    ...internationalFields(
      { number: document.first('PCAN'), date: parseDate(filed) },
      { number: document.first('PCPN'), date: parseDate(document.first('PCPD')) },
    ),
  };
}

function filings(document: Document): Partial<Patent> {
  const number = document.first('APNR') ?? document.first('APP');
  const own = number ? { country: 'US', number, date: parseDate(document.first('AFD')) } : undefined;
  const earlier: Filing[] = [
    ...document.groups('PRCO', 'PRAN', 'PRAD').map((group) => [group['PRCO'], group['PRAN'], group['PRAD']]),
    ...document.groups('RLPY', 'RLAN', 'RLFD').map((group) => [group['RLPY'], group['RLAN'], group['RLFD']]),
  ].flatMap(([country, earlierNumber, date]) =>
    country && earlierNumber ? [{ country, number: earlierNumber, date: parseDate(date) }] : [],
  );
  const international = internationalFiling(document.first('PCAN'), parseDate(document.first('PCAD')));
  return filingFields('US', { own, international, priorities: earlier });
}

const CITED_BY = /cited by \w+$/;

/** `US 2003/0169838 A1 20030900 Greenstreet et al. 375/376 cited by examiner`, and literature as text. */
function citations(document: Document): Citation[] {
  const found: Citation[] = [];
  for (const { tag, value } of document.fields) {
    const text = dotCodesRead(value).trim();
    const by = citedBy(CITED_BY.exec(text)?.[0]);
    if (tag === 'URGP' || tag === 'FRGP') {
      const [, country, written = '', date] = /^([A-Z]{2}) (.+?) (\d{8})\b/.exec(text) ?? [];
      const [, number, kind] = /^(.*?)(?: ([A-Z]\d?))?$/.exec(written) ?? [];
      if (country && number) found.push({ ...citedPatent(country, number, kind, date), ...by });
    } else if (tag === 'ORPL') {
      const reference = withoutEnd(beforeFirst(text, CITED_BY), /[\s,.]/);
      if (reference) found.push({ text: reference, ...by });
    }
  }
  return found;
}

/** A paragraph with the next number begins a claim. Other paragraphs continue the claim before. */
function claims(document: Document): Claim[] {
  const found: Claim[] = [];
  for (const text of document.all('CLPR', 'CLTX', 'DCLM')) {
    const number = Number(/^(\d+)\s*\.\s/.exec(text)?.[1] ?? 0);
    const last = found.at(-1);
    if (!last || number === last.number + 1) found.push(claimOf(number || 1, text, []));
    else if (text) last.text += `\n${text}`;
  }
  return found.filter(({ text }) => text !== '');
}

/** Parts of the description: parent case, government interest, summary, drawings, details. */
const PARTS = new Set(['CRTX', 'PRTX', 'GOTX', 'BSTX', 'DRTX', 'DETX', 'TXPR']);

function description(document: Document): Section[] {
  const sections = new Sections();
  let open: string | undefined;
  for (const { tag, value } of document.fields) {
    if (!PARTS.has(tag)) continue;
    const text = dotCodesRead(value).replace(/\s+/g, ' ').trim();
    if (!value.startsWith(' ')) sections.heading(text);
    else {
      if (open !== undefined && open !== tag) sections.heading('Description');
      sections.paragraph(text);
    }
    open = tag;
  }
  return sections.all();
}

export const usBrs: Reader = {
  format: 'us-brs',
  title: 'US full text of the BRS search system',
  version: 7,
  detect(head) {
    const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 4096)).toString('latin1');
    return /(?:^|\n)\*\*\* BRS DOCUMENT BOUNDARY \*\*\*\r?\n[A-Z]{2,4} /.test(text);
  },
  split: splitFrom(Buffer.from(BOUNDARY), false),
  parse,
};
