/**
 * Numbers of international publications (`WO 2018/062001 A1`, `WO/2018/062001`, `WO 98/12345`, `WO2018062001`) and of their
 * applications (`PCT/KR2018/016728`).
 */
import { isPctNumber, isWholePctNumber, normaliseApplicationNumber } from './application-number.js';
import type { Patent } from './record.js';

/** The first year of international publications. */
const FIRST_YEAR = 1978;
const SHORT_YEAR_FROM = FIRST_YEAR - 1900;

/** `WO` is optional, and so is the kind after the number. */
const FULL_YEAR = /^(?:WO)?((?:19|20)\d{2})\/?(?:(\d{5,6})|00(\d{6}))([A-Z]\d?)?$/;
const SHORT_YEAR = /^(?:WO)?(\d{2})\/?(\d{5,6})([A-Z]\d?)?$/;

/** Year and six digits (`2018062001`), and the kind if the text has one. */
export interface InternationalNumber {
  number: string;
  kind?: string;
}

/** Normalises the number of an international publication; `undefined` if the text is not one. */
export function internationalNumber(text: string): InternationalNumber | undefined {
  const plain = text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\s,.-]+/g, '');
  const full = FULL_YEAR.exec(plain);
  if (full && Number(full[1]) >= FIRST_YEAR) return numbered(full[1]!, (full[2] ?? full[3])!, full[4]);
  const short = SHORT_YEAR.exec(plain);
  // The EPO has printed `WO-A-20/04032928` for 2004/032928.
  if (!short) return plain.includes('/') ? internationalNumber(plain.replaceAll('/', '')) : undefined;
  const century = Number(short[1]) >= SHORT_YEAR_FROM ? '19' : '20';
  return numbered(century + short[1], short[2]!, short[3]);
}

function numbered(year: string, serial: string, kind: string | undefined): InternationalNumber {
  const number = year + serial.padStart(6, '0');
  return kind === undefined ? { number } : { number, kind };
}

/** What an office prints before the number of an international application, and of its publication. */
const APPLICATION_LABEL =
  /^(?:국제 ?출원(?: ?번호)?|国際出願(?:番号)?|国际申请号?|國際申請號?|(?:INTERNATIONAL|PCT) APPLICATION(?: (?:NO\.?|NUMBER))?)[\s:]{0,3}[제第]?\s?/;
const PUBLICATION_LABEL =
  /^(?:국제 ?공개(?:공보)?(?: ?번호)?|国際公開(?:番号)?|国际(?:公布|公开)号?|國際(?:公布|公開)號?|(?:INTERNATIONAL|WO) (?:PATENT )?PUBLICATION(?: (?:NO\.?|NUMBER))?)[\s:]{0,3}[제第]?\s?/;
const WHOLE_WO =
  /^(?:WO[\s/-]?(?:A\d?[\s-])?)?((?:19|20)\d\d[\s/]?\d{5,6}|\d\d\/?\d{5}|\d\d\/\d{6})(?:[\s-]?\(?A\d\)?)?$/;

/**
 * The key of the international application or publication that a text names, and nothing else: `PCTKR2018016728` of
 * `PCT/KR2018/016728`, `WO2018062001` of `WO 2018/062001 A1` and `国際公開第2018/062001号`. Without `WO`, the words must say what it is.
 * @param text as `foldedNumber` returns it
 */
export function internationalKeyOf(text: string): string | undefined {
  const application = text.replace(APPLICATION_LABEL, '').replace(/\s?[号號호]$/, '');
  if (isWholePctNumber(application)) return `PCT${normaliseApplicationNumber('WO', application)}`;
  const isLabelled = PUBLICATION_LABEL.test(text);
  const publication = text.replace(PUBLICATION_LABEL, '').replace(/\s?[号號호]$/, '');
  if (!isLabelled && !publication.startsWith('WO')) return undefined;
  const number = WHOLE_WO.exec(publication)?.[1];
  const found = number && internationalNumber(number)?.number;
  return found && `WO${found}`;
}

/** The keys of the international application that a publication rests on, and of its publication. */
export function internationalKeys({
  pct_application: application,
  pct_publication: publication,
}: Pick<Patent, 'pct_application' | 'pct_publication'>): string[] {
  const filed = application && isPctNumber(application.number) ? application.number : undefined;
  const published = publication && internationalNumber(publication.number)?.number;
  return [
    ...(filed ? [`PCT${normaliseApplicationNumber('WO', filed)}`] : []),
    ...(published ? [`WO${published}`] : []),
  ];
}
