/** Citations of other literature (`nplcit`) as text. ST.36 gives them as one text or in parts. */
import { readableText } from './markup.js';
import { descendants, textAt, type XmlElement } from './xml.js';

/** Parts in the order in which they are printed: authors, title, work, day, volume, first page, address. */
const PARTS = [
  ...['name', 'atl', 'online-title', 'book-title', 'sertitle', 'host-title'],
  ...['sdate', 'pubdate', 'vid', 'ppf', 'avail'],
];

/** The text of a citation made of its parts; the characters of the element if it has none. */
export function literature(cited: XmlElement): string {
  const parts = (name: string): string =>
    descendants(cited, name)
      .map((part) => textAt(part))
      .filter(Boolean)
      .join(', ');
  const printed = PARTS.map(parts).filter(Boolean);
  const text = [...new Set(printed)].join(', ').replace(/\b(\d{4})0000\b/g, '$1');
  return text || readableText(cited).replaceAll('\n', ' ');
}
