/**
 * Claims, description and drawings in the elements of ST.36, which the US red book shares with EP, JP and CN
 * documents.
 */

import type { Claim, Drawing, Section } from '../../patent/record.js';
import { lastDigits } from '../../patent/scan.js';
import { readableText, readableWhole } from './markup.js';
import { Sections } from './sections.js';
import { claimOf, references } from './us-citations.js';
import { childElements, descendants, plainText, type XmlElement } from './xml.js';

export function wholeNumber(...texts: (string | undefined)[]): number | undefined {
  for (const text of texts) {
    const digits = lastDigits(text ?? '');
    if (digits !== undefined && Number(digits) > 0) return Number(digits);
  }
  return undefined;
}

/** `1-24. (canceled)`: numbers of cancelled claims. */
const CANCELLED = /^[\d\s,.–-]*\((?:cancell?ed|deleted|withdrawn)\)\.?$/i;
/** A deleted claim of the East Asian offices: `（削除）`, `(删除)`, `삭제`. */
const DELETED = /^[(（[［【]?(?:削除|删除|삭제)[)）\]］】]?[.。]?$/;

/** Claims with their printed number. The number at the beginning of the text (`1. A …`) is removed. */
export function claims(root: XmlElement): Claim[] {
  const found: Claim[] = [];
  for (const list of childElements(root, 'claims')) {
    for (const claim of childElements(list, 'claim')) {
      const number = wholeNumber(claim.attributes['num'], claim.attributes['id']) ?? found.length + 1;
      const read = claimOf(number, readableText(claim), references(claim, 'claim-ref', 'idref', number));
      if (read.text && !CANCELLED.test(read.text) && !DELETED.test(read.text)) found.push(read);
    }
  }
  return found;
}

/** Elements of the description that only group other elements. */
const GROUPS = new Set([
  ...[
    'description',
    'description-of-drawings',
    'description-of-embodiments',
    'summary-of-invention',
    'section',
  ],
  ...[
    'detailed-description',
    'description-of-drawing',
    'cross-reference',
    'technical-field',
    'background-art',
  ],
  ...[
    'cross-reference-to-related-applications',
    'brief-description-of-drawings',
    'gov-interest',
    'federal-research',
  ],
]);

/** The printed number of a paragraph. `num="0000"` means no number. */
function numberOf(element: XmlElement): number | undefined {
  const isParagraph = element.name === 'p' || element.name === 'paragraph';
  if (/^0+$/.test(element.attributes['num'] ?? '')) return undefined;
  return isParagraph ? wholeNumber(element.attributes['num'], element.attributes['id']) : undefined;
}

/** Sections under the headings of the document. Text before the first heading is under `Description`. */
export function description(root: XmlElement): Section[] {
  const sections = new Sections();
  const visit = (parent: XmlElement): void => {
    for (const child of parent.children) {
      if (typeof child === 'string') sections.paragraph(child.replace(/\s+/g, ' ').trim());
      else if (child.name === 'heading') {
        const level = wholeNumber(child.attributes['level'], child.attributes['lvl']);
        sections.heading(readableText(child).replaceAll('\n', ' '), level);
      } else if (GROUPS.has(child.name)) visit(child);
      else sections.paragraph(readableWhole(child), numberOf(child));
    }
  };
  for (const part of childElements(root, 'description')) visit(part);
  return sections.all();
}

/** Sheets in order. Sheet 0 (`…-D00000.TIF`) is on the front page. */
export function drawings(root: XmlElement): Drawing[] {
  const found: Drawing[] = [];
  for (const figure of childElements(root, 'drawings').flatMap((list) => descendants(list, 'figure'))) {
    const label = descendants(figure, 'figure-labels').map(plainText).find(Boolean);
    for (const image of descendants(figure, 'img')) {
      const file = image.attributes['file']?.split(/[\\/]/).at(-1);
      if (!file) continue;
      const drawing: Drawing = { file };
      if (label) drawing.label = label;
      const isFront = /^0+$/.test(figure.attributes['num'] ?? '') || /-D0+\.\w+$/i.test(file);
      if (isFront && !found.some((other) => other.representative)) drawing.representative = true;
      found.push(drawing);
    }
  }
  return found;
}
