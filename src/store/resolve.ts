/** From a number as somebody typed it to the publications that bear it. */

import type { Country } from '../patent/country.js';
import { kindsOf, sameKind } from '../patent/kind.js';
import { parsePatentNumber } from '../patent/number.js';
import type { Store } from './store.js';

/** patent_ids of the publications that a number in any spelling may mean, ascending. */
export function resolvePublications(store: Store, text: string): string[] {
  const exact = text.trim().toUpperCase();
  const known = store.ids.get(exact);
  // What a correction has taken the place of leads to the correction.
  if (known !== undefined) return [store.documents.get(known)?.patent_id ?? exact];
  const found = new Set<string>();
  for (const { country, number, kind, application } of parsePatentNumber(text)) {
    const ids = application
      ? store.applications.getValues((country ?? '') + number)
      : store.numbers.getValues(number);
    for (const id of ids) {
      const office = id.slice(0, 2) as Country;
      if (country !== undefined && country !== office) continue;
      const head = kind === undefined ? undefined : store.documents.get(store.ids.get(id) ?? -1);
      if (kind === undefined || (head && kindsOf(head).some((code) => sameKind(office, kind, code))))
        found.add(id);
    }
  }
  return [...found].sort();
}
