/** Choice of the language. English is in the first part of the page; another language is a part of its own. */
import { en, type Texts } from './en.js';

export type { Texts } from './en.js';

/** Each language by its own name. */
export const NAMES = { en: 'English', ko: '한국어', ja: '日本語', zh: '中文' } as const;
export type Language = keyof typeof NAMES;
export const LANGUAGES = Object.keys(NAMES) as Language[];

const PARTS: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => en,
  ko: async () => (await import('./ko.js')).ko,
  ja: async () => (await import('./ja.js')).ja,
  zh: async () => (await import('./zh.js')).zh,
};

/** The texts of a language; English, if its part does not arrive. */
export function textsIn(language: Language): Promise<Texts> {
  return PARTS[language]().catch(() => en);
}

/** @param wanted codes by preference, such as `navigator.languages`: `['ko-KR', 'en']` */
export function languageFor(wanted: readonly string[]): Language {
  for (const code of wanted) {
    const found = LANGUAGES.find((known) => known === code.toLowerCase().split('-')[0]);
    if (found) return found;
  }
  return 'en';
}
