/** Titles of classes in the language of the page. A view shows codes alone until they are loaded. */
import { ClassTitles } from '../model/class-titles.js';
import { perLanguage } from './per-language.js';

const titlesOf = async (table: Promise<{ default: string }>) => new ClassTitles((await table).default);

export const useClassTitles = perLanguage({
  en: () => titlesOf(import('../languages/classes/en.tsv')),
  ko: () => titlesOf(import('../languages/classes/ko.tsv')),
  ja: () => titlesOf(import('../languages/classes/ja.tsv')),
  zh: () => titlesOf(import('../languages/classes/zh.tsv')),
});
