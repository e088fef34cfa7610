/**
 * The parts of a patent from the markdown of the details endpoint. The texts of patents are not markdown: what looks like
 * markup in them stays text.
 */

export interface Drawing {
  /** As printed, such as `FIG. 1`; empty if the office names none. */
  label: string;
  /** Relative to the page. */
  source: string;
}

export interface Paragraph {
  /** The office's number, such as `0012`; empty if it is unknown. */
  number: string;
  text: string;
  /** Drawings that stand behind the paragraph: places in `drawings`. */
  drawings: number[];
}

export interface DescriptionSection {
  heading: string;
  paragraphs: Paragraph[];
}

export interface ClaimText {
  number: number;
  text: string;
}

export interface PatentDocument {
  abstract: string[];
  claims: ClaimText[];
  description: DescriptionSection[];
  drawings: Drawing[];
}

const PARTS = ['title', 'Abstract', 'Claims', 'Description'] as const;

/** @param markdown content of a details entry */
export function documentOf(markdown: string): PatentDocument {
  const found: PatentDocument = { abstract: [], claims: [], description: [], drawings: [] };
  let part = 0;
  for (const block of markdown.trimEnd().split('\n\n')) {
    // The parts come in one order, so a line of a text that looks like the heading of an earlier part is text.
    const next = block.startsWith('## ') ? PARTS.indexOf(block.slice(3) as (typeof PARTS)[number]) : -1;
    if (next > part) part = next;
    else if (PARTS[part] === 'Abstract') found.abstract.push(block);
    else if (PARTS[part] === 'Claims') addClaim(found.claims, block);
    else if (PARTS[part] === 'Description') addDescription(found, block);
  }
  return found;
}

function addClaim(claims: ClaimText[], block: string): void {
  const match = /^\*\*(\d{1,5})\.\*\* /.exec(block);
  const last = claims.at(-1);
  const number = Number(match?.[1]);
  // A European patent may have a set of claims for each of some states: each begins with 1.
  if (match && (number > (last?.number ?? 0) || number === 1))
    claims.push({ number, text: block.slice(match[0].length) });
  else if (last) last.text += `\n${block}`;
}

function addDescription({ description, drawings }: PatentDocument, block: string): void {
  if (block.startsWith('### ')) {
    description.push({ heading: block.slice(4), paragraphs: [] });
    return;
  }
  if (description.length === 0) description.push({ heading: '', paragraphs: [] });
  const { paragraphs } = description.at(-1)!;
  const drawing = drawingOf(block);
  if (drawing) {
    drawings.push(drawing);
    if (paragraphs.length === 0) paragraphs.push({ number: '', text: '', drawings: [] });
    paragraphs.at(-1)!.drawings.push(drawings.length - 1);
    return;
  }
  const number = /^\[(\d{4,6})\] /.exec(block);
  paragraphs.push({
    number: number?.[1] ?? '',
    text: number ? block.slice(number[0].length) : block,
    drawings: [],
  });
}

const DRAWINGS = '/api/v1/drawings/';

/** A line `![FIG. 1](…/api/v1/drawings/US1A1/D00001.webp)`; undefined for another block. */
function drawingOf(block: string): Drawing | undefined {
  if (!block.startsWith('![') || !block.endsWith(')')) return undefined;
  const middle = block.lastIndexOf('](');
  const link = block.slice(middle + 2, -1);
  const at = link.indexOf(DRAWINGS);
  if (middle < 0 || at < 0 || /[\s()]/.test(link)) return undefined;
  const names = link.slice(at + DRAWINGS.length).split('/');
  if (names.length !== 2) return undefined;
  const label = block.slice(2, middle);
  // A drawing without a label has the name of its file.
  return { label: encodeURIComponent(label) === names[1] ? '' : label, source: link.slice(at + 1) };
}
