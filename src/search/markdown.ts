/** A patent as markdown: what the details of a document show. The same record gives the same text. */
import type { Patent } from '../patent/record.js';
import type { DocumentBody, DocumentHead } from '../store/document.js';
import type { DocumentSection } from './schema.js';
import { type ShownFigure, titleOf } from './show.js';

const ALL: readonly DocumentSection[] = ['title', 'abstract', 'claims', 'description'];

/**
 * Markdown of the asked sections, in printing order; empty where the document has none of them.
 * @param figures its drawings that are there; part of the description
 * @param linkBase what their links begin with, before the path of the drawings endpoint
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
    abstract: () => (body.abstract ? ['## Abstract', body.abstract] : []),
    claims: () => claims(body.claims),
    description: () => description(body.description, figures, images),
  };
  const blocks = ALL.filter((section) => sections.includes(section)).flatMap((section) => parts[section]());
  return blocks.length === 0 ? '' : `${blocks.join('\n\n')}\n`;
}

function claims(list: Patent['claims']): string[] {
  if (!list?.length) return [];
  return ['## Claims', ...list.map(({ number, text }) => `**${number}.** ${text}`)];
}

/**
 * Each drawing stands behind the first paragraph that speaks of it by its label (`FIG. 1`, `図1`), which as a rule
 * is its line in the brief description of the drawings; one without a label, or of which nobody speaks, is listed
 * at the end.
 */
function description(
  sections: Patent['description'],
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

/** @param folder what the link begins with, up to the name */
function imageOf({ name, label }: ShownFigure, folder: string): string {
  const file = encodeURIComponent(name).replaceAll('(', '%28').replaceAll(')', '%29');
  return `![${label ?? name}](${folder}${file})`;
}

/** Labels and texts differ in case and width. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/**
 * Matches a folded text that speaks of a figure: `fig. 1` finds `fig 1`, `fig.1` and neither `fig. 12` nor `fig. 1a`.
 * Undefined for a label without a number, which any text may hold.
 */
function mentionOf({ label }: ShownFigure): RegExp | undefined {
  const tokens = fold(label ?? '').match(/\p{L}+|\p{N}+|[^\s\p{L}\p{N}]/gu);
  if (!tokens?.some((token) => /\d/.test(token))) return undefined;
  const parts = tokens.map((token) => (token === '.' ? '\\.?' : token.replace(/[^\p{L}\p{N}]/u, '\\$&')));
  return new RegExp(`(?<![a-z0-9])${parts.join('\\s*')}(?![a-z0-9])`);
}
