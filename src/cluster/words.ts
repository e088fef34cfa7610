/**
 * The lexical score on the cluster: that of native/core/src/lexical/score.rs, with its numbers. The cluster counts how many
 * documents hold each word of the question, and how often; the score is a query that is made of these numbers.
 */
import type { TranslationForm, TranslationShares, UsedWord, WordForms } from '../index/native.js';
import type { Json, OneState } from './client.js';
import {
  formsIn,
  occurrences,
  ownQuery,
  should,
  termsOf,
  translatedParts,
  translationsQuery,
} from './forms.js';
import { LEXICAL } from './lexical-fit.js';
import { PARTS, type Part } from './mapping.js';
import type { Totals } from './totals.js';

/** Words whose documents are counted, at most: the rarest by an estimate. As in the embedded engine. */
const MOST_COUNTED = 2 * LEXICAL.mostWords;
/** Queries that one request counts. */
const COUNTS_EACH = 500;

/** The words that are scored, and the query whose score is the lexical score. */
export interface LexicalQuery {
  used: UsedWord[];
  /** Undefined if no document holds a word. */
  query: Json | undefined;
}

type Collection = Pick<Totals, 'documents' | 'average'>;

/** A word with the number of documents that hold it. */
interface Counted {
  at: number;
  word: WordForms;
  documents: number;
  /** Whether documents hold the word itself; otherwise they hold a translation. */
  isHeld: boolean;
}

/** The lexical score of a question. */
export async function lexicalQuery(
  state: OneState,
  collection: Collection,
  words: readonly WordForms[],
  translated: TranslationShares,
): Promise<LexicalQuery> {
  const looked = new Translations();
  const all = await estimated(state, words, collection);
  const rare = all.filter(({ isCommon }) => !isCommon);
  let found = await counted(state, rare, looked);
  if (found.every(({ documents }) => isCommon(documents, collection))) {
    found = await counted(state, all, looked);
  }
  const chosen = chosenOf(found, collection);
  const greatest = chosen.reduce((sum, word) => sum + mostOf(word, collection), 0);
  const translations = chosen.map(({ word }) => looked.of(word));
  const ways = chosen.map((word, n) => waysOf(word, translations[n]!, collection, translated));
  const [fading, holding] = await Promise.all([
    fadingOf(state, ways),
    holdingOf(state, chosen, translations),
  ]);
  const used = chosen.map((word, n): UsedWord => {
    const { at, documents } = word;
    const { text, from, to, isExtra } = word.word;
    const share = mostOf(word, collection) / greatest;
    return { text, from, to, word: at, documents, holding: holding[n]!, share, isExtra };
  });
  const queries = ways.map((of, n): Json => {
    const gain = used[n]!.share / (LEXICAL.k1 + 1 + LEXICAL.delta);
    const values = of.map((way) => valueQuery(way, gain, fading[n]!));
    return values.length === 1 ? values[0]! : { dis_max: { queries: values } };
  });
  return { used, query: queries.length === 0 ? undefined : should(queries) };
}

/** A way in which documents hold a word: itself, or a translation. */
interface Way {
  /** Its score is the tf. */
  counting: Json;
  /** Share of the word's weight. */
  share: number;
  /** The least that it gives a document, of a gain of 1. */
  least: number;
}

function waysOf(
  { word, isHeld, documents }: Counted,
  translations: readonly TranslationForm[],
  collection: Collection,
  translated: TranslationShares,
): Way[] {
  const others = translations.map(({ terms, isLong }): Way => {
    const share = isLong ? translated.long : translated.word;
    return { counting: should(phraseTerms(terms, collection)), share, least: 0 };
  });
  if (!isHeld) return others;
  const { prominent, rareShare, k1, delta } = LEXICAL;
  const least = documents <= prominent ? rareShare * (k1 + 1 + delta) : 0;
  return [{ counting: should(wordTerms(word, collection)), share: 1, least }, ...others];
}

/** Numbers of documents that hold each word or a translation of it. */
async function holdingOf(
  state: OneState,
  chosen: readonly Counted[],
  translations: readonly (readonly TranslationForm[])[],
): Promise<number[]> {
  const inBoth = chosen.map(({ isHeld }, n) => isHeld && translations[n]!.length > 0);
  const asked = chosen.flatMap(({ word }, n) =>
    inBoth[n] ? [should([ownQuery(word), translationsQuery(translations[n]!)])] : [],
  );
  const counts = (await countsOf(state, asked)).values();
  return chosen.map(({ documents }, n) => (inBoth[n] ? counts.next().value! : documents));
}

