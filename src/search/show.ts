/** Fields of a stored publication as answers show them. */
import { figureKey, shownName } from '../drawings/name.js';
import { representatives } from '../drawings/representative.js';
import type { DocumentHead } from '../store/document.js';
import { figureImages } from '../store/figures.js';
import type { Publications } from '../store/publications.js';

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
export function figuresOf(
  store: Publications,
  head: DocumentHead,
  drawings = head.drawings ?? [],
): ShownFigure[] {
  if (drawings.length === 0) return [];
  const images = figureImages(store, head.patent_id, ...(head.corrects ?? []));
  return drawings.flatMap(({ file, label }) =>
    images.has(figureKey(file) ?? '') ? [{ name: shownName(file), ...(label ? { label } : {}) }] : [],
  );
}

/** File name of a patent's representative figure: the one that the office names, or else the first stored one. */
export function representativeFigure(store: Publications, head: DocumentHead): string | undefined {
  return figuresOf(store, head, representatives(head.drawings ?? []))[0]?.name;
}

/** What answers tell of every publication. */
export function metadataOf(head: DocumentHead) {
  return {
    title: titleOf(head),
    applicant: applicantOf(head),
    ...datesOf(head),
    ipc_codes: head.ipc_codes ?? [],
    kind_code: head.kind_code,
    country: head.country,
  };
}

/** Dates of a result; absent if the record has none. */
export function datesOf(head: DocumentHead): { filing_date?: string; publication_date?: string } {
  return {
    ...(head.filing_date === undefined ? {} : { filing_date: head.filing_date }),
    ...(head.publication_date === undefined ? {} : { publication_date: head.publication_date }),
  };
}
