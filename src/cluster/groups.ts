/** Publications that are one result: those of an application, of a family, or each for itself. */
import type { Grouping } from '../search/collapse.js';
import type { DocumentHead } from '../store/document.js';
import type { Hit, Json, OneState } from './client.js';
import { applicationGroup, asking, familyGroup, storedOf } from './documents.js';
import { EACH_REQUEST, inLanes, PATENT_ID } from './lookups.js';
import { EACH_DOCUMENT, K_MAX, type Near, type NearestOptions, nearest } from './nearest.js';
import type { PublicationsInMemory } from './publications.js';

/** The field whose value the publications of a group share. */
export type GroupField = typeof PATENT_ID | 'application_group' | 'family_group';
export type Key = (near: Pick<Near, 'patentId' | 'application' | 'family'>) => string;

export function fieldOf({ dedupe, family }: Grouping): GroupField {
  if (!dedupe) return PATENT_ID;
  return family ? 'family_group' : 'application_group';
}

export function keyOf({ dedupe, family }: Grouping): Key {
  if (!dedupe) return ({ patentId }) => patentId;
  return family ? (near) => near.family : (near) => near.application;
}

export function keyOfHead(key: Key, head: DocumentHead): string {
  return key({ patentId: head.patent_id, application: applicationGroup(head), family: familyGroup(head) });
}

/** Groups beyond those wanted, and how many times more if they are tied. */
const BESIDES = 20;
const TIED_MOST = 4;
/** Inner products that differ by less may be shown as equal, or be in another order when they are computed again. */
const TIE = 1e-4;
/** Steps in which an index looks for more. */
const MORE = 4;

/** The nearest document of each of the nearest groups, and of groups that may tie with the last of them. */
export async function nearestGroups(
  state: OneState,
  { size, ...options }: NearestOptions & { onePer: GroupField },
): Promise<Near[]> {
  let most = size + BESIDES;
  let k = most * EACH_DOCUMENT;
  for (let before = -1; ; ) {
    const near = await nearest(state, { ...options, size: most, k });
    const isTied =
      near.length === most && most < TIED_MOST * size && near[size - 1]!.score - near[most - 1]!.score < TIE;
    // An index finds documents, which may all be of a few groups.
    const isShort = options.scan === 'index' && near.length < size && near.length > before && k < K_MAX;
    if (!isTied && !isShort) return near;
    if (isTied) most *= 2;
    before = near.length;
    k = Math.min(K_MAX, k * MORE);
  }
}

/**
 * The groups of the documents with the best lexical scores.
 * @param holding best first
 * @param taken groups that are not counted
 */
export function bestGroups(
  holding: readonly Near[],
  key: Key,
  taken: ReadonlySet<string>,
  most: number,
): Set<string> {
  const best = new Set<string>();
  let least = Number.NEGATIVE_INFINITY;
  for (const near of holding) {
    const group = key(near);
    if (taken.has(group) || best.has(group)) continue;
    if (best.size >= most && near.score < least) break;
    best.add(group);
    // Equal scores may differ by rounding.
    if (best.size === most) least = near.score * (1 - TIE);
  }
  return best;
}

/** Groups of one request, and scores of one answer. */
const GROUPS_EACH = 50;
const SCORES_EACH = 10_000;

/** Publications of some groups that a filter allows. */
export interface Groups {
  field: GroupField;
  /** Values of the field. */
  keys: ReadonlySet<string>;
  filter: readonly Json[];
}

/** Adds all publications of some groups. @param asked the part of a request that names what is fetched @returns their document ids */
export async function fetchGroups(
  state: OneState,
  publications: PublicationsInMemory,
  { field, keys, filter }: Groups,
  asked: Json,
): Promise<number[]> {
  const list = [...keys];
  const parts = Array.from({ length: Math.ceil(list.length / GROUPS_EACH) }, (_, n) =>
    list.slice(n * GROUPS_EACH, (n + 1) * GROUPS_EACH),
  );
  const hits = await inLanes(parts, (some) =>
    allHits(state, EACH_REQUEST, {
      ...asked,
      query: { bool: { filter: [...filter, { terms: { [field]: some } }] } },
    }),
  );
  // In their order, whichever answer came first.
  return hits.flat().map((hit) => publications.add(storedOf(hit)));
}

/** The scores of a query above 0, by patent_id. */
export async function scoresOfGroups(
  state: OneState,
  { field, keys, filter }: Groups,
  query: Json,
): Promise<Map<string, number>> {
  const hits = await allHits(state, SCORES_EACH, {
    ...asking([]),
    query: { bool: { filter: [...filter, { terms: { [field]: [...keys] } }], must: [query] } },
    track_scores: true,
  });
  return new Map(hits.map(({ sort, _score }) => [String(sort![0]), _score!]));
}

/** All hits of a query, in the order of their patent_id. @param each hits of one answer */
async function allHits(state: OneState, each: number, body: Json): Promise<Hit[]> {
  const found: Hit[] = [];
  let after: unknown[] | undefined;
  do {
    const { hits } = await state.search({
      ...body,
      size: each,
      sort: [{ [PATENT_ID]: 'asc' }],
      track_total_hits: false,
      ...(after ? { search_after: after } : {}),
    });
    found.push(...hits.hits);
    after = hits.hits.length < each ? undefined : hits.hits.at(-1)?.sort;
  } while (after !== undefined);
  return found;
}
