/** Filters by their definition, on one record, without columns and indexes. */
import { readFileSync } from 'node:fs';
import { COLUMNS, columnValues } from '../../src/index/columns.js';
import { lexicalTexts } from '../../src/index/lexical-texts.js';
import { type FilterClause, native } from '../../src/index/native.js';
import type { Patent } from '../../src/patent/record.js';

const KEYWORDS = COLUMNS.filter(({ kind }) => kind === 'keyword').map(({ name }) => name);
const DATES = COLUMNS.filter(({ kind }) => kind === 'date').map(({ name }) => name);

/** Simplified forms of Han characters. */
const HAN = new Map(
  readFileSync(new URL('../../../native/core/src/lexical/han.tsv', import.meta.url), 'utf8')
    .split('\n')
    .map((line) => line.split('\t') as [string, string]),
);
const simplified = (text: string) =>
  Array.from(text, (character) => HAN.get(character) ?? character).join('');

/** Day of a record that lacks the date, in which no range lies. */
const NO_DAY = -0x8000_0000;

export function allows(clauses: readonly FilterClause[], patent: Patent): boolean {
  if (clauses.length === 0) return true;
  const { terms, days } = columnValues(patent);
  return clauses.every((clause) => {
    const { column, test, terms: wanted = [], anyForm = false } = clause;
    const form = anyForm ? simplified : (text: string) => text;
    if (test === 'days') return isWithin(days[DATES.indexOf(column)], clause);
    if (test === 'holds' || test === 'lacks') return holds(patent, clause) === (test === 'holds');
    const own = terms[KEYWORDS.indexOf(column)] ?? [];
    return own.some((term) => wanted.some((text) => matches(test, form(term), form(text))));
  });
}

function holds(patent: Patent, { terms = [], translate = false }: FilterClause): boolean {
  const words = native.Words.ofPhrases(terms, translate);
  const texts = lexicalTexts(patent);
  if (texts.some(({ part, text }) => part !== 'names' && words.find(text).length > 0)) return true;
  // Names have no stems and no translations.
  const forms = words.forms().flatMap((word) => word.forms);
  const named = forms.filter(({ place }) => place !== 'texts').map((form) => positionsOf(form.terms));
  const names = texts.filter(({ part }) => part === 'names').map((text) => native.termsOfTexts([text])[0]!);
  return names.some((name) => {
    const own = positionsOf(name.terms);
    const isAt = (phrase: string[][], at: number) =>
      phrase.every((wanted, n) => wanted.every((term) => own[at + n]?.includes(term)));
    return named.some((phrase) => own.some((_, at) => isAt(phrase, at)));
  });
}

/** The terms of a stream (native/core/src/lexical/stream.rs), by position. */
function positionsOf(stream: string): string[][] {
  return stream
    .split(' ')
    .map((position) => position.split('\u0003').filter((term) => term !== '' && term !== '\u0004'));
}

function isWithin(day: number | undefined, { from = -Infinity, to = Infinity }: FilterClause): boolean {
  return day !== undefined && day !== NO_DAY && from <= day && day <= to;
}

function matches(test: FilterClause['test'], term: string, wanted: string): boolean {
  if (test === 'exact') return term === wanted;
  return test === 'prefix' ? term.startsWith(wanted) : term.includes(wanted);
}
