/** Which claims a claim depends on by its text: those that it names, and all earlier ones if it says `any of the preceding claims`. */
import { claimReferences } from './claim-reference.js';
import type { Claim } from './record.js';

/** All earlier claims: `any of the preceding claims`, `nach einem der vorhergehenden Ansprüche`, `前記請求項のいずれか`. */
const PRECEDING = new RegExp(
  '(?:' +
    '(?<one>(?<!any of |one of |more of )(?:the|said) )?(?:preceding|previous|foregoing) claim(?<many>s)?' +
    '|(?:vorher(?:gehend|ig)|vorstehend|vorangehend|vorangegangen)e[nr]? (?:Patent)?Ansprüche?n?' +
    '|revendications (?:précédentes|qui précèdent)' +
    '|(?:前記|上記|先行する|先の)(?:の?いずれかの|各)?請求項' +
    '|(?:前述|上述|前面|在前|先前)(?:的)?(?:任[意何]?一?)?[项項]?(?:的|所述)?(?:权利|權利)要求(?!书|書)' +
    '|(?:선행|상기|앞선|이전|전술한|선행하는) ?청구항(?:들)?(?:의|에서)? ?(?=중|어느)' +
    ')(?![a-z]| ?(?:第 ?)?\\d)',
  'giu',
);
/** Most claims that a text can name as the preceding ones. A damaged number of a claim may be large. */
const PRECEDING_MAX = 999;

/** Numbers of the earlier claims that a text refers to, ascending. */
export function claimsReferredTo(text: string, own: number): number[] {
  const found = new Set(claimReferences(text, own));
  for (const { groups } of text.normalize('NFKC').replace(/\s+/g, ' ').matchAll(PRECEDING)) {
    const from = groups?.['one'] && !groups['many'] ? own - 1 : 1;
    for (let number = Math.max(1, from); number < own && number < from + PRECEDING_MAX; number++)
      found.add(number);
  }
  return [...found].sort((a, b) => a - b);
}

/**
 * Claims with the references of their texts. Those that the source marks stay: it may mark a reference that the text has
 * in other words. It may also omit some, such as all but the ends of a range.
 */
export function withReferences(claims: readonly Claim[]): Claim[] {
  return claims.map((claim) => {
    const marked = claim.depends_on ?? [];
    const references = new Set([...marked, ...claimsReferredTo(claim.text, claim.number)]);
    if (references.size === 0) return claim;
    return { ...claim, depends_on: [...references].sort((a, b) => a - b) };
  });
}
