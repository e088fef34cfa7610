/**
 * US patents of 1976 to 2001 in the APS format (Automated Patent System, Green Book) of the weekly files
 * `pftapsYYYYMMDD`. A line `PATN` begins each patent. The format names no drawings.
 */
import { parseDate } from '../../patent/date.js';
import type { Claim, Patent } from '../../patent/record.js';
import { splitAtLine } from '../split.js';
import { ApsDocument } from './aps-fields.js';
import { decodeText } from './decode.js';
import { nationalClasses } from './national-codes.js';
import {
  codeFields,
  identity,
  internationalFields,
  present,
  publicationDates,
  withText,
} from './publication.js';
import { DamagedDocument, type ParsedUnit, type Reader } from './reader.js';
import { citationsOf, filings, people } from './us-aps-front.js';
import { publicationNumber } from './us-aps-number.js';
import { abstractOf, claimsOf, descriptionOf } from './us-aps-text.js';

const FIRST_LINE = 'PATN';

function parse(bytes: Uint8Array): ParsedUnit {
  const text = decodeText(bytes);
  const document = new ApsDocument(text);
  const patent = (tag: string) => document.first('PATN', tag);
  const issued = parseDate(patent('ISD'));
  const { number, kind } = publicationNumber(patent('WKU'), issued, patent('PBL'));
  const own = identity('US', number, kind) as Patent;
  const isDesign = number.startsWith('D');
  const claims = claimsOf(document);
  throwIfCut(claims, patent('NCL'), text);
  const record = withText({
    ...own,
    language: 'en',
    ...present({
      title: patent('TTL'),
      abstract: abstractOf(document),
      claims,
      description: descriptionOf(document),
    }),
    ...publicationDates(own, issued),
    // The US grants a patent or design by publication: the issue date is both dates.
    ...present({ grant_date: issued }),
    ...filings(document, isDesign),
    ...people(document),
    ...classes(document, isDesign),
    ...internationalFields(
      { number: document.first('PCTA', 'PCN'), date: parseDate(document.first('PCTA', 'PD3')) },
      { number: document.first('PCTA', 'PCP'), date: parseDate(document.first('PCTA', 'PCD')) },
    ),
    ...present({ citations: citationsOf(document) }),
  });
  return { patents: [record], skipped: [] };
}

/**
 * Claims are the last part, and NCL states their number. A text is cut off if it has none of them, or less than
 * half; or some are missing or the last line has no end, and the text does not end like a sentence.
 * @throws DamagedDocument
 */
function throwIfCut(claims: readonly Claim[], stated: string | undefined, text: string): void {
  const expected = /^\d{1,4}$/.test(stated ?? '') ? Number(stated) : 0;
  if (expected === 0) return;
  const [count, last] = [claims.length, claims.at(-1)];
  const isShort = count < expected || !text.endsWith('\n');
  if (last !== undefined && isShort && !/[.!?\])]$/.test(last.text))
    throw new DamagedDocument(`cut off in claim ${last.number} of ${expected}`);
  if (count * 2 < expected) throw new DamagedDocument(`cut off: ${count} of ${expected} claims`);
}

/**
 * OCL is the main class, XCL are further ones, in columns (`179 90K`). ICL has columns without a slash
 * (`H04M 1100`), and of a design it is a class of Locarno.
 */
function classes(document: ApsDocument, isDesign: boolean): Partial<Patent> {
  const national = document.columns('CLAS', 'OCL', 'XCL').map((code) => code.toUpperCase());
  const international = document.columns('CLAS', 'ICL');
  return {
    ...codeFields(isDesign ? { locarno: international } : { ipc: international }),
    ...present({ uspc_codes: nationalClasses(national) }),
  };
}

export const usAps: Reader = {
  format: 'us-aps',
  title: 'US grant, APS (Green Book, 1976–2001)',
  version: 1,
  detect(head) {
    const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 4096)).toString('latin1');
    return /(?:^(?:\u00ef\u00bb\u00bf)?|\n)PATN[ \t]*\r?\nWKU {2}/.test(text);
  },
  split: splitAtLine(FIRST_LINE),
  parse,
};