/** The number `fading` of native/core/src/lexical/score.rs for each word, from the documents that hold it most prominently. */
async function fadingOf(state: OneState, ways: readonly (readonly Way[])[]): Promise<number[]> {
  const bodies = new Map<string, Json>();
  const keyOf = (counting: Json) => JSON.stringify(counting);
  for (const { counting } of ways.flat()) {
    const body = { size: LEXICAL.prominent, _source: false, track_total_hits: false, query: counting };
    bodies.set(keyOf(counting), body);
  }
  const answers = await state.searchAll([...bodies.values()]);
  const scores = answers.map(({ hits }) => hits.hits.map(({ _score }) => _score ?? 0));
  const known = new Map([...bodies.keys()].map((key, n) => [key, scores[n]!]));
  return ways.map((of) => {
    const tfs = of.flatMap(({ counting, share }) => known.get(keyOf(counting))!.map((tf) => share * tf));
    const prominent = tfs.sort((a, b) => b - a)[LEXICAL.prominent - 1] ?? 0;
    return LEXICAL.passing * prominent;
  });
}

/** A word before its documents are counted. */
interface Estimated {
  at: number;
  word: WordForms;
  /** Whether documents have all terms of one of its forms. */
  mayBeHeld: boolean;
  /** Whether it is common for sure. */
  isCommon: boolean;
}

/** The words that documents may hold, the rarest first by an estimate; in their order if all can be counted. */
async function estimated(
  state: OneState,
  words: readonly WordForms[],
  collection: Collection,
): Promise<Estimated[]> {
  const all = words.map((word, at): Estimated => ({ at, word, mayBeHeld: true, isCommon: false }));
  if (words.length <= MOST_COUNTED) return all;
  const frequency = await frequenciesOf(state, words);
  const weighed = all.flatMap((one) => {
    const frequencies = PARTS.flatMap((part) =>
      formsIn(one.word.forms, part).map(({ terms }) => termsOf(terms).map((term) => frequency(part, term))),
    ).filter((of) => of.every((count) => count > 0));
    const sum = frequencies.reduce((total, of) => total + Math.min(...of), 0);
    const most = Math.min(sum, collection.documents);
    if (most === 0 && one.word.translations.length === 0) return [];
    const least = Math.max(0, ...frequencies.filter(({ length }) => length === 1).flat());
    const found = { ...one, mayBeHeld: most > 0, isCommon: isCommon(least, collection) };
    return [{ found, weight: one.word.boost * idf(most, collection) }];
  });
  return weighed.sort((a, b) => b.weight - a.weight || a.found.at - b.found.at).map(({ found }) => found);
}

/** Numbers of documents that hold each term of some words in a part. */
async function frequenciesOf(
  state: OneState,
  words: readonly WordForms[],
): Promise<(part: Part, term: string) => number> {
  const keys = new Map<string, Json>();
  for (const part of PARTS) {
    const terms = words.flatMap(({ forms }) => formsIn(forms, part).flatMap((form) => termsOf(form.terms)));
    for (const term of terms) keys.set(`${part} ${term}`, occurrences(term, part));
  }
  const counts = await countsOf(state, [...keys.values()]);
  const known = new Map([...keys.keys()].map((key, n) => [key, counts[n]!]));
  return (part, term) => known.get(`${part} ${term}`) ?? 0;
}

/** Counts the documents of the first words of a list that documents hold, or hold a translation of. */
async function counted(
  state: OneState,
  words: readonly Estimated[],
  looked: Translations,
): Promise<Counted[]> {
  const taken: Estimated[] = [];
  let own = 0;
  for (const word of words) {
    own += Number(word.mayBeHeld);
    if (own > MOST_COUNTED) break;
    taken.push(word);
  }
  const holding = await countsOf(
    state,
    taken.map(({ word }) => ownQuery(word)),
  );
  const translations = taken.map(({ word }, n) => (holding[n] === 0 ? looked.of(word) : []));
  const others = await othersOf(state, translations);
  return taken
    .map(({ at, word }, n): Counted => {
      const isHeld = holding[n]! > 0;
      return { at, word, isHeld, documents: isHeld ? holding[n]! : others[n]! };
    })
    .filter(({ documents }) => documents > 0);
}

