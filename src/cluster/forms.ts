/** How documents may hold a word, as queries of the cluster whose score counts its occurrences. */
import type { TranslationForm, WordForm, WordForms } from '../index/native.js';
import type { Json } from './client.js';
import { LEXICAL } from './lexical-fit.js';
import { PARTS, type Part } from './mapping.js';

/** A query that holds for documents that hold a word or a translation of it. */
export function heldQuery(word: WordForms): Json {
  const translated = translatedParts();
  const formsOf = (part: Part) => [
    ...formsIn(word.forms, part),
    ...(translated.includes(part) ? word.translations : []),
  ];
  return should(PARTS.flatMap((part) => oneOf(formsOf(part), part)));
}

/** A query that holds for documents that hold a word, without its translations. */
export function ownQuery({ forms }: WordForms): Json {
  return should(PARTS.flatMap((part) => oneOf(formsIn(forms, part), part)));
}

/** A query that holds for documents that hold one of several translations. */
export function translationsQuery(translations: readonly TranslationForm[]): Json {
  return should(translatedParts().flatMap((part) => oneOf(translations, part)));
}

/** The forms of a word that are looked for in a part. */
export function formsIn(forms: readonly WordForm[], part: Part): WordForm[] {
  return forms.filter(({ place }) => place === 'all' || (place === 'names') === (part === 'names'));
}

export function translatedParts(): Part[] {
  return LEXICAL.parts.filter(({ translated }) => translated).map(({ part }) => part);
}

/**
 * Queries that hold for documents with one of several terms or phrases in a part. All single terms are one query: a cluster
 * takes 1,024 in a search.
 */
function oneOf(forms: readonly { terms: string }[], part: Part): Json[] {
  const single = forms.filter(({ terms }) => termsOf(terms).length === 1);
  const several = forms.filter(({ terms }) => termsOf(terms).length > 1);
  const queries = several.map(({ terms }) => occurrences(terms, part));
  if (single.length > 0) queries.push({ terms: { [fieldOf(part)]: single.map(({ terms }) => terms) } });
  return queries;
}

/** A query that holds for documents with a term or phrase in a part. Its score is `weight` for each occurrence. */
export function occurrences(terms: string, part: Part, weight = 1): Json {
  const field = fieldOf(part);
  const { length: count } = termsOf(terms);
  if (count === 1) return { term: { [field]: { value: terms, boost: weight } } };
  // The similarity of a phrase is the sum of those of its terms.
  return { match_phrase: { [field]: { query: terms, boost: weight / count } } };
}

function fieldOf(part: Part): string {
  return `terms.${part}`;
}

/** The terms of a phrase. */
export function termsOf(phrase: string): string[] {
  const terms = phrase.split(' ').flatMap((position) => position.split('\u0003'));
  return terms.filter((term) => term !== '\u0004');
}

export function should(queries: readonly Json[]): Json {
  if (queries.length === 0) return { match_none: {} };
  return { bool: { should: queries, minimum_should_match: 1 } };
}
