/**
 * How much the words of a question count beside its meaning.
 *
 * `rerank_score = score of the reranker + W × lexical + language`
 *
 * `lexical` is the lexical score, from 0 to 1 (native/core/src/lexical/score.rs). W depends on the question:
 *
 * - Long questions (an abstract, a claim) hold many words, and documents that share many of them are relevant: W grows with
 *   the number of words that are scored.
 * - A question of a few rare words (`PM2.5`, `metformin`) asks for the documents that hold them: W grows with their rarity.
 * - In between, in a sentence, meaning is the better judge: W of rare words falls with the square of their number.
 *
 * `language` is 0 for a document in the question's language. A document in another language holds translations of the words
 * at best, and few of the same pieces of words. So it gets, half and half,
 *
 * - W × `FIT.foreign`;
 * - what a document of its similarity has on average in the question's language, less what one has on average in the others;
 *   see `languageParts`.
 *
 * If few candidates are in the question's language, it gets the first of the two alone. If the question is a few rare words,
 * its lexical score counts as `FIT.foreign` at least, and nothing more: such a question asks for the words themselves. Words with
 * digits, such as codes and formulae, are written alike in all languages, so for their share of the question it gets nothing.
 */
import type { TranslationShares, UsedWord } from '../index/native.js';
import { WORD_CANDIDATES } from '../limits.js';
import type { Balance } from './query.js';

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
  /**
   * Lexical score that documents in another language get more: about what a document on another subject has in the
   * question's language.
   */
  foreign: 0.16,
  /** Share of the second of the two parts of `language`. */
  whole: 0.5,
  /** Documents of a language that a line is fitted to, at least, and the ridge of its slope. */
  group: 20,
  ridge: 0.01,
  /** Share of a word's weight that a translation of it has. */
  translated: 0.8,
  /**
   * The same in a question of one word: documents that hold the word itself come first, unless those with translations are
   * about it. In a question of several words, that would let one word as it is written outweigh translations of all: with .6
   * for two and three words, too, `cooling fan` prefers a cooling preparation to 风扇及冷却装置.
   */
  translatedAlone: 0.6,
  /**
   * The same for a term of several words, or of four characters of Chinese, Japanese or Korean. It means the same in every
   * document, while `hood` of `range hood` does not.
   */
  translatedLong: 0.9,
  /** W of a short question of rare words, and times (short / number of words)² that of a longer one. */
  rare: 4,
  /**
   * What W of rare words gets in addition, as a share of it, if `few` documents hold them; it falls with the logarithm to 0 at
   * `several`. Without it, `aerogel` brings documents near to its meaning before the two that hold it.
   */
  rarest: 0.5,
  few: 10,
  several: 100,
  /** Words up to which a question is short. */
  short: 3,
  /** Share of the documents that hold a word or a translation up to which it is rare, and from which on it is not at all. */
  rareShare: 0.005,
  commonShare: 0.01,
};

/** How much the lexical score counts for a question. */
export interface LexicalWeight {
  /** W. */
  weight: number;
  /** Whether W is that of a question of a few rare words. */
  rare: boolean;
  /** Share of such a question's weight that words with digits have; 0 for others. */
  codes: number;
}

/** The weight of the lexical score for a question. @param documents number of documents of the index */
export function lexicalWeight(used: readonly UsedWord[], documents: number): LexicalWeight {
  const long = Math.min(FIT.most, (used.length - FIT.sentence) * FIT.perWord);
  const ordinary = Math.max(FIT.least, long);
  const whole = wholeWords(used);
  const rare =
    FIT.rare *
    meanOf(whole, (word) => rarity(word, documents) * (1 + FIT.rarest * fewness(word))) *
    Math.min(1, FIT.short / whole.length) ** 2;
  if (!(rare > ordinary)) return { weight: ordinary, rare: false, codes: 0 };
  if (whole.length > FIT.short) return { weight: rare, rare: false, codes: 0 };
  return { weight: rare, rare: true, codes: meanOf(whole, ({ text }) => Number(/\p{N}/u.test(text))) };
}

/** The shares of a word's weight that a translation has. @param words number of words of the question */
export function translationShares(words: number): TranslationShares {
  return { word: words <= 1 ? FIT.translatedAlone : FIT.translated, long: FIT.translatedLong };
}

/**
 * Number of documents with words that become candidates; with `balance`, of each group.
 * @param words number of words of the question
 */
export function wordCandidates(words: number, balance?: Balance): number {
  const most = words <= FIT.short ? WORD_CANDIDATES.short : WORD_CANDIDATES.others;
  // Of a group, an answer by turns seldom shows more than half as many.
  return balance === undefined ? most : most / 2;
}

