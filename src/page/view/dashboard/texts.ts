/** Texts of the dashboard in the language of the page. */
import { type DashboardTexts, en } from '../../languages/dashboard/en.js';
import { ja } from '../../languages/dashboard/ja.js';
import { ko } from '../../languages/dashboard/ko.js';
import { zh } from '../../languages/dashboard/zh.js';
import { useTexts } from '../context.js';

const ALL: Readonly<Record<string, DashboardTexts>> = { en, ko, ja, zh };

export function useDashboardTexts(): DashboardTexts {
  return ALL[useTexts().code] ?? en;
}
