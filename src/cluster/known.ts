/** What a working set cannot know of itself: counts over all documents, and which documents hold words. */
import { type FilterClause, native } from '../index/native.js';
import { openTranslations } from '../index/translations.js';
import type { FieldCondition } from '../search/filter.js';
import { WORDS } from '../search/filter-rows.js';
import type { SemanticQuery } from '../search/query.js';
import { filterOf, queryOf } from './clauses.js';
import type { Json, OneState } from './client.js';
import { formsIn, occurrences, should, translatedParts } from './forms.js';
import { idsWhere, withIds } from './lookups.js';
import { PARTS } from './mapping.js';
import type { PublicationsInMemory } from './publications.js';
import { countsOf } from './words.js';

/** Publications that one query names. The cluster takes 65,536 terms, and statistics may count more. */
const IDS_EACH = 5_000;

/** Numbers of documents for lists of clauses, by their JSON. */
export async function countsOfAll(
  state: OneState,
  lists: readonly FilterClause[][],
): Promise<Map<string, number>> {
  const queries = lists.map((clauses): Json => ({ bool: { filter: filterOf(clauses) } }));
  const counts = await countsOf(state, queries);
  return new Map(lists.map((clauses, n) => [JSON.stringify(clauses), counts[n]!]));
}

/**
 * The counts that an explained search may show: of each condition by itself, and of the required terms.
 * @param conditions of the filters
 * @param hidden conditions besides those of the filters
 * @param asked conditions of the filters and of the question, if their count is shown, too
 */
export async function knownCounts(
  state: OneState,
  { filters, explain, highlight }: Pick<SemanticQuery, 'filters' | 'explain' | 'highlight'>,
  conditions: readonly FieldCondition[],
  hidden: readonly FieldCondition[],
  asked?: FilterClause[],
): Promise<Map<string, number> | undefined> {
  if (!explain && !highlight) return undefined;
  const translate = filters.translateTerms === true;
  const terms = (filters.values.must_terms ?? []).map((term): FilterClause[] => [
    { column: WORDS, test: 'holds', terms: [term], translate },
  ]);
  const each = [...conditions, ...hidden].map(({ clauses }) => clauses);
  const alone = explain ? [[], conditions.flatMap(({ clauses }) => clauses), ...each] : [];
  if (explain && asked) alone.push(asked);
  return countsOfAll(state, [...terms, ...alone]);
}

/** For each clause on words, the documents of a list that fulfil it. */
export async function fulfilling(
  state: OneState,
  clauses: readonly FilterClause[],
  ids: string[],
): Promise<Map<string, string[]>> {
  const onWords = clauses.filter(({ column }) => column === WORDS);
  const found = await Promise.all(onWords.map((clause) => among(state, ids, queryOf(clause))));
  return new Map(onWords.map((clause, n) => [JSON.stringify(clause), found[n]!]));
}

/** The publications of a list for which a query holds. */
async function among(state: OneState, ids: readonly string[], query: Json): Promise<string[]> {
  const found: string[] = [];
  for (let at = 0; at < ids.length; at += IDS_EACH) {
    found.push(...(await idsWhere(state, [withIds(ids.slice(at, at + IDS_EACH)), query])));
  }
  return found;
}

/** The parts that hold each required term, by document id; see `partsHolding` of the addon. */
export async function partsHeld(
  state: OneState,
  publications: PublicationsInMemory,
  { filters, explain }: SemanticQuery,
  ids: string[],
): Promise<Map<number, number[]> | undefined> {
  const terms = filters.values.must_terms;
  if (terms === undefined || !explain) return undefined;
  const translate = filters.translateTerms === true;
  if (translate) openTranslations();
  const words = native.Words.ofPhrases(terms, translate).forms();
  const parts = new Map<number, number[]>();
  const translated = translatedParts();
  for (const [n, { forms, translations }] of words.entries()) {
    for (const [bit, part] of PARTS.entries()) {
      const own = formsIn(forms, part).map((form) => occurrences(form.terms, part));
      const others = translated.includes(part)
        ? translations.map(({ terms }) => occurrences(terms, part))
        : [];
      for (const id of await among(state, ids, should([...own, ...others]))) {
        const doc = publications.docOf(id)!;
        const held = parts.get(doc) ?? Array<number>(words.length).fill(0);
        held[n]! |= 1 << bit;
        parts.set(doc, held);
      }
    }
  }
  return parts;
}
