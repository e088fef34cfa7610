/** Texts of the dashboard in the language of the page. */
import { type DashboardTexts, en } from '../../languages/dashboard/en.js';
import { perLanguage } from '../per-language.js';

/** Undefined while they are loaded. */
export const useLoadedTexts = perLanguage<DashboardTexts>(
  {
    en: async () => en,
    ko: () => import('../../languages/dashboard/ko.js').then(({ ko }) => ko, english),
    ja: () => import('../../languages/dashboard/ja.js').then(({ ja }) => ja, english),
    zh: () => import('../../languages/dashboard/zh.js').then(({ zh }) => zh, english),
  },
  { en },
);

/** If a part does not arrive. */
function english(): DashboardTexts {
  return en;
}

export function useDashboardTexts(): DashboardTexts {
  return useLoadedTexts() ?? en;
}
