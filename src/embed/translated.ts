/**
 * Questions with their translations. The vector of a short question in one language is the sum of few pieces, and some of
 * them are rare: those of `exoskeleton` are near to water tubes. Its translations by the table (models/terms) say the same in
 * other pieces, so their vectors are added.
 */
import { calling, native } from '../index/native.js';
import { openTranslations } from '../index/translations.js';
import { addRows } from './rows.js';

/** How much translations count. */
export interface TranslationUse {
  /** Their weight in a question of up to `full` terms of the table; the question itself has 1. */
  share: number;
  /** In a question of n terms above `full`, the weight is `share` × `full` / n. */
  full: number;
  /** Questions of more terms are not translated: their own pieces say enough. */
  most: number;
}

/** UTF-16 units of a question that is translated, at most: nearly all longer ones have more terms than `most`. */
const LONGEST = 400;

/** Whether a value has the fields of `TranslationUse`, each a positive number. */
export function isTranslationUse(value: Partial<TranslationUse>): value is TranslationUse {
  return [value.share, value.full, value.most].every((x) => Number.isFinite(x) && x! > 0);
}

/**
 * The vectors of questions, each with those of its translations: q + weight × mean of the translations, of length 1.
 * @param embed vectors of texts, each of length 1, or of zeros if the text has no piece
 */
export function embedTranslated(
  embed: (texts: readonly string[]) => Float32Array,
  questions: readonly string[],
  dimensions: number,
  use: TranslationUse,
): Float32Array {
  const translated = questions.map((question) => translationsOf(question, use));
  const vectors = embed([...questions, ...translated.flatMap(({ texts }) => texts)]);
  const rows = vectors.subarray(0, questions.length * dimensions);
  let at = rows.length;
  for (const [n, { weight, texts }] of translated.entries()) {
    const end = at + texts.length * dimensions;
    const row = rows.subarray(n * dimensions, (n + 1) * dimensions);
    if (texts.length > 0) addRows(row, vectors.subarray(at, end), weight / texts.length);
    at = end;
  }
  return rows;
}

/** The translations of a question, one text a language, and the weight of their mean. */
function translationsOf(question: string, use: TranslationUse): { weight: number; texts: string[] } {
  if (question.length > LONGEST) return { weight: 0, texts: [] };
  openTranslations();
  const { terms, texts } = calling(() => native.translatedQuestion(question, use.most));
  return { weight: use.share * Math.min(1, use.full / terms), texts };
}
