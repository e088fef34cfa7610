/**
 * How much the words of a question count beside its meaning.
 *
 * `rerank_score = score of the reranker + W × lexical`
 *
 * `lexical` is the lexical score, from 0 to 1 (native/core/src/lexical/score.rs). Documents in another language than the
 * question hold only translations of its words, so each gets `FIT.foreign` more, about what a document on another subject gets
 * in the question's own language. W depends on the question:
 *
 * - Long questions (an abstract, a claim) hold many words, and documents that share many of them are relevant: W grows with
 *   the number of words that are scored.
 * - A question of a few rare words (`PM2.5`, `metformin`) asks for the documents that hold them: W grows with their rarity.
 * - In between, in a sentence, meaning is the better judge.
 */
import type { UsedWord } from '../index/native.js';

/**
 * Chosen on the sets of `npm run bench -- quality`, of which only citations and papers have long questions, and KIPRIS and
 * fixtures short ones; and on half of the questions of `exact`. Around these values the measures are flat.
 */
export const FIT = {
  /** W of a sentence. */
  least: 0.1,
  /** W of each scored word above `sentence`, and the greatest W. */
  perWord: 0.13,
  sentence: 8,
  most: 2.1,
  /** What documents in another language get beside the score of the translations that they hold. */
  foreign: 0.12,
  /** Share of a word's weight that a translation of it has. */
  translated: 0.8,
  /**
   * The same in a short question. A word gives a document at least 0.31 of its weight, so those that hold the words themselves
   * come first.
   */
  translatedInShort: 0.3,
  /** W of a short question of rare words; see `rareShareOf`. */
  rare: 5,
  /** Words up to which a question is short. */
  short: 3,
  /** Share of the documents below which a word is rare. */
  rareShare: 0.005,
};

/** The weight of the lexical score for a question. @param documents number of documents of the index */
export function lexicalWeight(used: readonly UsedWord[], documents: number): number {
  const long = Math.min(FIT.most, (used.length - FIT.sentence) * FIT.perWord);
  const rare = FIT.rare * rareShareOf(used, documents);
  return Math.max(FIT.least, long, rare);
}

/** The share of a word's weight that a translation has. @param words number of words of the question */
export function translationShare(words: number): number {
  return words <= FIT.short ? FIT.translatedInShort : FIT.translated;
}

/** Share of a short question's weight that its rare words have; 0 for a longer one. */
function rareShareOf(used: readonly UsedWord[], documents: number): number {
  // A word of a script without spaces is scored as a whole and by its pairs of characters.
  const isPart = (word: UsedWord) =>
    used.some((other) => other.text.length > word.text.length && other.text.includes(word.text));
  const whole = used.filter((word) => !isPart(word));
  if (whole.length > FIT.short) return 0;
  const isRare = (word: UsedWord) => word.documents <= Math.max(1, documents * FIT.rareShare);
  const sum = (words: readonly UsedWord[]) => words.reduce((total, { share }) => total + share, 0);
  return sum(whole.filter(isRare)) / sum(whole);
}

/** The lexical scores that count. @param foreign 1 for a document in another language than the question */
export function counting(lexical: Float32Array, foreign: Uint8Array | undefined): Float32Array {
  return lexical.map((score, n) => (foreign?.[n] ? Math.min(1, score + FIT.foreign) : score));
}
