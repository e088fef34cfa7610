/** Application numbers in DOCDB's form, which the EPO and exports of databases share. */
import type { Filing } from '../../patent/family.js';

/**
 * An international application in DOCDB's form, kind W: `US2004035927` under WO, `9816128` of 1998 under US. `undefined` if
 * the number has another form.
 */
export function pctOfDocdb(country: string, number: string): string | undefined {
  const found = /^([A-Z]{2})?((?:19|20)\d{2}|\d{2})0*(\d{5,6})$/.exec(number);
  return found ? `PCT/${found[1] ?? country}${found[2]}/${found[3]}` : undefined;
}

/** An international application in EPODOC's form, `WO2013US64552`. */
export function pctOfEpodoc(number: string): string | undefined {
  const found = /^WO((?:19|20)\d{2})([A-Z]{2})(\d{1,6})$/.exec(number);
  return found ? `PCT/${found[2]}${found[1]}/${found[3]?.padStart(6, '0')}` : undefined;
}

/** Japanese applications before 2000 end with the year: `8000290` of 1990 is 1990-80002. */
export function withYearFirst(country: string, { number, date }: Omit<Filing, 'country'>): string {
  const isOld = country === 'JP' && /^\d{3,8}$/.test(number) && number.endsWith(date?.slice(2, 4) ?? 'x');
  return isOld ? `${date?.slice(0, 4)}-${number.slice(0, -2)}` : number;
}

/**
 * A number with the right behind it, which DOCDB states as its kind: U is a utility model, F a design. `normaliseApplicationNumber` reads
 * both.
 */
export function withRight(country: string, number: string, kind: string | undefined): string {
  const isStated = (country === 'KR' || country === 'JP') && (kind === 'U' || kind === 'F');
  return isStated && /\d$/.test(number) ? number + kind : number;
}
