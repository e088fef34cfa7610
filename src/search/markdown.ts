/** A patent as markdown, for the details endpoint. The same record gives the same text. */
import type { Claim, Section } from '../patent/record.js';
import { shownAbstract, shownClaims, shownDescription } from '../patent/shown-texts.js';
import type { DocumentBody, DocumentHead } from '../store/document.js';
import type { DocumentSection } from './schema.js';
import { type ShownFigure, titleOf } from './show.js';

const ALL: readonly DocumentSection[] = ['title', 'abstract', 'claims', 'description'];

/**
 * Markdown of the asked sections, in printing order; empty if the document has none of them.
 * @param figures its stored drawings; they are part of the description
 * @param linkBase beginning of their links, before the path of the drawings endpoint
 */
export function markdownOf(
  head: DocumentHead,
  body: DocumentBody,
  figures: readonly ShownFigure[] = [],
  sections: readonly DocumentSection[] = ALL,
  linkBase = '',
): string {
  const images = `${linkBase}/api/v1/drawings/${head.patent_id}/`;
  const parts: Record<DocumentSection, () => string[]> = {
    title: () => (titleOf(head) ? [`# ${titleOf(head)}`] : []),
    abstract: () => abstract(shownAbstract(body)),
    claims: () => claims(shownClaims(body)),
    description: () => description(shownDescription(body), figures, images),
  };
  const blocks = ALL.filter((section) => sections.includes(section)).flatMap((section) => parts[section]());
  return blocks.length === 0 ? '' : `${blocks.join('\n\n')}\n`;
}

function abstract(text: string | undefined): string[] {
  return text ? ['## Abstract', text] : [];
}

function claims(list: readonly Claim[] | undefined): string[] {
  if (!list?.length) return [];
  return ['## Claims', ...list.map(({ number, text }) => `**${number}.** ${text}`)];
}

/**
 * Each drawing stands behind the first paragraph that names its label (`FIG. 1`, `図1`), usually its line in the brief
 * description of the drawings. A drawing whose label no paragraph names is listed at the end.
 */
function description(
  sections: readonly Section[] | undefined,
  figures: readonly ShownFigure[],
  folder: string,
): string[] {
  const images = figures.map((figure) => ({ block: imageOf(figure, folder), mention: mentionOf(figure) }));
  const placed = new Set<string>();
  const spokenOf = (text: string): string[] => {
    const open = images.filter(({ block, mention }) => mention && !placed.has(block));
    if (open.length === 0) return [];
    const folded = fold(text);
    const blocks = open.filter(({ mention }) => mention?.test(folded)).map(({ block }) => block);
    for (const block of blocks) placed.add(block);
    return blocks;
  };
  const blocks = (sections ?? []).flatMap(({ section, paragraphs }) => [
    `### ${section}`,
    ...paragraphs.flatMap(({ number, text }) => [
      number === undefined ? text : `[${String(number).padStart(4, '0')}] ${text}`,
      ...spokenOf(text),
    ]),
  ]);
  const rest = images.map(({ block }) => block).filter((block) => !placed.has(block));
  if (rest.length > 0) blocks.push('### Drawings', ...rest);
  return blocks.length > 0 ? ['## Description', ...blocks] : [];
}

/** @param folder the link up to the name. Half a surrogate pair in a name becomes U+FFFD, as in storage. */
function imageOf({ name, label }: ShownFigure, folder: string): string {
  const file = encodeURIComponent(name.toWellFormed()).replaceAll('(', '%28').replaceAll(')', '%29');
  return `![${label ?? name}](${folder}${file})`;
}

/** Form in which labels and texts are compared: without case and width. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** Characters of a label that is looked for, at most. */
const LABEL_MAX_CHARS = 200;
/** A gap of blanks and full stops, a word, a number, or another character. */
const TOKEN = /[\s.]+|\p{L}+|\p{N}+|[^\s\p{L}\p{N}.]/gu;

/**
 * Matches a folded text that names a figure: `fig. 1` finds `fig 1` and `fig.1`, but not `fig. 12` or `fig. 1a`.
 * Undefined for a label without a number, which would match too much.
 */
function mentionOf({ label }: ShownFigure): RegExp | undefined {
  const folded = fold(label ?? '');
  const tokens = folded.length > LABEL_MAX_CHARS ? [] : (folded.match(TOKEN) ?? []);
  if (!tokens.some((token) => /\d/.test(token))) return undefined;
  // One gap between two tokens: with several in a row, matching would try every division of a run of blanks.
  let pattern = '';
  let gap = '';
  for (const token of tokens) {
    if (/^[\s.]/.test(token)) {
      if (pattern !== '') gap = token.includes('.') ? '[\\s.]*' : '\\s*';
      continue;
    }
    pattern += gap + token.replace(/[^\p{L}\p{N}]/u, '\\$&');
    gap = '\\s*';
  }
  return new RegExp(`(?<![a-z0-9])${pattern}(?![a-z0-9])`);
}
