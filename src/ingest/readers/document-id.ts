import { parseDate } from '../../patent/date.js';
import type { Filing } from '../../patent/family.js';
import { textAt, type XmlElement } from './xml.js';

/**
 * The application that a `document-id` of ST.36 names; undefined without a number.
 * @param country of a number that stands without one
 */
export function filingOf(element: XmlElement | undefined, country: string): Filing | undefined {
  const number = textAt(element, 'doc-number');
  if (!number) return undefined;
  return { country: textAt(element, 'country') ?? country, number, date: parseDate(textAt(element, 'date')) };
}
