/** Which claims a claim depends on by its text: those that it names, and all earlier ones if it says `any of the preceding claims`. */
import { claimReferences } from './claim-reference.js';
import type { Claim } from './record.js';

/** All earlier claims: `any of the preceding claims`, `nach einem der vorhergehenden Ansprüche`, `前記請求項のいずれか`. */
const PRECEDING = new RegExp(
  '(?:' +
    '(?<one>(?<!any of |one of |more of )(?:the|said) )?(?:preceding|previous|foregoing|above) claim(?<many>s)?' +
    '|(?<dem>(?<![a-z])dem )?(?:vorher(?:gehend|ig)|vor(?:an)?stehend|vorangehend|vorangegangen|vorgenannt|vorbeschrieben)e[mnr]? (?:Patent)?Anspr(?:uch|üche?n?)' +
    '|(?<la>(?<![a-z])la )?revendications? (?:précédentes?|qui précèdent?)' +
    '|(?:前記|上記|先行する|先の)(?:の?いずれかの|各)?請求項' +
    '|(?:前述|上述|前面|在前|先前)(?:的)?(?:任[意何]?一?)?[项項]?(?:的|所述)?(?:权利|權利)要求(?!书|書)' +
    '|(?:선행|상기|앞선|이전|전술한|선행하는) ?청구항(?:들)?(?:의|에서)? ?(?=중|어느)' +
    '|임의의 (?:선행|앞선|이전|전술한|선행하는) ?청구항' +
    ')(?![a-z]| ?(?:第 ?)?\\d)',
  'giu',
);
/** Ordinals that name a claim: `the first or second claim`. */
const ORDINALS = 'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ');
const ORDINAL = `(?:${ORDINALS.join('|')})`;
/**
 * A claim that is named by its ordinal. The words before it tell it from a claim of another kind, as in `the status of the
 * first claim` of an insurance.
 */
const BY_ORDINAL = new RegExp(
  `(?<![a-z])(?:according to|(?:claimed|defined|described|recited|set forth) in|as in|in accordance with) (?:either |any (?:one )?)?(?:of )?(?:the )?` +
    `(${ORDINAL}(?:(?:,(?: and| or)?| and| or) (?:the )?${ORDINAL}){0,9}) claims?(?![a-z])`,
  'giu',
);
/** Most claims that a text can name as the preceding ones. A damaged number of a claim may be large. */
const PRECEDING_MAX = 999;

/** Numbers of the earlier claims that a text refers to, ascending. */
export function claimsReferredTo(text: string, own: number): number[] {
  const found = new Set(claimReferences(text, own));
  const whole = text.normalize('NFKC').replace(/\s+/g, ' ');
  for (const [, list] of whole.matchAll(BY_ORDINAL)) {
    for (const word of (list ?? '').toLowerCase().split(/[ ,]+/)) {
      const number = ORDINALS.indexOf(word) + 1;
      if (number > 0 && number < own) found.add(number);
    }
  }
  for (const match of whole.matchAll(PRECEDING)) {
    const from = isOne(match) ? own - 1 : 1;
    for (let number = Math.max(1, from); number < own && number < from + PRECEDING_MAX; number++)
      found.add(number);
  }
  return [...found].sort((a, b) => a - b);
}

/** Whether the words name the claim just before: `the preceding claim`, but `any of the preceding claims`. */
function isOne({ groups }: RegExpMatchArray): boolean {
  if (groups?.['one']) return !groups['many'];
  return groups?.['dem'] !== undefined || groups?.['la'] !== undefined;
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
