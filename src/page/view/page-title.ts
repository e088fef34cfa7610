/** The title of the document, by which people find a tab, a bookmark and a place in the history. */
import { useEffect } from 'preact/hooks';
import { isolated } from '../model/isolated.js';
import { useTexts } from './context.js';

/** @param parts what the page shows, the narrowest first; empty ones are left out */
export function usePageTitle(...parts: readonly string[]): void {
  const { frame } = useTexts();
  const title = [...parts.filter((part) => part !== '').map(isolated), frame.title].join(' – ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}
