/** Resolves a publication number in any spelling. */

import { PriorartError } from '../errors.js';
import type { Country } from '../patent/country.js';
import { kindsOf, sameKind } from '../patent/kind.js';
import { parsePatentNumber } from '../patent/number.js';
import { dataFile } from './faults.js';
import type { Publications } from './publications.js';

/**
 * patent_ids of the publications that match a number in any spelling, ascending.
 * @throws PriorartError `data_corrupt` if the lookup tables contradict each other
 */
export function resolvePublications(store: Publications, text: string): string[] {
  const exact = text.trim().toUpperCase();
  const known = store.ids.get(exact);
  // The number of a corrected publication resolves to its correction.
  if (known !== undefined) return [store.documents.get(known)?.patent_id ?? exact];
  const found = new Set<string>();
  for (const { country, number, kind, application } of parsePatentNumber(text)) {
    const ids = application
      ? store.applications.getValues((country ?? '') + number)
      : store.numbers.getValues(number);
    for (const id of ids) {
      const office = id.slice(0, 2) as Country;
      if (country !== undefined && country !== office) continue;
      const doc = store.ids.get(id);
      if (doc === undefined) throw damagedLookup(store.dir, id);
      const head = kind === undefined ? undefined : store.documents.get(doc);
      if (kind === undefined || (head && kindsOf(head).some((code) => sameKind(office, kind, code))))
        found.add(id);
    }
  }
  return [...found].sort();
}

/** The error for an id that is missing in one of the tables. It must not be reported as an unknown publication. */
export function damagedLookup(dir: string, id: string): PriorartError {
  const message = `${dataFile(dir)}: a table has no entry for ${id} that another one leads to. Run \`priorart check --repair --data ${dir}\``;
  return new PriorartError('data_corrupt', message);
}
