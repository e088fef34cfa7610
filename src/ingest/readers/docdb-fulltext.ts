/**
 * One full-text document of OPS: the claims or the description of a publication, as plain text. The
 * bibliographic data of the publication come in another answer, earlier or later.
 */
import { parseDate } from '../../patent/date.js';
import type { Claim, Section } from '../../patent/record.js';
import type { Read } from './docdb-exchange.js';
import { readableText } from './markup.js';
import { sectionsOfLines } from './plain-text.js';
import { identity, languageCode, present, withText } from './publication.js';
import { childAt, childElements, textAt, type XmlElement } from './xml.js';

/** @throws DamagedDocument if the number or the text is missing */
export function fulltextDocument(element: XmlElement): Read {
  const id = childAt(element, 'bibliographic-data', 'publication-reference', 'document-id');
  const { attributes } = element;
  const country = textAt(id, 'country') ?? attributes['country'];
  const named = identity(
    country,
    textAt(id, 'doc-number') ?? attributes['doc-number'],
    textAt(id, 'kind') ?? attributes['kind'],
    parseDate(textAt(id, 'date') ?? attributes['date-publ']),
  );
  if (!named) return { foreign: country ?? '' };
  const sets = new Map<string, Claim[]>();
  for (const list of childElements(element, 'claims')) sets.set(languageOf(list, element), claims(list));
  const texts = new Map<string, Section[]>();
  for (const text of childElements(element, 'description'))
    texts.set(languageOf(text, element), sections(text));
  const language = [...sets.keys(), ...texts.keys()][0];
  const others = <T>(all: Map<string, T>): Record<string, T> =>
    Object.fromEntries([...all].filter(([spoken]) => spoken !== language));
  return withText({
    ...named,
    ...present({
      language,
      claims: sets.get(language ?? ''),
      translated_claims: others(sets),
      description: texts.get(language ?? ''),
      descriptions: others(texts),
    }),
    partial: true,
  });
}

function languageOf(part: XmlElement, document: XmlElement): string {
  return languageCode(part.attributes['lang']) ?? languageCode(document.attributes['lang']) ?? 'en';
}

/** Claims are lines that begin with their number. A line without a number continues the claim before it. */
function claims(list: XmlElement): Claim[] {
  const found: Claim[] = [];
  for (const line of childElements(list).flatMap((claim) => childElements(claim, 'claim-text'))) {
    const text = readableText(line);
    const [, printed, rest] = /^(\d{1,4})\s*[.)\]:]\s*([\s\S]*)$/.exec(text) ?? [];
    const last = found.at(-1);
    const next = (last?.number ?? 0) + 1;
    if (printed !== undefined && rest && Number(printed) === next) found.push({ number: next, text: rest });
    else if (last) last.text += `\n${text}`;
    else if (text) found.push({ number: 1, text });
  }
  return found;
}

function sections(description: XmlElement): Section[] {
  return sectionsOfLines(
    childElements(description).map((part) => {
      const number = /^0*([1-9]\d*)$/.exec(part.attributes['num'] ?? '')?.[1];
      return {
        text: readableText(part),
        isHeading: part.name === 'heading',
        ...(number === undefined ? {} : { number: Number(number) }),
      };
    }),
  );
}
