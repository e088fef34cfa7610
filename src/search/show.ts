/** Fields of a stored publication as answers show them. */
import { figureKey, shownName } from '../drawings/name.js';
import { representatives } from '../drawings/representative.js';
import type { DocumentHead } from '../store/document.js';
import { figureImages } from '../store/figures.js';
import type { Store } from '../store/store.js';

/** Names as printed, joined. */
export function applicantOf(head: DocumentHead): string {
  return (head.applicants ?? []).map(({ name }) => name).join('; ');
}

/** The title in the language of the publication, or else in any language. */
export function titleOf(head: DocumentHead): string {
  return head.title ?? Object.values(head.titles ?? {})[0] ?? '';
}

/** A stored drawing, under the name by which the drawings endpoint knows it. */
export interface ShownFigure {
  name: string;
  label?: string;
}

/** The stored ones of some drawings of a patent, in their order. */
export function figuresOf(store: Store, head: DocumentHead, drawings = head.drawings ?? []): ShownFigure[] {
  if (drawings.length === 0) return [];
  const images = figureImages(store, head.patent_id, ...(head.corrects ?? []));
  return drawings.flatMap(({ file, label }) =>
    images.has(figureKey(file) ?? '') ? [{ name: shownName(file), ...(label ? { label } : {}) }] : [],
  );
}

/** File name of a patent's representative figure: the one that the office names, or else the first stored one. */
export function representativeFigure(store: Store, head: DocumentHead): string | undefined {
  return figuresOf(store, head, representatives(head.drawings ?? []))[0]?.name;
}

/** Dates of a result; absent if the record has none. */
export function datesOf(head: DocumentHead): { filing_date?: string; publication_date?: string } {
  return {
    ...(head.filing_date === undefined ? {} : { filing_date: head.filing_date }),
    ...(head.publication_date === undefined ? {} : { publication_date: head.publication_date }),
  };
}
