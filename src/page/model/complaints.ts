/** Which field of the form an error of the API speaks of, and what it says. */
import { type DateKind, emptySearch } from './fields.js';

export interface Complaint {
  /** Field of the form; undefined if the message names none of them. */
  field: string | undefined;
  message: string;
}

/** What the page says itself, in its own language, of mistakes in its fields. */
export interface Wordings {
  day(text: string): string;
  range(from: string, to: string): string;
  asOf(text: string): string;
  priority(number: string): string;
  publications(numbers: string): string;
  code(text: string): string;
  kind(text: string): string;
  noLetter(text: string): string;
  legalForm(text: string): string;
  tooLong(length: string, most: string): string;
  tooMany(count: string, most: string): string;
  several(number: string, candidates: string): string;
  /** Further complaints, which the server only counts. */
  more(count: string): string;
}

/** Messages of the server, in English with names of the API. Others are shown as they are. */
const KNOWN: readonly [RegExp, keyof Wordings][] = [
  [/^invalid date "(.*)"; expected /, 'day'],
  [/^got "([\d-]+)"; expected a day not after [a-z_.]+, ([\d-]+)$/, 'range'],
  [/^got "(.*)"; expected a day as YYYY-MM-DD, or the number of a publication in the index$/, 'asOf'],
  [/^got "(.*)"; expected a day as YYYY-MM-DD: the index does not know the priority date of /, 'priority'],
  [/^the index has no publication (".*"); expected numbers of stored ones$/, 'publications'],
  [/^malformed code "(.*)"; expected /, 'code'],
  [/^got "(.*)"; expected a kind code such as /, 'kind'],
  [/^got "(.*)"; expected a (?:name|word or phrase) with a letter or digit$/, 'noLetter'],
  [/^got "(.*)"; expected a name, not a legal form alone$/, 'legalForm'],
  [/^got a text of ([\d,]+) characters; expected .* of 1 to ([\d,]+) characters$/, 'tooLong'],
  [/^got a list of ([\d,]+) entries; expected a list of 1 to ([\d,]+) /, 'tooMany'],
  [/^"([^"]*)" is the number of ([^;]*); expected one of these$/, 'several'],
  [/^got "([^"]*)"; expected one of the publications with this number, [^:]*: (.*)$/, 'several'],
  [/^And (\d+) more$/, 'more'],
];
/** The end of a message that has more complaints than it shows. */
const MORE = /^And \d+ more$/;

const FIELDS = new Set(Object.keys(emptySearch()));
const FIELD = /^([a-z_]+)(?:\.(from|to))?(?:\[\d+\])?: /;

/**
 * @param detail `ipc_codes[0]: malformed code "ZZ"; expected …`. Several complaints are joined with ". ".
 * @param date of `date_range`, which is the range of one kind of date in the form
 */
export function complaintsOf(detail: string, wordings: Wordings, date: DateKind): Complaint[] {
  const found: Complaint[] = [];
  for (const part of detail.split('. ')) {
    const [prefix = '', name = '', end] = FIELD.exec(part) ?? [];
    const field = name === 'date_range' ? `${date}_date_${end}` : name;
    const last = found.at(-1);
    if (FIELDS.has(field)) found.push({ field, message: part.slice(prefix.length) });
    else if (last && !MORE.test(part)) last.message += `. ${part}`;
    else found.push({ field: undefined, message: part });
  }
  return found.map(({ field, message }) => ({ field, message: said(message, wordings) }));
}

function said(message: string, wordings: Wordings): string {
  for (const [form, name] of KNOWN) {
    const [, first, second = ''] = form.exec(message) ?? [];
    if (first !== undefined) return wordings[name](first, second);
  }
  return message;
}