/** Numbers of documents that hold one of several translations of a word; of words without any, 0 unasked. */
async function othersOf(
  state: OneState,
  translations: readonly (readonly TranslationForm[])[],
): Promise<number[]> {
  const asked = translations.filter(({ length }) => length > 0);
  const counts = (await countsOf(state, asked.map(translationsQuery))).values();
  return translations.map(({ length }) => (length > 0 ? counts.next().value! : 0));
}

/** The translations of a question that are looked for: each once, a limited number. */
class Translations {
  readonly #known = new Set<string>();

  of({ translations }: WordForms): TranslationForm[] {
    return translations.filter(({ terms }) => {
      if (!this.#known.has(terms) && this.#known.size < LEXICAL.mostTranslations) this.#known.add(terms);
      return this.#known.has(terms);
    });
  }
}

/** The words to score, rarest first: without common ones if others remain. */
function chosenOf(found: readonly Counted[], collection: Collection): Counted[] {
  const rare = found.filter(({ documents }) => !isCommon(documents, collection));
  const weight = (word: Counted) => word.word.boost * idf(word.documents, collection);
  return (rare.length > 0 ? rare : [...found])
    .sort((a, b) => weight(b) - weight(a) || a.at - b.at)
    .slice(0, LEXICAL.mostWords);
}

function isCommon(holding: number, { documents }: Collection): boolean {
  return documents >= LEXICAL.commonFrom && holding > LEXICAL.common * documents;
}

function idf(holding: number, { documents }: Collection): number {
  return Math.log(1 + Math.max(documents - holding + 0.5, 0.5) / (holding + 0.5));
}

/** The greatest score that a word can give. */
function mostOf({ word, documents }: Counted, collection: Collection): number {
  return word.boost * idf(documents, collection) * (LEXICAL.k1 + 1 + LEXICAL.delta);
}

const TERM_FREQUENCY =
  '_score * params.weight / (1.0 - params.b + params.b * doc[params.length].value / params.average)';
const VALUE =
  'params.gain * Math.max((double)params.least, _score * (params.k1 + 1.0) / (_score + params.k1) + ' +
  'params.delta * (1.0 - params.share * params.fading / (_score + params.fading)))';

/** Scores by the weighted occurrences that the query of a way counts. */
function valueQuery({ counting, share: ofWord, least }: Way, gainOfWord: number, fading: number): Json {
  const { k1, delta, fading: share } = LEXICAL;
  const params = { gain: gainOfWord * ofWord, k1, delta, share, fading, least };
  return { script_score: { query: counting, script: { source: VALUE, params } } };
}

function wordTerms({ forms }: WordForms, collection: Collection): Json[] {
  return PARTS.flatMap((part) => {
    const own = formsIn(forms, part).map(({ terms, weight }) => occurrences(terms, part, weight));
    return own.length === 0 ? [] : [inPart(part, own, collection)];
  });
}

function phraseTerms(terms: string, collection: Collection): Json[] {
  return translatedParts().map((part) => inPart(part, [occurrences(terms, part)], collection));
}

/** Weighs occurrences in a part by its length. */
function inPart(part: Part, counting: Json[], { average }: Collection): Json {
  const { weight, length: b } = LEXICAL.parts.find((fit) => fit.part === part)!;
  const params = { weight, b, length: `lengths.${part}`, average: average[part] };
  return { script_score: { query: should(counting), script: { source: TERM_FREQUENCY, params } } };
}

/** Numbers of documents for which queries hold. */
export async function countsOf(state: OneState, queries: readonly Json[]): Promise<number[]> {
  const counts: number[] = [];
  for (let at = 0; at < queries.length; at += COUNTS_EACH) {
    const bodies = queries
      .slice(at, at + COUNTS_EACH)
      .map((query): Json => ({ size: 0, track_total_hits: true, query: { bool: { filter: [query] } } }));
    for (const { hits } of await state.searchAll(bodies)) counts.push(hits.total!.value);
  }
  return counts;
}
