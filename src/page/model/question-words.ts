/** The words of a question that the passages of a result lack. */
import type { HitExplanation } from '../../search/public-types.js';

/** Longer words that say nothing about a subject. Those of up to three letters need no list. */
const EMPTY = new Set(
  (
    'about and avec comprising dans each eine einem einen einer from have into including nach oder pour said such that ' +
    'their this used using what when where wherein which while with wird'
  ).split(' '),
);
const SHORT = /^\p{Ll}{1,3}$/u;
const HAN_OR_KANA = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HIRAGANA = /^\p{Script=Hiragana}+$/u;
/** Letters of a Korean particle, at most: 에서의. */
const PARTICLE = 3;

/**
 * Words of the question, each once, that no match holds: neither the word, nor its beginning before an ending, nor a
 * translation.
 */
export function missingWords(question: string, matches: HitExplanation['matches']): string[] {
  const terms = new Set(matches.map(({ term, translation_of }) => (translation_of ?? term).toLowerCase()));
  const texts = [...terms];
  const words = new Map(wordsOf(question).map((word) => [word.toLowerCase(), word]));
  return [...words].flatMap(([key, word]) => (isHeld(key, terms, texts) ? [] : [word]));
}

function wordsOf(question: string): string[] {
  const parts = new Intl.Segmenter(undefined, { granularity: 'word' }).segment(question);
  return [...parts]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment)
    .filter((word) => !SHORT.test(word) && !EMPTY.has(word.toLowerCase()))
    .filter((word) => !HAN_OR_KANA.test(word) || (word.length > 1 && !HIRAGANA.test(word)));
}

function isHeld(word: string, terms: ReadonlySet<string>, texts: readonly string[]): boolean {
  if (terms.has(word)) return true;
  // A phrase that was found as a whole holds its words.
  if (texts.some((text) => text.includes(word))) return true;
  if (/^[\p{Script=Latin}\p{N}]+$/u.test(word)) return false;
  // Scripts without blanks are found by pairs of characters, and Korean words without their particles.
  const covered = new Array<boolean>(word.length).fill(false);
  for (const text of texts) {
    for (let at = word.indexOf(text); text !== '' && at >= 0; at = word.indexOf(text, at + 1))
      covered.fill(true, at, at + text.length);
  }
  const end = covered.indexOf(false);
  if (end < 0) return true;
  return /^\p{Script=Hangul}+$/u.test(word) && end >= 2 && word.length - end <= PARTICLE;
}
