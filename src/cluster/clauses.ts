/** Filter clauses as queries of the cluster. The clauses are those of the embedded engine (src/search/filter.ts). */
import { type FilterClause, native } from '../index/native.js';
import { WORDS } from '../search/filter-rows.js';
import type { Json } from './client.js';
import { heldQuery } from './forms.js';
import { PREFIX_MAX, PREFIXED } from './mapping.js';

const COLUMN = 'columns.';

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
  return any(fields.flatMap((field) => onField(field, clause)));
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
