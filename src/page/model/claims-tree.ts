/** Which claim depends on which. */
import { claimReferences } from '../../patent/claim-reference.js';
import type { ClaimText } from './document.js';

export interface ClaimNode extends ClaimText {
  /** Further claims that it refers to, beside the one under which it stands. */
  alsoOn: number[];
  children: ClaimNode[];
}

/** A claim stands under the first claim that its text refers to. Claims without a reference are the roots. */
export function claimsTree(claims: readonly ClaimText[]): ClaimNode[] {
  const nodes = new Map<number, ClaimNode>();
  const roots: ClaimNode[] = [];
  for (const claim of claims) {
    const references = claimReferences(claim.text, claim.number).filter((number) => nodes.has(number));
    const node: ClaimNode = { ...claim, alsoOn: references.slice(1), children: [] };
    nodes.set(claim.number, node);
    const parent = references[0] === undefined ? undefined : nodes.get(references[0]);
    (parent?.children ?? roots).push(node);
  }
  return roots;
}
