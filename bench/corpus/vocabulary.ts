/**
 * The words of the generated texts: pieces of the static model, by language. A *concept* is an English word with the
 * closest words in each language, so that texts on the same concepts in two languages have vectors as close as the model
 * places translations. No words come from documents.
 */
import { FaissIndex } from '../../src/index/faiss.js';
import { type Pieces, readPieces } from './pieces.js';

export const LANGUAGES = ['en', 'ko', 'ja', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The vocabulary. Can be cloned to a worker. */
export interface Vocabulary {
  concepts: number;
  /** Words by language and concept, closest first. */
  words: Record<Language, string[][]>;
  /** Concepts close to each: concepts × NEAR, closest first. */
  near: Uint16Array;
  /** Common words of each language, weighted by their frequency in patents. */
  common: Record<Language, { words: string[]; weights: Float64Array }>;
}

export const NEAR = 24;
const CONCEPTS = 6_000;
/** Number of words in a language that are compared with a concept. */
const COMPARED = 16_000;
const WORDS_PER_CONCEPT = 3;
const COMMON = 30_000;
/** Weight of a Japanese word that is also Chinese: its frequency counts both, and most of the text was Chinese. */
const SHARED_WITH_CHINESE = 0.2;
/** Minimum IDF of a concept's words. */
const IDF_LEAST = 0.5;

let read: Vocabulary | undefined;

/** The vocabulary, made once a process in one or two seconds. */
export function readVocabulary(): Vocabulary {
  read ??= makeVocabulary();
  return read;
}

function makeVocabulary(): Vocabulary {
  const pieces = readPieces();
  const lists = Object.fromEntries(
    LANGUAGES.map((language) => [language, wordsOf(pieces, IS_WORD[language])]),
  ) as Record<Language, Word[]>;
  const meaningful = (language: Language) =>
    lists[language].filter(({ id, text }) => pieces.idf[id]! >= IDF_LEAST && isContent(text));
  // The most frequent words belong to no field.
  const concepts = meaningful('en').slice(200, 200 + CONCEPTS);
  const questions = rowsOf(pieces, concepts);
  return {
    concepts: concepts.length,
    words: Object.fromEntries(
      LANGUAGES.map((language) => [
        language,
        closest(pieces, meaningful(language).slice(0, COMPARED), questions),
      ]),
    ) as Vocabulary['words'],
    near: Uint16Array.from(
      nearest(pieces, concepts, questions, NEAR + 1).flatMap((list) => list.slice(1, NEAR + 1)),
    ),
    common: Object.fromEntries(
      LANGUAGES.map((language) => {
        const list = lists[language].slice(0, COMMON);
        const weights = Float64Array.from(
          list,
          ({ id, text }) =>
            Math.exp(pieces.scores[id]!) *
            (language === 'ja' && isWrittenIn(CHINESE, text) ? SHARED_WITH_CHINESE : 1),
        );
        return [language, { words: list.map(({ text }) => text), weights }];
      }),
    ) as Vocabulary['common'],
  };
}

interface Word {
  id: number;
  text: string;
}

/** Whether a piece is a word of a language. `text` is without the mark of a word's start; `begins`: it had the mark. */
const IS_WORD: Record<Language, (text: string, begins: boolean) => boolean> = {
  en: (text, begins) => begins && /^[a-z]{2,}$/.test(text),
  ko: (text) => /^\p{Script=Hangul}+$/u.test(text),
  ja: (text) => /^[\p{Script=Hiragana}\p{Script=Katakana}ー]+$/u.test(text) || isWrittenIn(JAPANESE, text),
  zh: (text) => isWrittenIn(CHINESE, text),
};

/** The ideographs of a language: the Han characters of its double-byte encoding. */
function ideographs(encoding: string, lead: [number, number], trail: [number, number]): ReadonlySet<string> {
  const decoder = new TextDecoder(encoding);
  const found = new Set<string>();
  for (let a = lead[0]; a <= lead[1]; a++) {
    for (let b = trail[0]; b <= trail[1]; b++) {
      const text = decoder.decode(Uint8Array.of(a, b));
      if (/^\p{Script=Han}$/u.test(text)) found.add(text);
    }
  }
  return found;
}

const JAPANESE = ideographs('shift_jis', [0x88, 0xea], [0x40, 0xfc]);
const CHINESE = ideographs('gb18030', [0xb0, 0xf7], [0xa1, 0xfe]);

function isWrittenIn(set: ReadonlySet<string>, text: string): boolean {
  return text !== '' && [...text].every((sign) => set.has(sign));
}

/** Whether a word has a meaning of its own. Single letters and syllables do not. */
function isContent(text: string): boolean {
  return text.length >= (/[a-z]/.test(text) ? 4 : 2);
}

/** The words of a language, most frequent first. */
function wordsOf(pieces: Pieces, isWord: (text: string, begins: boolean) => boolean): Word[] {
  const found: Word[] = [];
  pieces.texts.forEach((piece, id) => {
    const begins = piece.startsWith(pieces.wordStart);
    const text = begins ? piece.slice(pieces.wordStart.length) : piece;
    if (isWord(text, begins)) found.push({ id, text });
  });
  return found.sort((a, b) => pieces.scores[b.id]! - pieces.scores[a.id]! || a.id - b.id);
}

function rowsOf({ direction, dimensions }: Pieces, words: readonly Word[]): Float32Array {
  const found = new Float32Array(words.length * dimensions);
  words.forEach(({ id }, n) => {
    direction(id, found.subarray(n * dimensions, (n + 1) * dimensions));
  });
  return found;
}

/** Indexes of the words closest to each row. */
function nearest(pieces: Pieces, words: readonly Word[], rows: Float32Array, k: number): number[][] {
  const index = new FaissIndex('ivf-flat', pieces.dimensions, { nlist: 64, threads: 1 });
  const all = rowsOf(pieces, words);
  index.train(all);
  index.add(all);
  const { labels } = index.search(rows, k, { nprobe: 8 });
  return Array.from({ length: labels.length / k }, (_, n) => [...labels.subarray(n * k, (n + 1) * k)]);
}

function closest(pieces: Pieces, words: readonly Word[], rows: Float32Array): string[][] {
  return nearest(pieces, words, rows, WORDS_PER_CONCEPT).map((list) => list.map((at) => words[at]!.text));
}
