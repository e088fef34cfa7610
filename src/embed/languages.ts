/**
 * One scale of similarity for every pair of languages. The cosine of a question and a passage in another language is
 * lower than that of equally near texts in one language, by an amount that belongs to the pair. A model may keep
 * some of its dimensions free of meaning and state a table; then the table goes into the vectors themselves:
 *
 *     passage in l:  (p · scale_l,  0 … sqrt(1 - scale_l²) at l … 0,  0)
 *     question in k: (q · scale_k,  bias_k1 … bias_kn,  rest)
 *
 * Both have length 1, and their inner product is `scale_k · scale_l · cosine + sqrt(1 - scale_l²) · bias_kl`. So
 * nearest neighbours, thresholds and the similarity shown all go by one scale, whatever plan a search takes.
 */

/** What a model's description says of languages; `models/static/FORMAT.md`. */
export interface LanguageTable {
  /** Languages in the order of their dimensions; the first is that of a text without letters. */
  names: Language[];
  /** First free dimension: one for each language, then one that brings questions to length 1. */
  first: number;
  /** Scale of passages, a language each. */
  passage: number[];
  /** Of questions, a language each: their scale, and their bias towards passages of each language. */
  query: { scale: number; bias: number[] }[];
}

/** What a model's description says of its cohort, texts of patents that come with it. */
export interface CohortUse {
  /** How many of the cohort's best count. */
  nearest: number;
  /** Share of their mean inner product with a question that is taken off its scores. */
  share: number;
  /** That mean for an average question. */
  mean: number;
  /** What it counts as at least: a question to which nothing is near asks for no patents. */
  least: number;
}

export type Language = 'latin' | 'ko' | 'ja' | 'zh';

const LANGUAGES: readonly string[] = ['latin', 'ko', 'ja', 'zh'] satisfies Language[];

/** Characters that are looked at to tell a text's language. */
const LOOKED_AT = 4000;

/**
 * The language of a text, by its letters: Korean from a fifth of Hangul on, else Japanese or Chinese from a fifth of
 * Kana and Han on, Japanese if a twentieth of those is Kana. Everything else counts as Latin script.
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

/** Brings passages' vectors, which have length 1 and nothing in the free dimensions, onto the common scale. In place. */
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

/** The same for questions' vectors. In place. */
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

/** Changes every row that is not zero, knowing the place of its text's language in the table. */
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

/** What brings a question to length 1. */
const restOf = (scale: number, bias: readonly number[]): number =>
  Math.sqrt(Math.max(0, 1 - scale ** 2 - bias.reduce((sum, b) => sum + b ** 2, 0)));

const isZero = (row: Float32Array): boolean => row.every((x) => x === 0);

/** What is wrong with a table, for a model of so many dimensions; undefined if nothing is. */
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
