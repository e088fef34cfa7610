/** Publication numbers as offices print them. */
import { officeForm } from '../../patent/number-forms.js';
import { COUNTRIES, type Country } from './fields.js';

/** The number in a patent_id of each office. Other spellings stay as they are. */
const NUMBER_OF: Readonly<Record<Country, RegExp>> = {
  US: /^(?:\d{8}|\d{11}|[A-Z]{1,2}\d{6,7})$/,
  KR: /^\d{13}$/,
  JP: /^\d{8}$/,
  CN: /^\d{7,9}$/,
  EP: /^\d{8}$/,
};

/**
 * @param id a patent_id, such as `KR1010606300000B1`
 * @returns `KR 10-1060630 B1`, `US 11,217,824 B2`, `特開2018-524120`; a text that is no patent_id as it is
 */
export function printedNumber(id: string): string {
  const country = COUNTRIES.find((code) => id.startsWith(code));
  const kind = /[A-Z]\d?$/.exec(id)?.[0];
  if (!country || !kind) return id;
  const number = id.slice(country.length, -kind.length);
  if (!NUMBER_OF[country].test(number)) return id;
  const printed = officeForm({ country, number, kind_code: kind });
  // The office prints neither its country nor the kind.
  return country === 'KR' ? `KR ${printed} ${kind}` : printed;
}
