/** Citations written as one text: `KR1020030097716 A`, `EP-A- 0 529 854`, `特開平8-9932号公報`. */
import { citedPatent } from '../../patent/citation.js';
import { isCountry } from '../../patent/country.js';
import { parsePatentNumber } from '../../patent/number.js';
import type { Citation } from '../../patent/record.js';
import { beforeFirst, withoutEnd, withoutStart } from '../../patent/scan.js';

interface Spelt {
  country: string;
  number: string;
  kind: string | undefined;
}

/** Country, kind between hyphens (the EPO's form, optional), number, kind at the end (optional). */
function spelt(text: string): Spelt | undefined {
  if (!/^[A-Z]{2}/.test(text)) return undefined;
  let rest = withoutStart(text.slice(2), /[\s-]/);
  const before = /^([A-Z]\d?)\s*-/.exec(rest);
  if (before) rest = rest.slice(before[0].length).trimStart();
  const behind = /[A-Z]\d?$/.exec(rest.slice(-2))?.[0];
  rest = rest.slice(0, rest.length - (behind?.length ?? 0)).trimEnd();
  const number = (rest.endsWith('-') ? rest.slice(0, -1) : rest).trimEnd();
  if (!/^[A-Z]{0,2}\s*\d[\d\s,./-]*$/.test(number)) return undefined;
  return { country: text.slice(0, 2), number, kind: behind ?? before?.[1] };
}

/** A patent document if the text is one number of an office. Otherwise literature as printed. */
export function writtenCitation(text: string, by?: Citation['cited_by']): Citation {
  const printed = text.replace(/\s+/g, ' ').trim();
  const cited = patentOf(printed) ?? { text: printed };
  return by === undefined ? cited : { ...cited, cited_by: by };
}

function patentOf(printed: string): Citation | undefined {
  // KIPRIS marks citations of the search with an asterisk.
  const plain = withoutEnd(printed.normalize('NFKC').toUpperCase(), /\*/);
  // The EPO writes `RE36154` as `R E36 154`.
  const found = spelt(plain.replace(/\bR\s+E\s*(?=\d)/, 'RE'));
  if (found) {
    const number = found.number.replace(/[\s,.]/g, '');
    if (number.replace(/\D/g, '').length < 4) return undefined;
    return citedPatent(found.country, number, found.kind);
  }
  // Japanese and Korean document names determine the office.
  if (!/^(?:特|実|再|등록|공개|한국|실용)/.test(printed.normalize('NFKC'))) return undefined;
  const [reading] = parsePatentNumber(beforeFirst(printed, /公報|明細書|공보/));
  if (!reading?.country || reading.application || !isCountry(reading.country)) return undefined;
  return citedPatent(reading.country, reading.number, japaneseKind(printed, reading.number) ?? reading.kind);
}

/** The kind in a Japanese document name. Patent numbers restarted at 2,500,001 with kind B2. */
function japaneseKind(printed: string, number: string): string | undefined {
  if (/^特開/.test(printed)) return 'A';
  return /^特許/.test(printed) && /^\d{8}$/.test(number) && Number(number) > 2_500_000 ? 'B2' : undefined;
}
