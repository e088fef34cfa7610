/**
 * The words of a question beside its meaning. Documents that hold its words are candidates beside those whose vectors are
 * near, under the same filters, and their lexical score counts in the order. Similarities, thresholds and counts stay
 * those of the vectors.
 */
import {
  type NativeSnapshot,
  native,
  type SearchHits,
  type SearchOptions,
  type Selection,
  type UsedWord,
  type Words,
} from '../index/native.js';
import { openTranslations } from '../index/translations.js';
import { withoutNumerals } from './codes.js';
import { FIT, translationShares } from './fusion.js';
import { inFront, joinedNumbers } from './hits.js';

/** The candidates of a search. */
export interface WordCandidates {
  /** Those that the question names, those of the vectors, then those that only the words found. */
  hits: SearchHits;
  /** Lexical score of each document, from 0 to 1; undefined if the question has no word that a document holds. */
  lexical?: Float32Array;
  /** The words that were scored. */
  used: UsedWord[];
  /** Documents that only the words found. */
  added: number;
}

/** The words of a question, with what they are in other languages. */
export function wordsOf(question: string): Words {
  openTranslations();
  return native.Words.ofQuestion(withoutNumerals(question), true);
}

/** Whether a question is a term of a few words rather than a sentence. */
export function isShort(question: string): boolean {
  openTranslations();
  const { whole } = native.Words.ofQuestion(question, false);
  return whole > 0 && whole <= FIT.short;
}

/**
 * Adds the documents that hold the question's words to those that were found otherwise, at most `options.documents` of each
 * group.
 * @param groups the documents of each
 * @param hits those that the question names, then those of the vectors
 * @param joined the hits of all groups as one list
 */
export function withWords(
  snapshot: NativeSnapshot,
  words: Words,
  vector: Float32Array,
  groups: Selection[],
  hits: SearchHits,
  options: SearchOptions,
  joined: (lists: SearchHits[]) => SearchHits,
): WordCandidates {
  if (words.count === 0) return onlyVectors(hits);
  const found = snapshot.searchWords(
    words,
    translationShares(words.whole),
    vector,
    groups,
    hits.docs,
    options,
  );
  if (found.used.length === 0) return onlyVectors(hits);
  const others = joined(found.others.map((group) => group.hits));
  const scores = new Map(
    found.others.flatMap(({ hits: { docs }, lexical }) =>
      Array.from(docs, (doc, n): [number, number] => [doc, lexical[n]!]),
    ),
  );
  const otherScores = Float32Array.from(others.docs, (doc) => scores.get(doc)!);
  return {
    hits: inFront(hits, others),
    lexical: joinedNumbers(found.scores, otherScores),
    used: found.used,
    added: others.docs.length,
  };
}

/** Candidates without a lexical score. */
export function onlyVectors(hits: SearchHits): WordCandidates {
  return { hits, used: [], added: 0 };
}
