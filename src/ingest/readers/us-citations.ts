/** References cited in US documents, and references of their claims. */

import { citedPatent } from '../../patent/citation.js';
import type { Citation } from '../../patent/record.js';
import { digitsAtEnd } from '../../patent/scan.js';
import { readableText } from './markup.js';
import { childAt, childElements, descendants, textAt, type XmlElement } from './xml.js';

/**
 * `cited by examiner`, `cited by applicant`. The category `other`, used until 2012, does not name the origin.
 */
export function citedBy(category: string | undefined): Pick<Citation, 'cited_by'> {
  const who = /examiner|applicant/i.exec(category ?? '')?.[0].toLowerCase();
  return who === 'examiner' || who === 'applicant' ? { cited_by: who } : {};
}

/** `references-cited` (`us-references-cited` since v4.3) of the red book. */
export function redBookCitations(front: XmlElement): Citation[] {
  const found: Citation[] = [];
  const list = childAt(front, 'us-references-cited') ?? childAt(front, 'references-cited');
  for (const entry of childElements(list)) {
    const by = citedBy(textAt(entry, 'category'));
    const id = childAt(entry, 'patcit', 'document-id');
    const number = textAt(id, 'doc-number');
    if (number) {
      const [country = 'US', kind, date] = ['country', 'kind', 'date'].map((name) => textAt(id, name));
      found.push({ ...citedPatent(country, number, kind, date), ...by });
      continue;
    }
    const other = childAt(entry, 'nplcit', 'othercit') ?? childAt(entry, 'nplcit');
    const text = other && readableText(other).replaceAll('\n', ' ');
    if (text) found.push({ text, ...by });
  }
  return found;
}

/**
 * The claims that a claim refers to, from the ids in an attribute of the elements with one name (`<claim-ref
 * idref="CLM-00001">`).
 */
export function references(claim: XmlElement, name: string, attribute: string, own: number): number[] {
  const numbers = new Set<number>();
  for (const reference of descendants(claim, name)) {
    for (const id of reference.attributes[attribute]?.split(/\s+/) ?? []) {
      const number = Number(digitsAtEnd(id));
      if (number > 0 && number !== own) numbers.add(number);
    }
  }
  return [...numbers].sort((a, b) => a - b);
}

/** A claim of a record. The number at the beginning of the text (`1. A …`) is removed. */
export function claimOf(number: number, printed: string, dependsOn: number[]) {
  const text = printed.replace(/^(\d+)\s*[.)]\s*/, (all, digits) => (Number(digits) === number ? '' : all));
  return dependsOn.length > 0 ? { number, text, depends_on: dependsOn } : { number, text };
}
