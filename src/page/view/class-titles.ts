/** Titles of classes in the language of the page. Each language is a part of the page, loaded when a view first shows codes. */
import { useEffect, useState } from 'preact/hooks';
import { ClassTitles } from '../model/class-titles.js';
import { useTexts } from './context.js';

const TABLES: Readonly<Record<string, () => Promise<{ default: string }>>> = {
  en: () => import('../languages/classes/en.tsv'),
  ko: () => import('../languages/classes/ko.tsv'),
  ja: () => import('../languages/classes/ja.tsv'),
  zh: () => import('../languages/classes/zh.tsv'),
};

const loaded = new Map<string, ClassTitles>();

/**
 * @param isWanted false: nothing is loaded yet
 * @returns undefined until they are loaded; a view then shows codes alone, as it does if they cannot be loaded
 */
export function useClassTitles(isWanted = true): ClassTitles | undefined {
  const { code } = useTexts();
  const [titles, setTitles] = useState<{ code: string; titles: ClassTitles }>();
  useEffect(() => {
    if (!isWanted || loaded.has(code)) return;
    let isCurrent = true;
    TABLES[code]!().then(
      ({ default: table }) => {
        const found = loaded.get(code) ?? new ClassTitles(table);
        loaded.set(code, found);
        if (isCurrent) setTitles({ code, titles: found });
      },
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [code, isWanted]);
  return loaded.get(code) ?? (titles?.code === code ? titles.titles : undefined);
}
