/** Sentences about an invention: words of its concepts among those that any patent has. */
import { PASSAGE_WINDOW } from '../../src/ingest/passages.js';
import type { Invention } from './inventions.js';
import { Alias, below, type Random, stream, zipf } from './random.js';
import { LANGUAGES, type Language, type Vocabulary } from './vocabulary.js';

interface Script {
  space: string;
  stop: string;
  /** Characters that fill a passage. */
  window: number;
}

const SCRIPTS: Record<Language, Script> = {
  en: { space: ' ', stop: '. ', window: PASSAGE_WINDOW.latin },
  ko: { space: ' ', stop: '. ', window: PASSAGE_WINDOW.wide },
  ja: { space: '', stop: '。', window: PASSAGE_WINDOW.wide },
  zh: { space: '', stop: '。', window: PASSAGE_WINDOW.wide },
};

/**
 * Part of the words of a paragraph that are the invention's own, at least and at most: some say little. Then the
 * words of a concept, and a reference numeral behind one.
 */
const OWN = [0.12, 0.72] as const;
const FIRST_WORD = 0.65;
const NUMERAL = 0.12;
/** A paragraph is about a few of the concepts; the first ones, of which the title is made, are everywhere. */
const FOCUS = 4;
const FOCUSED = 0.5;
/** Share of the words, of an invention that is about one thing. */
const TITLED = 0.45;
const TITLE = 4;
/** Ordinary words that an author is fond of, and how often one of these is taken. */
const STYLE = 64;
const STYLED = 0.75;

/** Concepts that a question names. */
const QUESTION = { least: 3, more: 8 };
const STYLE_STREAM = 13;

export class Texts {
  readonly #vocabulary: Vocabulary;
  readonly #common: Record<Language, Alias>;
  #style: { key: string; words: number[] } = { key: '', words: [] };

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
    this.#common = Object.fromEntries(
      LANGUAGES.map((language) => [language, new Alias(vocabulary.common[language].weights)]),
    ) as Record<Language, Alias>;
  }

  /** A text that fills so many passages. */
  text(next: Random, language: Language, { concepts, unity, style }: Invention, fill: number): string {
    const { space, stop, window } = SCRIPTS[language];
    const { words } = this.#vocabulary.common[language];
    const common = this.#common[language];
    const focus = Array.from({ length: FOCUS }, () => concepts[zipf(next, concepts.length, 0.7, 3)]!);
    const length = Math.max(2, fill * window);
    const own = OWN[0] + next() * (OWN[1] - OWN[0]);
    const fond = this.#styleOf(language, style);
    const titled = FOCUSED + TITLED * unity;
    let text = '';
    let left = 8 + below(next, 24);
    while (text.length < length) {
      if (next() < own) {
        const about = next();
        const concept =
          about < FOCUSED
            ? focus[below(next, FOCUS)]!
            : concepts[below(next, about < titled ? TITLE : concepts.length)]!;
        text += this.word(next, language, concept);
        if (next() < NUMERAL) text += `${space}${10 + below(next, 300)}`;
      } else text += words[next() < STYLED ? fond[below(next, STYLE)]! : common.draw(next)]!;
      if (--left > 0) text += space;
      else {
        text += stop;
        left = 8 + below(next, 24);
      }
    }
    return text.trim();
  }

  /** Of the invention that is written about, in its language; the next one is another. */
  #styleOf(language: Language, style: number): readonly number[] {
    const key = `${language} ${style}`;
    if (this.#style.key !== key) {
      const next = stream(STYLE_STREAM, style);
      const common = this.#common[language];
      this.#style = { key, words: Array.from({ length: STYLE }, () => common.draw(next)) };
    }
    return this.#style.words;
  }

  /** A title: the first concepts, and little else. */
  title(next: Random, language: Language, concepts: readonly number[], fill: number): string {
    const { space, window } = SCRIPTS[language];
    const { words } = this.#vocabulary.common[language];
    const parts: string[] = [];
    for (let n = 0, length = 0; length < fill * window && n < concepts.length; n++) {
      const word = this.#vocabulary.words[language][concepts[n]!]![0]!;
      parts.push(word, ...(next() < 0.3 ? [words[this.#common[language].draw(next)]!] : []));
      length = parts.join(space).length;
    }
    return parts.join(space);
  }

  /** What somebody may ask who looks for the invention: some of its concepts, in his own words. */
  question(next: Random, language: Language, { concepts }: Invention): string {
    const { space } = SCRIPTS[language];
    const { words } = this.#vocabulary.common[language];
    const count = QUESTION.least + below(next, QUESTION.more);
    const parts: string[] = [];
    for (let n = 0; n < count; n++) {
      const concept = concepts[zipf(next, concepts.length, 0.9, 1)]!;
      parts.push(this.word(next, language, concept));
      if (next() < 0.5) parts.push(words[this.#common[language].draw(next)]!);
    }
    return parts.join(space);
  }

  /** One of a concept's words. */
  word(next: Random, language: Language, concept: number): string {
    const words = this.#vocabulary.words[language][concept]!;
    return words[next() < FIRST_WORD ? 0 : below(next, words.length)]!;
  }
}
