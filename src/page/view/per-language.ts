/** Tables of a language that are parts of the page, loaded when a view first needs them. */
import { useEffect, useState } from 'preact/hooks';
import type { Language } from '../languages/index.js';
import { useTexts } from './context.js';

/**
 * @param parts loads the table of a language
 * @param loaded tables that are there already
 * @returns a hook: the table in the language of the page. Undefined until it is loaded, and if it cannot be loaded. With
 *   `isWanted` false, nothing is loaded yet
 */
export function perLanguage<T>(
  parts: Readonly<Record<Language, () => Promise<T>>>,
  loaded: Partial<Record<Language, T>> = {},
): (isWanted?: boolean) => T | undefined {
  return function useTable(isWanted = true) {
    const { code } = useTexts();
    const [, setTurn] = useState(0);
    useEffect(() => {
      if (!isWanted || loaded[code]) return;
      let isCurrent = true;
      parts[code]().then(
        (table) => {
          loaded[code] = table;
          if (isCurrent) setTurn((before) => before + 1);
        },
        () => {},
      );
      return () => {
        isCurrent = false;
      };
    }, [code, isWanted]);
    return loaded[code];
  };
}
