/** How commands write a record. */
import { writtenApplicationNumber } from '../patent/application-number.js';
import type { EmbeddedPatent } from '../patent/embedded.js';
import type { Patent } from '../patent/record.js';
import { shortest } from './vector-output.js';

/** Fields at the start of a line. The others follow by name, so that two exports can be compared as texts. */
const FIRST = ['patent_id', 'country', 'number', 'kind_code', 'language', 'title'];

/**
 * A record as it is written in JSON, for `ingest` to read. Vectors become lists of numbers, since JSON would write a typed array as an
 * object, and the number of an international application has its usual form: stored as `JP2017034001`, it would be read as one of
 * Japan.
 */
export function writtenRecord(patent: Patent | EmbeddedPatent): object {
  const place = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  const byName = (a: string, b: string): number => (a < b ? -1 : 1);
  const { application_number: number } = patent;
  const written = number === undefined ? {} : { application_number: writtenApplicationNumber(number) };
  const entries = Object.entries({ ...withPlainVectors(patent), ...written });
  return Object.fromEntries(entries.sort(([a], [b]) => place(a) - place(b) || byName(a, b)));
}

function withPlainVectors(patent: Patent | EmbeddedPatent): object {
  if (!('_passages' in patent)) return patent;
  const passages = patent._passages.map(({ vector, ...passage }) => ({
    ...passage,
    vector: Array.from(vector, (value) => Number(shortest(value))),
  }));
  return { ...patent, _passages: passages };
}
