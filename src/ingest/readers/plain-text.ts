/** Divides claims and descriptions in plain text at their numbers and headings. */
import type { Claim, Section } from '../../patent/record.js';
import { Sections } from './sections.js';

/** Words around the number of a claim. */
const HEADINGS = [/【請求項\s*([0-9０-９]{1,4})】/gu, /(?:^|\n)[^\S\n]*\[?청구항\s*(\d{1,4})\]?\s*[.:]?/gu];

/** The number of claim 1, and the mark behind it. */
const FIRST = /(?:^|\n[^\S\n]*|[.;。；]\s*)(0{0,3}1)\s*([.)、．])(?=\s*\S)/u;
/** The same in the line of a preamble: `What is claimed is: 1. `. */
const BEHIND_PREAMBLE = /[:：—]\s*(0{0,3}1)\s*([.)、．])(?=\s*\S)/u;
/** Words that tell a preamble from a claim without a number, whose steps follow a colon: `A method: 1. mixing; 2. heating`. */
const PREAMBLE =
  /(?<!\p{L})(?:claimed(?: (?:is|are|as)(?!\p{L})|\P{L}*$)|(?:I|we)(?: hereby| therefore)? claim(?!\p{L})|letters patent)/iu;
/** A heading that is a preamble. */
const CLAIMS_HEADING =
  /^\P{L}*(?:the )?(?:claims?|(?:patent)?ansprüche|revendications|reivindicaciones|(?:特許)?請求の範囲|权利要求书?|權利要求書?|(?:특허)?청구(?:의 ?)?범위|청구항)\P{L}*$/iu;

/** Places of the further numbers: at the start of a line, also after a full stop, also after a semicolon. */
interface Places {
  lines: RegExp;
  sentences: RegExp;
  parts: RegExp;
}

/** A point behind a digit may be a decimal point, which ends no sentence. */
const WITH_POINT: Places = {
  lines: /\n[^\S\n]*(\d{1,4})\s*[.、．](?=\s*\S)/gu,
  sentences: /(?:\n[^\S\n]*|(?:。|(?<!\d)\.)\s*)(\d{1,4})\s*[.、．](?=\s*\S)/gu,
  parts: /(?:\n[^\S\n]*|[.;。；]\s*)(\d{1,4})\s*[.、．](?=\s*\S)/gu,
};
const WITH_BRACKET: Places = {
  lines: /\n[^\S\n]*(\d{1,4})\s*\)(?=\s*\S)/gu,
  sentences: /(?:\n[^\S\n]*|(?:。|(?<!\d)\.)\s*)(\d{1,4})\s*\)(?=\s*\S)/gu,
  parts: /(?:\n[^\S\n]*|[.;。；]\s*)(\d{1,4})\s*\)(?=\s*\S)/gu,
};

/** The number of a claim in a text. */
interface Start {
  at: number;
  /** End of the number and its mark. */
  from: number;
}

/**
 * The claims of a text. The text is cut at each next number in order, so other numbers are ignored. Words
 * before the first number (`What is claimed is:`) are left out. A text without numbers is one claim.
 */
export function claimsOfText(text: string): Claim[] {
  const whole = text.trim();
  if (whole === '') return [];
  const ways = [...HEADINGS.map((heading) => further(whole, heading, [])), numbered(whole)];
  const starts = ways.find(([first]) => first !== undefined && first.at <= PREAMBLE_CHARS);
  return starts ? claimsAt(whole, starts) : [{ number: 1, text: tidy(whole) }];
}

/**
 * Claims that have bare numbers: `1. `. The mark behind claim 1 tells them from the steps within a claim, which have
 * another: `1) mixing; 2) heating`. Numbers at the start of a line come first. Without them, and after the last of them,
 * claims follow each other in a line.
 */
function numbered(text: string): Start[] {
  const first = firstNumber(text);
  if (!first) return [];
  const places = first[2] === ')' ? WITH_BRACKET : WITH_POINT;
  const lines = further(text, places.lines, [startAt(first)]);
  return further(text, lines.length > 1 ? places.sentences : places.parts, lines);
}

