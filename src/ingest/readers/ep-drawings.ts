/**
 * Drawings of EP publications: formulas, and sheets with several figures each. One sheet is named for the
 * front page.
 */

import type { Drawing } from '../../patent/record.js';
import { withoutEnd } from '../../patent/scan.js';
import { childAt, childElements, descendants, textAt, type XmlElement } from './xml.js';

/**
 * File names without folder. The image inside the abstract is the front page's. Without such an image, B598
 * names the figure.
 */
export function epDrawings(root: XmlElement): Drawing[] {
  const chosen = textAt(childAt(root, 'SDOBI'), 'B500', 'B590', 'B598');
  const found: Drawing[] = [];
  for (const figure of childElements(root, 'drawings').flatMap((list) => descendants(list, 'figure'))) {
    const numbers = (figure.attributes['num'] ?? '')
      .split(',')
      .map((number) => number.trim())
      .filter(Boolean);
    for (const file of images(figure)) {
      const drawing: Drawing = { file };
      if (numbers.length > 0) drawing.label = `Fig. ${numbers.join(', ')}`;
      found.push(drawing);
    }
  }
  const front = childElements(root, 'abstract').flatMap(images);
  for (const file of front) found.push({ file });
  const texts = ['abstract', 'description', 'claims'].flatMap((name) => childElements(root, name));
  found.push(...texts.flatMap(formulas));
  const named = found.find(({ label }) => chosen && label && covers(label, chosen));
  const representative = found.find(({ file }) => file === front[0]) ?? named;
  if (representative) representative.representative = true;
  return found;
}

function images(parent: XmlElement): string[] {
  return descendants(parent, 'img').flatMap((image) => {
    const isDrawing = (image.attributes['img-content'] ?? 'drawing') === 'drawing';
    return isDrawing ? (image.attributes['file']?.split(/[\\/]/).at(-1) ?? []) : [];
  });
}

const CONTENTS: Record<string, Drawing['content']> = { chem: 'chemistry', math: 'mathematics' };

function formulas(parent: XmlElement): Drawing[] {
  return descendants(parent, 'img').flatMap(({ attributes }) => {
    const content = CONTENTS[attributes['img-content'] ?? ''];
    const file = attributes['file']?.split(/[\\/]/).at(-1);
    return content && file ? [{ file, content }] : [];
  });
}

/** Whether a sheet shows the named figure: `1` is on the sheet `1a, 1b`. */
function covers(label: string, chosen: string): boolean {
  const figures = label.replace(/^Fig\. /, '').split(', ');
  return figures.some((figure) => figure === chosen || withoutEnd(figure, /\D/) === chosen);
}
