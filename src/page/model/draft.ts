/** What a visitor typed into the form and did not apply yet. */
import { emptySearch, type Search } from './fields.js';

/** Two searches with these are about the same. */
const QUESTION = ['query', 'like', 'unlike'] as const;

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * The form after the address changed. What is not applied stays, while the question stays: statistics, an order, or a filter
 * that is removed would otherwise drop it unseen.
 * @param draft the form
 * @param before the search of the address until now
 * @param after that of the new address
 */
export function draftAfter(draft: Search, before: Search, after: Search): Search {
  if (!QUESTION.every((name) => isEqual(before[name], after[name]))) return after;
  const names = Object.keys(emptySearch()) as (keyof Search)[];
  const pending = names.filter((name) => !isEqual(draft[name], before[name]));
  return { ...after, ...Object.fromEntries(pending.map((name) => [name, draft[name]])) };
}
