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
import { WORD_CANDIDATES } from '../limits.js';

/** The candidates of a search. */
export interface Candidates {
  /** Those of the vectors, then those that only the words found. */
  hits: SearchHits;
  /** Lexical score of each document, from 0 to 1; undefined if the question has no word that a document holds. */
  lexical?: Float32Array;
  /** The words that were scored. */
  used: UsedWord[];
  /** Documents that only the words found. */
  added: number;
}

/** The words of a question. */
export function wordsOf(question: string): Words {
  return native.Words.ofQuestion(question);
}

/** Adds the documents that hold the question's words to those that a search by vectors found. */
export function withWords(
  snapshot: NativeSnapshot,
  words: Words,
  vector: Float32Array,
  selection: Selection,
  hits: SearchHits,
  options: SearchOptions,
): Candidates {
  if (words.count === 0) return { hits, used: [], added: 0 };
  const found = snapshot.searchWords(words, vector, selection, hits.docs, {
    ...options,
    documents: WORD_CANDIDATES,
  });
  if (found.used.length === 0) return { hits, used: [], added: 0 };
  return {
    hits: joined(hits, found.others),
    lexical: concat(found.scores, found.otherScores),
    used: found.used,
    added: found.others.docs.length,
  };
}

function joined(first: SearchHits, second: SearchHits): SearchHits {
  const passagesBefore = first.passages.length;
  const ends = second.passageAt.subarray(1).map((at) => at + passagesBefore);
  return {
    ...first,
    docs: concatIds(first.docs, second.docs),
    scores: concat(first.scores, second.scores),
    passageAt: concatIds(first.passageAt, ends),
    passages: concatIds(first.passages, second.passages),
    passageScores: concat(first.passageScores, second.passageScores),
  };
}

function concat(first: Float32Array, second: Float32Array): Float32Array {
  const all = new Float32Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

function concatIds(first: Uint32Array, second: Uint32Array): Uint32Array {
  const all = new Uint32Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
