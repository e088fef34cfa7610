/** Filter clauses as queries of the cluster. The clauses are those of the embedded engine (src/search/filter.ts). */
import { type FilterClause, native } from '../index/native.js';
import { WORDS } from '../search/filter-rows.js';
import type { Json } from './client.js';
import { heldQuery } from './forms.js';
import { PREFIX_MAX, PREFIXED } from './mapping.js';

const COLUMN = 'columns.';

/** Characters of a regular expression that a cluster takes (`index.max_regex_length`). */
const EXPRESSION_MAX = 1_000;

const isIndexedPrefix = (text: string): boolean => text !== '' && text.length <= PREFIX_MAX;

/** A query that holds for the documents that all clauses allow. */
export function filterOf(clauses: readonly FilterClause[]): Json[] {
  return clauses.map(queryOf);
}

/** The query of one clause. */
export function queryOf(clause: FilterClause): Json {
  const { column, or = [], test, terms = [], translate = false } = clause;
  if (column === WORDS) {
    const { length } = terms;
    const words = length === 0 ? [] : native.Words.ofPhrases(terms, translate).forms();
    const held = any(words.map(heldQuery));
    return test === 'lacks' ? { bool: { must_not: [held] } } : held;
  }
  const fields = [column, ...or].map((name) => COLUMN + name);
  const [literal, expressions] = clause.anyForm ? inForms(clause) : [clause, []];
  return any(
    fields.flatMap((field) => [
      ...(literal.terms?.length === 0 ? [] : onField(field, literal)),
      ...expressions.map((value) => ({ regexp: { [field]: { value, flags: 'NONE' } } })),
    ]),
  );
}

/** A clause with the terms that have one form of their Han characters, and expressions for the others. */
function inForms(clause: FilterClause): [FilterClause, string[]] {
  const literal: string[] = [];
  const expressions: string[] = [];
  for (const term of clause.terms ?? []) {
    const expression = expressionOf(term, clause.test);
    if (expression === undefined) literal.push(term);
    else expressions.push(expression);
  }
  return [{ ...clause, terms: literal }, expressions];
}

/**
 * A regular expression of the terms that meet a text in any form of its Han characters; undefined if it has one form only. The
 * cluster keeps names as they are written, as segments do. A text too long for an expression counts in its own form.
 */
function expressionOf(text: string, test: FilterClause['test']): string | undefined {
  const pieces = native.spellings(text);
  if (pieces.every(({ length }) => length === 1)) return undefined;
  const literal = (way: string) => way.replace(/[^\p{L}\p{N} ]/gu, '\\$&');
  const ways = pieces.map((ways) =>
    ways.length === 1 ? literal(ways[0]!) : `(${ways.map(literal).join('|')})`,
  );
  const before = test === 'contains' ? '.*' : '';
  const expression = before + ways.join('') + (test === 'exact' ? '' : '.*');
  return expression.length <= EXPRESSION_MAX ? expression : undefined;
}

function onField(field: string, { test, terms = [], from, to }: FilterClause): Json[] {
  switch (test) {
    case 'exact':
      return [{ terms: { [field]: terms } }];
    case 'none':
      return [{ bool: { must_not: [{ terms: { [field]: terms } }] } }];
    case 'prefix':
      if (PREFIXED.has(field.slice(COLUMN.length)) && terms.every(isIndexedPrefix)) {
        return [{ terms: { [`${field}.prefix`]: terms } }];
      }
      return terms.map((value) =>
        value === '' ? { exists: { field } } : { prefix: { [field]: { value } } },
      );
    case 'contains':
      return terms.map((text) => ({ wildcard: { [field]: { value: `*${escaped(text)}*` } } }));
    case 'days': {
      const range = {
        ...(from === undefined ? {} : { gte: from }),
        ...(to === undefined ? {} : { lte: to }),
      };
      return [Object.keys(range).length === 0 ? { exists: { field } } : { range: { [field]: range } }];
    }
    default:
      throw new Error(`no column has the test ${test}`);
  }
}

/** A query that holds if one of several does; of none, for no document. */
export function any(queries: readonly Json[]): Json {
  if (queries.length === 1) return queries[0]!;
  if (queries.length === 0) return { match_none: {} };
  return { bool: { should: queries, minimum_should_match: 1 } };
}

/** A text for a wildcard query, in which nothing is a wildcard. */
function escaped(text: string): string {
  return text.replace(/[\\*?]/g, '\\$&');
}
