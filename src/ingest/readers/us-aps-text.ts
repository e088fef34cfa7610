/** Abstract, description and claims of the APS format. */
import type { Claim, Section } from '../../patent/record.js';
import { type ApsDocument, type ApsField, oneLine, rowsOf } from './aps-fields.js';
import { Sections } from './sections.js';
import { claimOf } from './us-citations.js';

/** Parts of the description: parent case, government interest, summary, drawings, details. */
const PARTS = ['PARN', 'GOVT', 'BSUM', 'DRWD', 'DETD'];
/** A paragraph, at the left (PAL), or indented (PA0 to PA5). PAC is a heading. */
const PARAGRAPH = /^PA(?!C)[A-Z\d]$/;
/** Text in fixed columns, with what parts them. TBL3 is a table without columns. */
const BORDERS: Record<string, string> = { TBL: ' | ', EQU: ' ' };
/** Places of images, and the words that other readers write for them. */
const PLACES: Record<string, string> = { STR: '\n[chemical structure]\n', EQU: '[formula]', TBL: '[image]' };

/** The text of a paragraph or table; `''` for other fields. */
function textOf(field: ApsField): string {
  const border = BORDERS[field.tag];
  if (border === undefined && !PARAGRAPH.test(field.tag) && !/^TBL\d$/.test(field.tag)) return '';
  const text = border === undefined ? oneLine(field) : rowsOf(field, border);
  return text
    .replace(/##(STR|EQU|TBL)\d{1,4}##/g, (_, place: string) => PLACES[place] ?? '')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim();
}

/** The abstract; its paragraphs in lines. */
export function abstractOf(document: ApsDocument): string {
  const fields = document.named('ABST').flatMap(({ fields }) => fields);
  return fields.map(textOf).filter(Boolean).join('\n');
}

/** The description under its headings. A part without a heading has `Description`. */
export function descriptionOf(document: ApsDocument): Section[] {
  const sections = new Sections();
  let isOpen = false;
  for (const { fields } of document.named(...PARTS)) {
    // A heading at the end of a part belongs to the next part.
    let isNamed = !isOpen;
    for (const field of fields) {
      if (field.tag === 'PAC') {
        sections.heading(oneLine(field));
        isNamed = true;
        continue;
      }
      const text = textOf(field);
      if (text === '') continue;
      if (!isNamed) sections.heading('Description');
      isNamed = true;
      sections.paragraph(text);
    }
    isOpen = fields.at(-1)?.tag !== 'PAC';
  }
  return sections.all();
}

/**
 * The claims. Each begins with its number (NUM). In a document without NUM, a paragraph with the next number
 * begins a claim.
 */
export function claimsOf(document: ApsDocument): Claim[] {
  const found: Claim[] = [];
  const fields = document.named('CLMS', 'DCLM').flatMap(({ fields }) => fields);
  const isNumbered = fields.some(({ tag }) => tag === 'NUM');
  let next: number | undefined;
  for (const field of fields) {
    if (field.tag === 'NUM') next = Number(/\d{1,6}/.exec(oneLine(field))?.[0] ?? found.length + 1);
    const text = textOf(field);
    if (text === '') continue;
    const last = found.at(-1);
    const printed = Number(/^(\d{1,6})\s*\.\s/.exec(text)?.[1] ?? 0);
    if (!isNumbered && printed === (last?.number ?? 0) + 1) next = printed;
    if (next !== undefined || !last) found.push(claimOf(next ?? 1, text, []));
    else last.text += last.text === '' ? text : `\n${text}`;
    next = undefined;
  }
  return found.filter(({ text }) => text !== '');
}
