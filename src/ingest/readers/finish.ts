/** What every record gets, whichever reader made it: references of claims, and no number that is none. */
import { withReferences } from '../../patent/claim-reference.js';
import type { Citation, Claim, Name, Patent, Section } from '../../patent/record.js';
import { withoutEntities } from './xml.js';

/** No publication has a claim or a paragraph beyond it; a number that is larger is damage, or something else. */
const NUMBER_MAX = 999_999;

const isNumber = (number: number): boolean => Number.isInteger(number) && number >= 1 && number <= NUMBER_MAX;

/** The record with claims that name those they refer to, by their text where the source does not mark them. */
export function finished(patent: Patent): Patent {
  const { claims, translated_claims: translated, description, descriptions, citations } = patent;
  const found = { ...patent };
  if (claims) found.claims = finishedClaims(claims);
  if (translated) found.translated_claims = ofEach(translated, finishedClaims);
  if (description) found.description = finishedSections(description);
  if (descriptions) found.descriptions = ofEach(descriptions, finishedSections);
  for (const role of ['applicants', 'inventors', 'agents', 'examiners'] as const) {
    const names = patent[role];
    if (names) found[role] = names.map(finishedName);
  }
  if (citations) found.citations = citations.map(finishedCitation);
  return found;
}

/** A name whose characters some sources spell as HTML does: `&quot;`. */
function finishedName({ name, name_en }: Name): Name {
  const written = { name: withoutEntities(name) };
  return name_en === undefined ? written : { ...written, name_en: withoutEntities(name_en) };
}

function ofEach<T>(texts: Record<string, T>, make: (text: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(texts).map(([language, text]) => [language, make(text)]));
}

/** A claim whose number is none has that of its place. */
function finishedClaims(claims: readonly Claim[]): Claim[] {
  const numbered = claims.map(({ depends_on: stated, ...claim }, at): Claim => {
    const number = isNumber(claim.number) ? claim.number : at + 1;
    const references = stated?.filter(isNumber) ?? [];
    return { ...claim, number, ...(references.length > 0 ? { depends_on: references } : {}) };
  });
  return withReferences(numbered);
}

function finishedSections(sections: readonly Section[]): Section[] {
  const isSound = ({ paragraphs }: Section): boolean =>
    paragraphs.every(({ number }) => number === undefined || isNumber(number));
  return sections.map((section) => {
    if (isSound(section)) return section;
    const paragraphs = section.paragraphs.map(({ number, text }) =>
      number !== undefined && isNumber(number) ? { number, text } : { text },
    );
    return { ...section, paragraphs };
  });
}

/** A citation whose country or kind is none: its words are kept as they stand. */
function finishedCitation(citation: Citation): Citation {
  const { country, number, kind, text, ...rest } = citation;
  const isOffice = country === undefined || /^[A-Z]{2}$/.test(country);
  const isKind = kind === undefined || /^[A-Z]\d?$/.test(kind);
  if (isOffice && isKind) return citation;
  if (isOffice) {
    const { kind: _, ...without } = citation;
    return without;
  }
  return { ...rest, text: text ?? [country, number, kind].filter(Boolean).join(' ') };
}