/** The number of claim 1: the first of those that stand alone or behind a preamble. */
function firstNumber(text: string): RegExpExecArray | undefined {
  const alone = FIRST.exec(text) ?? undefined;
  const behind = BEHIND_PREAMBLE.exec(text);
  if (!behind || behind.index > PREAMBLE_CHARS || (alone && alone.index < behind.index)) return alone;
  const words = text.slice(0, behind.index);
  return PREAMBLE.test(words) || CLAIMS_HEADING.test(words) ? behind : alone;
}

/** The starts, and behind them each next number in order. */
function further(text: string, mark: RegExp, starts: readonly Start[]): Start[] {
  const found = [...starts];
  const begin = starts.at(-1)?.from ?? 0;
  for (const match of text.matchAll(mark)) {
    const isNext = Number(match[1]?.normalize('NFKC')) === found.length + 1;
    if (isNext && match.index >= begin) found.push(startAt(match));
  }
  return found;
}

function startAt(match: RegExpExecArray): Start {
  return { at: match.index, from: match.index + match[0].length };
}

function claimsAt(text: string, starts: readonly Start[]): Claim[] {
  return starts.flatMap(({ from }, n) => {
    // The full stop before the next number belongs to this claim.
    const next = starts[n + 1]?.at ?? text.length;
    const claim = tidy(text.slice(from, next + (/[.;。；]/.test(text.charAt(next)) ? 1 : 0)));
    return claim === '' ? [] : [{ number: n + 1, text: claim }];
  });
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

/** Lines without a paragraph between them that may be one heading, at most. Of more, only those in capitals at the beginning are. */
const HEADINGS_TOGETHER = 3;
/** The end of a sentence, perhaps in quotes or brackets. */
const SENTENCE_END = /[.。．!?！？]["”’')）\]」』]{0,3}$/u;

/** How a line may be a heading: the source marks it, it is in capitals, or it is only short. */
type HeadingKind = 'marked' | 'capitals' | 'short';

/**
 * Sections of a description in lines. If paragraphs are numbered, a short line without number and full stop may be a
 * heading: it stands behind a sentence and before a paragraph. Otherwise a line in capitals or in 【 】 is a heading. Headings
 * without a paragraph between them are one. A line that is no heading is a paragraph.
 */
export function sectionsOfLines(lines: readonly Line[]): Section[] {
  const isNumbered = lines.some(({ text, number }) => number !== undefined || NUMBERED.test(text));
  const read = lines.flatMap((line) => {
    const text = tidy(line.text);
    if (text === '') return [];
    const printed = NUMBERED.exec(text)?.[1];
    const number = printed === undefined ? line.number : Number(printed.normalize('NFKC'));
    const kind = line.isHeading ? 'marked' : number === undefined ? headingKind(text, isNumbered) : undefined;
    return [{ text, number, kind }];
  });
  const sections = new Sections();
  let isSentence = true;
  for (let at = 0; at < read.length; ) {
    let end = at;
    while (end < read.length && read[end]!.kind !== undefined) end++;
    const run = read.slice(at, end);
    const others = run.findIndex(({ kind }) => kind === 'short');
    const capitals = others < 0 ? run.length : others;
    const isShort = run.length <= HEADINGS_TOGETHER;
    for (const [n, { text, kind }] of run.entries()) {
      const mayHead = isShort
        ? kind === 'capitals' || isSentence
        : n < capitals && capitals <= HEADINGS_TOGETHER;
      const isHeading = kind === 'marked' || (mayHead && end < read.length);
      if (isHeading) sections.heading(text.replace(/^【(.*)】$/, '$1'));
      else sections.paragraph(text);
    }
    if (end < read.length) {
      const { text, number } = read[end]!;
      const paragraph = text.replace(NUMBERED, '');
      sections.paragraph(paragraph, number);
      if (paragraph !== '') isSentence = SENTENCE_END.test(paragraph);
    }
    at = end + 1;
  }
  return sections.all();
}

function headingKind(text: string, isNumbered: boolean): HeadingKind | undefined {
  if (text.includes('\n') || text.length > HEADING_CHARS || /[.;:,。；：、]$/.test(text)) return undefined;
  if (/^【[^】]+】$/.test(text)) return 'marked';
  if (/\p{Lu}{3}/u.test(text) && !/\p{Ll}/u.test(text)) return 'capitals';
  return isNumbered ? 'short' : undefined;
}
