/**
 * Texts of a publication that are shown: those in its own language, or else in the first other language that the record has. A
 * Japanese publication of which only the English abstract is known is shown with that.
 */
import type { Patent } from './record.js';

export function shownAbstract({ abstract, abstracts }: Pick<Patent, 'abstract' | 'abstracts'>) {
  return abstract || firstOf(abstracts);
}

export function shownClaims({
  claims,
  translated_claims: others,
}: Pick<Patent, 'claims' | 'translated_claims'>) {
  return claims?.length ? claims : firstOf(others);
}

export function shownDescription({
  description,
  descriptions,
}: Pick<Patent, 'description' | 'descriptions'>) {
  return description?.length ? description : firstOf(descriptions);
}

function firstOf<T extends { length: number }>(
  texts: Readonly<Record<string, T>> | undefined,
): T | undefined {
  return Object.values(texts ?? {}).find(({ length }) => length > 0);
}
