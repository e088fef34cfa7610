/** Names of cited documents. Sources write the same Japanese number in several ways, and the page converts what is certain. */
import type { CitedDocument } from '../../search/public-types.js';

/** Era years before the year 2000, when the offices changed to calendar years. */
const HEISEI = { first: 1, last: 11, base: 1988 } as const;
/** Unexamined publications began in Shōwa 46. */
const SHOWA = { first: 46, last: 63, base: 1925 } as const;

/**
 * `JP H02-272847 A` for the number of a Japanese application laid open, `02272847` or `20272847`.
 * @param day of the publication that cites it, which is not older
 * @returns undefined if the number has no reading, or more than one
 */
function japaneseName(number: string, day: string | undefined): string | undefined {
  const [, two = '', serial = ''] = /^(\d\d)(\d{6})$/.exec(number) ?? [];
  if (serial === '') return undefined;
  const year = Number(two);
  const readings: { year: number; text: string }[] = [];
  const add = (from: typeof HEISEI | typeof SHOWA, letter: string, era: number) => {
    if (era < from.first || era > from.last) return;
    readings.push({ year: from.base + era, text: `${letter}${String(era).padStart(2, '0')}` });
  };
  add(HEISEI, 'H', year);
  add(SHOWA, 'S', year);
  // The number of the year goes on after Heisei 11 in databases: 20 is 2008.
  if (year > HEISEI.last && year < SHOWA.first)
    readings.push({ year: HEISEI.base + year, text: String(HEISEI.base + year) });
  // `2-0272847`, without its hyphen: a year of one digit, and a serial number of seven.
  if (two[1] === '0') add(HEISEI, 'H', Number(two[0]));
  const possible =
    day === undefined ? readings : readings.filter((one) => one.year <= Number(day.slice(0, 4)));
  return possible.length === 1 ? `JP ${possible[0]!.text}-${serial} A` : undefined;
}

/**
 * `DE 4321 A1`, `JP H02-272847 A`, or the reference as printed.
 * @param day of the publication that cites it, `YYYY-MM-DD`
 */
export function citedName({ country, number, kind, text }: CitedDocument, day?: string): string {
  const japanese = country === 'JP' && kind === 'A' && number ? japaneseName(number, day) : undefined;
  const name = japanese ?? [country, number, kind].filter(Boolean).join(' ');
  return [name, text].filter(Boolean).join(' – ');
}
