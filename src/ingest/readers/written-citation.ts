/** Citations written as one text: `KR1020030097716 A`, `EP-A- 0 529 854`, `特開平8-9932号公報`. */
import { citedPatent } from '../../patent/citation.js';
import { isCountry } from '../../patent/country.js';
import { withoutDate } from '../../patent/date.js';
import { internationalNumber } from '../../patent/international-number.js';
import { citedJapaneseNumber } from '../../patent/japanese-number.js';
import { type NumberCandidate, parsePatentNumber } from '../../patent/number.js';
import type { Citation } from '../../patent/record.js';
import { beforeFirst, withoutEnd, withoutStart } from '../../patent/scan.js';

/** Beginnings of names of documents in Japanese and Korean: `特開`, `등록특허공보`, `미국 공개특허`, `JP평성`. */
const DOCUMENT_NAME =
  /^(?:特|実|再|등록|공개|공고|한국|대한민국|특|실|일본|미국|중국|유럽|국제공개|JP ?[평소平昭])/;
/** `국제공개공보 WO 2005/095409 A2`, `국제공개특허` */
const INTERNATIONAL = /^국제공개(?:특허)?(?:공보)?(?:번호)?[ 제]{0,3}/;

/** `特開2019-123456（ＪＰ，Ａ）`, `米国特許出願公開第2010/0123456（ＵＳ，Ａ１）`: office and kind behind a number in Japanese gazettes. */
const OFFICE_BEHIND = /\(([A-Z]{2}), ?([A-Z]\d?)\)$/;
/** A number, with the letters of US designs, plants and reissues. */
const NUMBERS = /(?:RE|PP|[DHT])?\d[\d,/-]{2,19}\d/g;
/** What stands before and behind the number of a publication, and not by a year or a page. */
const BEFORE_NUMBER = /(?:第|許|開|案|公|表|特|告|報|録|NO\.|[A-Z]{2}) ?$/;
const BEHIND_NUMBER = /^(?:\.[\dX])? ?(?:[A-Z]\d?)? ?(?:号|明|公|[(,]|$)/;
/** Characters that these two expressions have to see. */
const NEAR = 10;
/** `実願昭63-12345号(実開平2-12345号)のマイクロフィルム`: an application, and the publication of its text. */
const MICROFILM = /^[特実]願[^()]{1,40}\(([特実][開公][^()]{1,40})\)/;
/** An application that is no publication: `特願`, `特許出願第`. */
const APPLICATION = /願(?!の?公)/;

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
  const marked = OFFICE_BEHIND.exec(plain);
  if (marked) return withOffice(plain.slice(0, marked.index).trim(), marked[1] ?? '', marked[2]);
  // The EPO writes `RE36154` as `R E36 154`.
  const found = spelt(plain.replace(/\bR\s+E\s*(?=\d)/, 'RE'));
  if (found) {
    const number = found.number.replace(/[\s,.]/g, '');
    if (number.replace(/\D/g, '').length < 4) return undefined;
    return citedPatent(found.country, number, found.kind);
  }
  // The name of a document determines the office, and so does the era behind JP.
  if (!DOCUMENT_NAME.test(plain)) return undefined;
  const named = withoutNote(withoutDate(plain));
  const international = INTERNATIONAL.exec(named);
  if (international) {
    const { number, kind } = internationalNumber(named.slice(international[0].length)) ?? {};
    return number === undefined ? undefined : citedPatent('WO', number, kind);
  }
  const [reading] = parsePatentNumber(named);
  if (!reading?.country || reading.application || !isCountry(reading.country)) return undefined;
  const kind = registeredKind(reading) ?? reading.kind;
  // Digits alone no longer say that they count an era.
  const isEra = reading.isEra === true && kind === undefined;
  const number = isEra ? citedJapaneseNumber({ ...reading, isEra, published: undefined }) : reading.number;
  return citedPatent(reading.country, number, kind);
}

/** A citation whose office and kind stand behind it. Names of Japanese documents tell more than the kind: 特表 is T. */
function withOffice(named: string, country: string, kind: string | undefined): Citation | undefined {
  const published = MICROFILM.exec(named)?.[1] ?? named;
  if (APPLICATION.test(published)) return undefined;
  const own = country === 'JP' ? patentOf(published) : undefined;
  if (own?.country === country) {
    // Numbers of patents do not tell B1 from B2.
    if (own.number && own.kind === 'B2' && kind === 'B1') return citedPatent(country, own.number, kind);
    return own.kind === undefined && own.number && kind ? citedPatent(country, own.number, kind) : own;
  }
  const number = onlyNumber(published, country);
  if (number === undefined) return undefined;
  if (country !== 'WO') return citedPatent(country, number, kind);
  const international = internationalNumber(number);
  return international && citedPatent('WO', international.number, kind);
}

/** The number of the publication that a text names; `undefined` if it names none or several. */
function onlyNumber(text: string, country: string): string | undefined {
  const found: string[] = [];
  for (const { 0: number, index } of text.matchAll(NUMBERS)) {
    const end = index + number.length;
    const before = text.slice(Math.max(index - NEAR, 0), index);
    const isNumber =
      (before === '' || BEFORE_NUMBER.test(before)) && BEHIND_NUMBER.test(text.slice(end, end + NEAR));
    if (isNumber) found.push(number.replaceAll(',', ''));
  }
  const [number] = found;
  if (number === undefined || found.length > 1) return undefined;
  return country === 'US' ? number : number.replace(/^[A-Z]+/, '');
}

/**
 * The text without what follows the number: `号公報`, `明細書`. In Korean the word stands before the number
 * (`공개특허공보 제10-…`) or behind it.
 */
function withoutNote(text: string): string {
  const number = Math.max(text.search(/\d/), 0);
  return text.slice(0, number) + beforeFirst(text.slice(number), /公報|明細書|공보/);
}

/** Patent numbers restarted at 2,500,001 with kind B2. */
function registeredKind({ country, number, kind, isEra }: NumberCandidate): string | undefined {
  if (country !== 'JP' || kind !== 'B' || isEra !== false) return undefined;
  return Number(number) > 2_500_000 ? 'B2' : undefined;
}
