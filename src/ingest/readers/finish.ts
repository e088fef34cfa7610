/** Completes the records of every reader: adds references of claims and the right of application numbers, removes invalid numbers. */
import { applicationNumberOf } from '../../patent/application-number.js';
import { withReferences } from '../../patent/claim-dependence.js';
import type { Citation, Claim, Name, Patent, Section } from '../../patent/record.js';
import { withoutEntities } from './xml.js';

/** Largest number of a claim or paragraph. A larger number is damage or has a different meaning. */
const NUMBER_MAX = 999_999;

const isNumber = (number: number): boolean => Number.isInteger(number) && number >= 1 && number <= NUMBER_MAX;

/**
 * The record with the references of its claims: those that the source marks, and those in the text of a claim.
 */
export function finished(patent: Patent): Patent {
  const { claims, translated_claims: translated, description, descriptions, citations } = patent;
  const found = { ...patent, ...withOwnRight(patent) };
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

/** The application number with its right, and the family id that is made of it: an older export has both without it. */
export function withOwnRight(patent: Patent): Partial<Patent> {
  const { country, kind_code, application_number: number, family_derived, family_id } = patent;
  if (number === undefined) return {};
  const application_number = applicationNumberOf(country, kind_code, number);
  const isOwnFamily = family_derived === true && family_id === country + number;
  return { application_number, ...(isOwnFamily ? { family_id: country + application_number } : {}) };
}

/** Decodes HTML entities in a name, such as `&quot;`. Some sources contain them. */
function finishedName(given: Name): Name {
  const written = { ...given, name: withoutEntities(given.name) };
  return given.name_en === undefined ? written : { ...written, name_en: withoutEntities(given.name_en) };
}

function ofEach<T>(texts: Record<string, T>, make: (text: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(texts).map(([language, text]) => [language, make(text)]));
}

/** Replaces an invalid claim number by the position of the claim. */
function finishedClaims(claims: readonly Claim[]): Claim[] {
  const numbered = claims.map(({ depends_on: stated, ...claim }, at): Claim => {
    const number = isNumber(claim.number) ? claim.number : at + 1;
    // KIPRIS states of some claims that they depend on themselves.
    const references = stated?.filter((to) => isNumber(to) && to !== number) ?? [];
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

/** Turns a citation with an invalid country into text. Removes an invalid kind. */
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
