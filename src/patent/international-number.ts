/** Numbers of international publications: `WO 2018/062001 A1`, `WO 98/12345`, `WO2018062001`. */

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
