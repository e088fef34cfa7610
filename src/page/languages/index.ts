/** Choice of the language. */
import { en, type Texts } from './en.js';
import { ja } from './ja.js';
import { ko } from './ko.js';
import { zh } from './zh.js';

export type { Texts } from './en.js';

export const LANGUAGES: readonly Texts[] = [en, ko, ja, zh];

/** @param wanted codes by preference, such as `navigator.languages`: `['ko-KR', 'en']` */
export function languageFor(wanted: readonly string[]): Texts {
  for (const code of wanted) {
    const found = LANGUAGES.find((texts) => texts.code === code.toLowerCase().split('-')[0]);
    if (found) return found;
  }
  return en;
}
