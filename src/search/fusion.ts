/**
 * How much the words of a question count beside its meaning.
 *
 * `rerank_score = score of the reranker + W × lexical`
 *
 * `lexical` is the lexical score, from 0 to 1 (native/core/src/lexical/score.rs). Documents in another language than the
 * question cannot hold its words, so each gets at least `FIT.foreign`, about what a document on another subject gets in the
 * question's own language. W depends on the question:
 *
 * - Long questions (an abstract, a claim) hold many words, and documents that share many of them are relevant: W grows with
 *   the number of words that are scored.
 * - A question of a few rare words (`PM2.5`, `metformin`) asks for the documents that hold them: W grows with their rarity.
 * - In between, in a sentence, meaning is the better judge.
 */
import type { UsedWord } from '../index/native.js';

/** `npm run bench -- quality` measures these values; README.md of models/static tells how they were fitted. */
export const FIT = {
  /** W of a sentence. */
  least: 0.3,
  /** W of each scored word above `sentence`, and the greatest W. */
  perWord: 0.15,
  sentence: 4,
  most: 3,
  /** Least lexical score of documents in another language. */
  foreign: 0.13,
  /** W of a short question of rare words; see `shortness`. */
  rare: 1.5,
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

/** Share of a short question's weight that its rare words have; 0 for a longer one. */
function rareShareOf(used: readonly UsedWord[], documents: number): number {
  if (used.length > FIT.short) return 0;
  const isRare = (word: UsedWord) => word.documents <= Math.max(1, documents * FIT.rareShare);
  return used.filter(isRare).reduce((sum, { share }) => sum + share, 0);
}

/** The lexical scores that count. @param foreign 1 for a document in another language than the question */
export function counting(lexical: Float32Array, foreign: Uint8Array | undefined): Float32Array {
  return lexical.map((score, n) => (foreign?.[n] ? Math.max(score, FIT.foreign) : score));
}
