/** Stored publications as examples of what is wanted or not: `like`, `unlike`, and a question that is a number. */
import { PriorartError } from '../errors.js';
import { applicationLink } from '../index/columns.js';
import { shownAbstract, shownClaims } from '../patent/shown-texts.js';
import type { DocumentBody, DocumentHead } from '../store/document.js';
import type { Publications } from '../store/publications.js';
import { damagedLookup } from '../store/resolve.js';
import { shown, unknownPublications } from './invalid.js';
import { publicationsNamed } from './number-question.js';
import { titleOf } from './show.js';

export interface Publication {
  head: DocumentHead;
  body: DocumentBody;
}

/** @throws PriorartError `data_corrupt` if the tables contradict each other */
export function publicationOf(store: Publications, patentId: string): Publication {
  const id = store.ids.get(patentId);
  const [head, body] = id === undefined ? [] : [store.documents.get(id), store.bodies.get(id)];
  if (head === undefined || body === undefined) throw damagedLookup(store.dir, patentId);
  return { head, body };
}

/**
 * The publications of `like` and `unlike`. Of several publications of one application the first is the example.
 * @throws PriorartError `invalid_request`, which names all numbers that no stored publication has, and those that
 *   publications of several applications have
 */
export function examplesOf(
  store: Publications,
  asked: { like?: readonly string[]; unlike?: readonly string[] },
): { like: Publication[]; unlike: Publication[] } {
  const faults: string[] = [];
  let isUnknown = false;
  const found = { like: [] as Publication[], unlike: [] as Publication[] };
  for (const field of ['like', 'unlike'] as const) {
    const unknown: string[] = [];
    const known = new Set<string>();
    for (const number of new Set(asked[field] ?? [])) {
      const candidates = publicationsNamed(store, number).map((id) => publicationOf(store, id));
      const [example] = candidates;
      if (example === undefined) unknown.push(shown(number));
      else if (areOfOneApplication(candidates)) {
        // Spellings of one number name one publication.
        if (!known.has(example.head.patent_id)) found[field].push(example);
        known.add(example.head.patent_id);
      } else
        faults.push(
          `${field}: ${shown(number)} is the number of ${listed(candidates)}; expected one of these`,
        );
    }
    if (unknown.length === 0) continue;
    isUnknown = true;
    faults.push(
      `${field}: the index has no publication ${unknown.join(', ')}; expected numbers of stored ones`,
    );
  }
  if (isUnknown) throw unknownPublications(faults.join('. '));
  if (faults.length > 0) throw new PriorartError('invalid_request', faults.join('. '));
  return found;
}

function areOfOneApplication(publications: readonly Publication[]): boolean {
  const links = publications.map(({ head }) => applicationLink(head) || head.patent_id);
  return new Set(links).size === 1;
}

function listed(publications: readonly Publication[]): string {
  return publications.map(({ head }) => head.patent_id).join(', ');
}

/** A publication's patent_id, and those of the other publications of its application. */
export function withSiblings(store: Publications, { head }: Pick<Publication, 'head'>): string[] {
  const { country, application_number: number, patent_id } = head;
  const siblings = number === undefined ? [] : store.applications.getValues(country + number);
  return [...new Set([patent_id, ...siblings])];
}

/** Title, abstract and first claim of a publication, at most `most` characters. */
export function textOf({ head, body }: Publication, most: number): string {
  const abstract = shownAbstract(body);
  const claims = shownClaims(body);
  const parts = [titleOf(head), abstract, claims?.[0]?.text].filter((text) => text?.trim());
  // A cut may split a surrogate pair.
  return parts
    .join('\n')
    .slice(0, most)
    .replace(/\p{Surrogate}$/u, '');
}
