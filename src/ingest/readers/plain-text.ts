/** Divides claims and descriptions in plain text at their numbers and headings. */
import type { Claim, Section } from '../../patent/record.js';

/** Marks around the number of a claim, before and after. */
const MARKS = [
  /【請求項\s*([0-9０-９]{1,4})】/gu,
  /(?:^|\n)[^\S\n]*\[?청구항\s*(\d{1,4})\]?\s*[.:]?/gu,
  /(?:^|\n[^\S\n]*|[.;。；]\s*)(\d{1,4})\s*[.)、．]\s*(?=\S)/gu,
];

/**
 * The claims of a text. The text is cut at each next number in order, so other numbers are ignored. Words
 * before the first number (`What is claimed is:`) are left out. A text without numbers is one claim.
 */
export function claimsOfText(text: string): Claim[] {
  const whole = text.trim();
  if (whole === '') return [];
  for (const mark of MARKS) {
    const starts: { number: number; at: number; from: number }[] = [];
    for (const match of whole.matchAll(mark)) {
      const number = Number(match[1]?.normalize('NFKC'));
      if (number !== starts.length + 1) continue;
      starts.push({ number, at: match.index, from: match.index + match[0].length });
    }
    const [first] = starts;
    if (!first || first.at > PREAMBLE_CHARS) continue;
    return starts.flatMap(({ number, from }, n) => {
      // The full stop before the next number belongs to this claim.
      const next = starts[n + 1];
      const end =
        next === undefined ? whole.length : next.at + (/^[.;。；]/.test(whole.slice(next.at)) ? 1 : 0);
      const claim = tidy(whole.slice(from, end));
      return claim === '' ? [] : [{ number, text: claim }];
    });
  }
  return [{ number: 1, text: tidy(whole) }];
}

/** Longest text before claim 1, characters. */
const PREAMBLE_CHARS = 200;

function tidy(text: string): string {
  return text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n\s*/g, '\n')
    .trim();
}

const NUMBERED = /^[[【](\d{1,5}|[０-９]{1,5})[\]】]\s*/;
/** Longest line that counts as a heading, characters. */
const HEADING_CHARS = 120;

/** A line of a description. `isHeading` and `number` are set if the source marks them. */
export interface Line {
  text: string;
  isHeading?: boolean;
  number?: number;
}

/**
 * Sections of a description in lines. If paragraphs are numbered, a short line without number and full stop
 * is a heading. Otherwise a line in capitals or in 【 】 is a heading.
 */
export function sectionsOfLines(lines: readonly Line[]): Section[] {
  const found: Section[] = [];
  const isNumbered = lines.some(({ text, number }) => number !== undefined || NUMBERED.test(text));
  for (const line of lines) {
    const text = tidy(line.text);
    if (text === '') continue;
    const printed = NUMBERED.exec(text)?.[1];
    const number = printed === undefined ? line.number : Number(printed.normalize('NFKC'));
    if (line.isHeading || (number === undefined && isHeading(text, isNumbered))) {
      found.push({ section: text.replace(/^【(.*)】$/, '$1'), paragraphs: [] });
      continue;
    }
    if (found.length === 0) found.push({ section: 'Description', paragraphs: [] });
    const paragraph = text.replace(NUMBERED, '');
    if (paragraph)
      found.at(-1)?.paragraphs.push(number === undefined ? { text: paragraph } : { number, text: paragraph });
  }
  return found.filter(({ paragraphs }) => paragraphs.length > 0);
}

function isHeading(text: string, isNumbered: boolean): boolean {
  if (text.includes('\n') || text.length > HEADING_CHARS || /[.;:,。；：、]$/.test(text)) return false;
  if (/^【[^】]+】$/.test(text)) return true;
  if (isNumbered) return true;
  return /\p{Lu}{3}/u.test(text) && !/\p{Ll}/u.test(text);
}
