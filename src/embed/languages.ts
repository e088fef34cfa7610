/**
 * One scale of similarity for every pair of languages. The cosine of a question and a passage in another language is
 * lower than that of equally similar texts in one language, by an amount that depends on the pair. A model may reserve
 * dimensions for languages and state a table of corrections. Then the vectors themselves carry the corrections:
 *
 *     passage in l:  (p · scale_l,  0 … sqrt(1 - scale_l²) at l … 0,  0)
 *     question in k: (q · scale_k,  bias_k1 … bias_kn,  rest)
 *
 * Both have length 1, and their inner product is `scale_k · scale_l · cosine + sqrt(1 - scale_l²) · bias_kl`. So
 * nearest neighbours, thresholds and the similarity shown use one scale in every plan.
 */

/** The language table in a model's description; see `models/static/FORMAT.md`. */
export interface LanguageTable {
  /** Languages in the order of their dimensions; the first is that of a text without letters. */
  names: Language[];
  /** First reserved dimension: one for each language, then one that brings questions to length 1. */
  first: number;
  /** Scale of passages, by language. */
  passage: number[];
  /** Questions, by language: their scale, and their bias towards passages of each language. */
  query: { scale: number; bias: number[] }[];
}

/** Correction by the model's cohort, a sample of patent texts that is part of the model. */
export interface CohortUse {
  /** Number of the cohort's best texts that count. */
  nearest: number;
  /** Share of their mean inner product with a question that is subtracted from the question's scores. */
  share: number;
  /** That mean for an average question. */
  mean: number;
  /** Lower bound of that mean. A question that no cohort text is close to is not about patents. */
  least: number;
}

export type Language = 'latin' | 'ko' | 'ja' | 'zh';

const LANGUAGES: readonly string[] = ['latin', 'ko', 'ja', 'zh'] satisfies Language[];

/** Characters read to detect a text's language. */
const LOOKED_AT = 4000;

/**
 * Detects the language of a text by its letters. Korean: at least a fifth is Hangul. Japanese or Chinese: at least a
 * fifth is Kana and Han; Japanese if a twentieth of those is Kana. Any other text counts as Latin script.
 */
export function languageOf(text: string): Language {
  let [latin, hangul, kana, han] = [0, 0, 0, 0];
  const end = Math.min(text.length, LOOKED_AT);
  for (let at = 0; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x250) {
      if ((code | 32) >= 97 && (code | 32) <= 122) latin++;
      else if (code >= 0xc0) latin++;
    } else if (code >= 0xac00 && code <= 0xd7a3) hangul++;
    // Decomposed Hangul, as file names of macOS have it.
    else if (code >= 0x1100 && code <= 0x11ff) hangul++;
    else if (code >= 0x4e00 && code <= 0x9fff) han++;
    else if (code >= 0x3041 && code <= 0x30fe) kana++;
    else if (code >= 0x3400 && code <= 0x4dbf) han++;
    else if (code >= 0xff66 && code <= 0xff9d) kana++;
    else if (code >= 0x370 && code <= 0x52f) latin++;
  }
  const asian = kana + han;
  const letters = latin + hangul + asian;
  if (hangul * 5 >= letters && hangul > 0) return 'ko';
  if (asian * 5 < letters || asian === 0) return 'latin';
  return kana * 20 >= asian ? 'ja' : 'zh';
}

/** Brings passages' vectors, of length 1 with zeros in the reserved dimensions, onto the common scale. In place. */
export function scalePassages(
  rows: Float32Array,
  dimensions: number,
  texts: readonly string[],
  table: LanguageTable,
): Float32Array {
  return eachRow(rows, dimensions, texts, table, (row, language) => {
    const scale = table.passage[language]!;
    for (let d = 0; d < table.first; d++) row[d]! *= scale;
    row[table.first + language] = Math.sqrt(1 - scale ** 2);
  });
}

/** Brings questions' vectors onto the common scale. In place. */
export function scaleQueries(
  rows: Float32Array,
  dimensions: number,
  texts: readonly string[],
  table: LanguageTable,
): Float32Array {
  return eachRow(rows, dimensions, texts, table, (row, language) => {
    const { scale, bias } = table.query[language]!;
    for (let d = 0; d < table.first; d++) row[d]! *= scale;
    row.set(bias, table.first);
    row[table.first + bias.length] = restOf(scale, bias);
  });
}

/** Changes every row that is not zero. The callback gets the index of the text's language in the table. */
function eachRow(
  rows: Float32Array,
  dimensions: number,
  texts: readonly string[],
  table: LanguageTable,
  change: (row: Float32Array, language: number) => void,
): Float32Array {
  for (const [n, text] of texts.entries()) {
    const row = rows.subarray(n * dimensions, (n + 1) * dimensions);
    if (!isZero(row)) change(row, table.names.indexOf(languageOf(text)));
  }
  return rows;
}

/** Value of the last reserved dimension, which brings a question to length 1. */
const restOf = (scale: number, bias: readonly number[]): number =>
  Math.sqrt(Math.max(0, 1 - scale ** 2 - bias.reduce((sum, b) => sum + b ** 2, 0)));

const isZero = (row: Float32Array): boolean => row.every((x) => x === 0);

/** The fault of a table for a model of `dimensions` dimensions; undefined if it is valid. */
export function faultOfTable(table: LanguageTable, dimensions: number): string | undefined {
  const { names, first, passage, query } = table;
  const count = names?.length ?? 0;
  const numbers = (list: unknown, length: number): list is number[] =>
    Array.isArray(list) && list.length === length && list.every(Number.isFinite);
  if (!Array.isArray(names) || LANGUAGES.some((name) => !names.includes(name as Language)) || count !== 4) {
    return `its languages are not ${LANGUAGES.join(', ')}`;
  }
  if (!Number.isInteger(first) || first < 1 || first + count + 1 > dimensions) {
    return 'its first dimension for languages leaves no room for them';
  }
  if (!numbers(passage, count) || passage.some((scale) => scale <= 0 || scale > 1)) {
    return 'its scales of passages are not in 0..1';
  }
  const ofQuery = Array.isArray(query) && query.length === count;
  if (!ofQuery || query.some(({ scale, bias }) => !(scale > 0) || !numbers(bias, count))) {
    return 'its scales and biases of questions are not numbers, one for each language';
  }
  if (query.some(({ scale, bias }) => scale ** 2 + bias.reduce((sum, b) => sum + b ** 2, 0) > 1 + 1e-6)) {
    return 'a question would be longer than 1';
  }
  return undefined;
}
