/** Resolves a publication number in any spelling. */

import { PriorartError } from '../errors.js';
import { foldedNumber } from '../patent/application-number.js';
import { citedNumbers } from '../patent/citation.js';
import type { Country } from '../patent/country.js';
import { internationalKeyOf } from '../patent/international-number.js';
import { isExamined } from '../patent/japanese-number.js';
import { kindsOf, sameKind } from '../patent/kind.js';
import { type NumberCandidate, parsePatentNumber } from '../patent/number.js';
import { plainNumber } from '../patent/printed-number.js';
import type { Citation } from '../patent/record.js';
import type { DocumentHead } from './document.js';
import { dataFile } from './faults.js';
import type { Publications } from './publications.js';

/**
 * patent_ids of the publications that match a number in any spelling, ascending.
 * @throws PriorartError `data_corrupt` if the lookup tables contradict each other
 */
export function resolvePublications(store: Publications, text: string): string[] {
  const exact = text.trim().toUpperCase();
  return resolveExact(store, exact) ?? resolveNumbers(store, parsePatentNumber(plainNumber(text)));
}

/**
 * patent_ids of the publications to show for a number, ascending: those that have it, or the national ones that rest on an
 * international application, if the number is that of this application or of its publication.
 * @throws PriorartError like `resolvePublications`
 */
export function resolveShown(store: Publications, text: string): string[] {
  const found = resolvePublications(store, text);
  return found.length > 0 ? found : resolveInternational(store, text);
}

/**
 * patent_ids of the national publications that rest on an international application, ascending. The Japanese re-publication of an
 * international publication has the number of that.
 */
export function resolveInternational(store: Publications, text: string): string[] {
  const key = internationalKeyOf(foldedNumber(text));
  if (key === undefined) return [];
  const republished = key.startsWith('WO') ? resolvePublications(store, `JP${key}A1`) : [];
  return [...new Set([...store.applications.getValues(key), ...republished])].sort();
}

/**
 * patent_ids of the publications that a citation means, ascending.
 * @throws PriorartError like `resolvePublications`
 */
export function resolveCitation(store: Publications, citation: Citation): string[] {
  const exact = citation.patent_id === undefined ? undefined : resolveExact(store, citation.patent_id);
  return exact ?? resolveNumbers(store, citedNumbers(citation));
}

/** The publication with this patent_id. That of a corrected publication resolves to its correction. */
function resolveExact(store: Publications, patentId: string): string[] | undefined {
  const known = store.ids.get(patentId);
  return known === undefined ? undefined : [store.documents.get(known)?.patent_id ?? patentId];
}

function resolveNumbers(store: Publications, numbers: readonly NumberCandidate[]): string[] {
  const found = new Set<string>();
  for (const candidate of numbers) {
    const { country, number, kind, application, isEra } = candidate;
    const ids = application
      ? store.applications.getValues((country ?? '') + number)
      : store.numbers.getValues(number);
    for (const id of ids) {
      const office = id.slice(0, 2) as Country;
      if (country !== undefined && country !== office) continue;
      const doc = store.ids.get(id);
      if (doc === undefined) throw damagedLookup(store.dir, id);
      const isAny = kind === undefined && isEra === undefined;
      const head = isAny ? undefined : store.documents.get(doc);
      if (isAny || (head && isMeant(head, candidate))) found.add(id);
    }
  }
  return [...found].sort();
}

/** Whether a publication with the number of a candidate has its kind, and is of its series in Japan. */
function isMeant(head: DocumentHead, { kind, isEra }: NumberCandidate): boolean {
  if (kind !== undefined && !kindsOf(head).some((code) => sameKind(head.country, kind, code))) return false;
  return isEra === undefined || isExamined(head) !== !isEra;
}

/** The error for an id that is missing in one of the tables. It must not be reported as an unknown publication. */
export function damagedLookup(dir: string, id: string): PriorartError {
  const message = `${dataFile(dir)}: a table has no entry for ${id} that another one leads to. Run \`priorart check --repair --data ${dir}\``;
  return new PriorartError('data_corrupt', message);
}
