/** Generates sentences about an invention: words of its concepts among common words. */
import { PASSAGE_WINDOW } from '../../src/ingest/passages.js';
import type { Invention } from './inventions.js';
import { Alias, below, type Random, stream, zipf } from './random.js';
import { LANGUAGES, type Language, type Vocabulary } from './vocabulary.js';

interface Script {
  space: string;
  stop: string;
  /** Characters of a full passage. */
  window: number;
}

const SCRIPTS: Record<Language, Script> = {
  en: { space: ' ', stop: '. ', window: PASSAGE_WINDOW.latin },
  ko: { space: ' ', stop: '. ', window: PASSAGE_WINDOW.wide },
  ja: { space: '', stop: '。', window: PASSAGE_WINDOW.wide },
  zh: { space: '', stop: '。', window: PASSAGE_WINDOW.wide },
};

/**
 * Minimum and maximum share of a paragraph's words that come from the invention's concepts. Then the probabilities that
 * a concept is named by its first word, and that a reference numeral follows it.
 */
const OWN = [0.12, 0.72] as const;
const FIRST_WORD = 0.65;
const NUMERAL = 0.12;
/** Number of concepts that a paragraph is about, and the share of its concept words for them. */
const FOCUS = 4;
const FOCUSED = 0.5;
/** Share of concept words from the title's concepts, for an invention with the narrowest subject; number of these. */
const TITLED = 0.45;
const TITLE = 4;
/** Number of common words that an author prefers, and the share of common words taken from them. */
const STYLE = 64;
const STYLED = 0.75;

/** Number of concepts that a question names. */
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

  /** A text of `fill` passages in length. */
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

  /** The preferred words of an invention's author in a language. Caches the last ones. */
  #styleOf(language: Language, style: number): readonly number[] {
    const key = `${language} ${style}`;
    if (this.#style.key !== key) {
      const next = stream(STYLE_STREAM, style);
      const common = this.#common[language];
      this.#style = { key, words: Array.from({ length: STYLE }, () => common.draw(next)) };
    }
    return this.#style.words;
  }

  /** A title: the first concepts and a few common words. */
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

  /** A question about an invention: some of its concepts in other words. */
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

  /** A random word of a concept. */
  word(next: Random, language: Language, concept: number): string {
    const words = this.#vocabulary.words[language][concept]!;
    return words[next() < FIRST_WORD ? 0 : below(next, words.length)]!;
  }
}
