/** What a visitor chose: language and colours. Kept in the browser. */
import { type Language, languageFor } from '../languages/index.js';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const [THEME, LANGUAGE] = ['priorart.theme', 'priorart.language'];

/** A browser may refuse storage, as in a private window. The choice then holds until the page is closed. */
function stored(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function store(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // The choice is not kept.
  }
}

export function storedTheme(): Theme {
  return THEMES.find((theme) => theme === stored(THEME)) ?? 'system';
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export function keepTheme(theme: Theme): void {
  store(THEME, theme);
  applyTheme(theme);
}

export function storedLanguage(): Language {
  return languageFor([stored(LANGUAGE) ?? '', ...navigator.languages]);
}

export function keepLanguage(code: string): void {
  store(LANGUAGE, code);
}