/**
 * The words that are no part of another: a word of a script without spaces is scored as a whole and by its pairs of characters. Two
 * words beside each other and an acronym with its stems are no word, unless nothing else is scored.
 */
function wholeWords(used: readonly UsedWord[]): UsedWord[] {
  const single = used.filter(({ isExtra }) => !isExtra);
  const words = single.length > 0 ? single : used;
  const isPart = ({ from, to }: UsedWord) =>
    words.some((other) => other.from <= from && to <= other.to && other.to - other.from > to - from);
  return words.filter((word) => !isPart(word));
}

/**
 * How rare a word is, from 1 to 0: between the two shares of documents it falls with the logarithm. Documents with a translation
 * count, too: in a collection in Korean, few documents hold any English word.
 */
function rarity({ holding }: UsedWord, documents: number): number {
  const [rare, common] = [FIT.rareShare, FIT.commonShare].map((share) => Math.max(1, documents * share));
  if (holding <= rare!) return 1;
  return holding >= common! ? 0 : Math.log(common! / holding) / Math.log(common! / rare!);
}

/** How few documents hold a word, from 1 to 0, whatever the size of the index. */
function fewness({ documents: holding }: UsedWord): number {
  const share = Math.log(FIT.several / Math.max(1, holding)) / Math.log(FIT.several / FIT.few);
  return Math.min(1, Math.max(0, share));
}

/** The mean of a property of some words, by their weights. */
function meanOf(words: readonly UsedWord[], property: (word: UsedWord) => number): number {
  const sum = (of: (word: UsedWord) => number) =>
    words.reduce((total, word) => total + word.share * of(word), 0);
  return sum(property) / sum(() => 1);
}

/** Candidates with the scores that are fused. All arrays have an entry for each candidate. */
export interface Scored extends LexicalWeight {
  /** Scores of the reranker. */
  reranker: Float32Array;
  /** Lexical scores, from 0 to 1. */
  lexical: Float32Array;
  /** Inner products with the question. */
  similarity: Float32Array;
  /** 1 for a document in another language than the question. Absent: the languages are unknown. */
  foreign?: Uint8Array | undefined;
}

/** The fused score of each candidate, and its part `language`. */
export interface Fused {
  scores: Float32Array;
  language: Float32Array;
}

export function fuse(scored: Scored): Fused {
  const plain = plainOf(scored);
  const language = languageParts(scored, plain);
  return { scores: fuseAgain(scored, language), language };
}

/** The fused scores with the scores of a further round of reranking, which do not change the part `language`. */
export function fuseAgain(
  scored: Pick<Scored, 'reranker' | 'lexical' | 'weight'>,
  language: Float32Array,
): Float32Array {
  return plainOf(scored).map((score, n) => score + language[n]!);
}

/** Scores without the part `language`. */
function plainOf({
  reranker,
  lexical,
  weight,
}: Pick<Scored, 'reranker' | 'lexical' | 'weight'>): Float32Array {
  return reranker.map((score, n) => score + weight * lexical[n]!);
}

/** The part `language` of each candidate. @param plain scores without it */
function languageParts(scored: Scored, plain: Float32Array): Float32Array {
  const { lexical, similarity, foreign, weight, rare, codes } = scored;
  const parts = new Float32Array(plain.length);
  if (foreign === undefined) return parts;
  const places = Array.from(foreign, (_, n) => n);
  const own = places.filter((n) => !foreign[n]);
  const others = places.filter((n) => foreign[n]);
  if (rare) {
    const least = FIT.foreign * (1 - codes);
    for (const n of others) parts[n] = weight * Math.max(0, least - lexical[n]!);
    return parts;
  }
  const least = weight * FIT.foreign;
  if (own.length < FIT.group) {
    for (const n of others) parts[n] = least;
    return parts;
  }
  const [ownScore, otherScore] = [fittedLine(own, similarity, plain), fittedLine(others, similarity, plain)];
  for (const n of others) {
    const average = ownScore(similarity[n]!) - otherScore(similarity[n]!);
    parts[n] = (1 - FIT.whole) * least + FIT.whole * average;
  }
  return parts;
}

/** A line through points by least squares; through their mean if they are few. @param of the places of the points */
function fittedLine(of: readonly number[], xs: Float32Array, ys: Float32Array): (x: number) => number {
  const mean = (values: Float32Array) => of.reduce((sum, n) => sum + values[n]!, 0) / Math.max(1, of.length);
  const [meanX, meanY] = [mean(xs), mean(ys)];
  if (of.length < FIT.group) return () => meanY;
  let [products, squares] = [0, 0];
  for (const n of of) {
    products += (xs[n]! - meanX) * (ys[n]! - meanY);
    squares += (xs[n]! - meanX) ** 2;
  }
  const slope = products / (squares + FIT.ridge);
  return (x) => meanY + slope * (x - meanX);
}
