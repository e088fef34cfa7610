/** Fetches publications from the cluster into memory. */
import { PriorartError } from '../errors.js';
import { type Hit, type Json, type OneState, together } from './client.js';
import { asking, type Field, type Stored, storedOf } from './documents.js';
import { figuresOf } from './figures.js';
import type { Missing, PublicationsInMemory } from './publications.js';

/** Documents of one answer. Those with vectors have some 30 KB each. */
export const EACH_REQUEST = 100;
/** Heads of one answer, some 2 KB each. */
const HEADS_EACH = 1_000;
/** Answers that are read at the same time. */
const AT_ONCE = 4;
/** Rounds of reading and fetching. A number leads to publications, and these to their applications. */
const ROUNDS = 8;
/** Keys of one request. */
const KEYS_EACH = 1_000;
/** Publications under some keys, at most. */
const MOST = 10_000;

/**
 * Runs work on publications. What it reads and is not there is fetched, and the work runs again.
 * @param work without side effects
 */
export async function withPublications<T>(
  state: OneState,
  publications: PublicationsInMemory,
  fields: readonly Field[],
  work: () => T,
): Promise<T> {
  for (let round = 0; round < ROUNDS; round++) {
    const end = attempt(work);
    const missing = publications.takeMissing();
    if (missing === undefined) {
      if ('error' in end) throw end.error;
      return end.value;
    }
    await fetchMissing(state, publications, missing, fields);
  }
  throw new PriorartError('internal', `publications lead to others after ${ROUNDS} rounds`);
}

function attempt<T>(work: () => T): { value: T } | { error: unknown } {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}

async function fetchMissing(
  state: OneState,
  publications: PublicationsInMemory,
  missing: Missing,
  fields: readonly Field[],
): Promise<void> {
  const { ids, numbers, applications, figures } = missing;
  const keys = Object.entries({ ids, number: numbers, application_key: applications });
  for (const [field, values] of keys) {
    const list = [...values];
    for (let at = 0; at < list.length; at += KEYS_EACH) {
      const some = { terms: { [field]: list.slice(at, at + KEYS_EACH) } };
      for (const stored of await fetchAll(state, [some], fields)) publications.add(stored);
    }
  }
  await fetchFigures(state, publications, [...figures]);
  publications.know(missing);
}

/** Adds the figures of publications, as they are now. */
export async function fetchFigures(
  { client, signal }: Pick<OneState, 'client' | 'signal'>,
  publications: PublicationsInMemory,
  patentIds: readonly string[],
): Promise<void> {
  if (patentIds.length === 0) return;
  publications.addFigures(patentIds, await figuresOf(client, patentIds, signal));
}

/** All documents for which queries hold. @throws PriorartError `internal` if they are more than `MOST` */
async function fetchAll(
  state: OneState,
  filter: readonly Json[],
  fields: readonly Field[],
): Promise<Stored[]> {
  const found = await fetchUpTo(state, filter, fields, MOST);
  if (found !== undefined) return found;
  throw new PriorartError('internal', `more than ${MOST} publications match one number`);
}

/**
 * Heads of the publications of families.
 * @param groups keys of the families
 * @param most of each family, the first by patent_id, if all families together are too large to be read whole
 */
export async function fetchFamilies(
  state: OneState,
  groups: readonly string[],
  most: number,
): Promise<Stored[]> {
  if (groups.length === 0) return [];
  const all = await fetchUpTo(state, [{ terms: { family_group: groups } }], ['head'], MOST);
  if (all !== undefined) return all;
  const each = await inLanes(groups, async (group) => {
    const { hits } = await state.search(pageOf([{ term: { family_group: group } }], ['head'], most));
    return hits.hits.map(storedOf);
  });
  return each.flat();
}

/** All documents for which queries hold, by patent_id; undefined if they are more than `most`. */
async function fetchUpTo(
  state: OneState,
  filter: readonly Json[],
  fields: readonly Field[],
  most: number,
): Promise<Stored[] | undefined> {
  const found: Stored[] = [];
  const size = fields.every((field) => field === 'head') ? HEADS_EACH : EACH_REQUEST;
  let after: unknown[] | undefined;
  for (;;) {
    const { hits } = await state.search({
      ...pageOf(filter, fields, size),
      ...(after ? { search_after: after } : {}),
    });
    found.push(...hits.hits.map(storedOf));
    after = hits.hits.at(-1)?.sort;
    if (found.length > most) return undefined;
    if (hits.hits.length < size || after === undefined) return found;
  }
}

function pageOf(filter: readonly Json[], fields: readonly Field[], size: number): Json {
  return {
    ...asking(fields),
    size,
    query: { bool: { filter } },
    sort: [{ [PATENT_ID]: 'asc' }],
    track_total_hits: false,
  };
}

/** The field that identifies a publication. The id of its document may be that of a publication that it corrects. */
export const PATENT_ID = 'columns.patent_id';

/** The fields of a hit that its patent_id, and the groups that it belongs to, are in. */
export const KEYS = [PATENT_ID, 'application_group', 'family_group'];

/** The value of a field of a hit; empty if it has none. */
export function keyOfHit({ fields }: Pick<Hit, 'fields'>, field: string): string {
  return String(fields?.[field]?.[0] ?? '');
}

/** A query that holds for publications by patent_id. */
export function withIds(patentIds: readonly string[]): Json {
  return { terms: { [PATENT_ID]: patentIds } };
}

/** patent_ids of all documents for which queries hold. */
export async function idsWhere(state: OneState, filter: readonly Json[]): Promise<string[]> {
  const found: string[] = [];
  let after: unknown[] | undefined;
  do {
    const { hits } = await state.search({
      ...pageOf(filter, [], MOST),
      ...(after ? { search_after: after } : {}),
    });
    for (const { sort } of hits.hits) found.push(String(sort![0]));
    after = hits.hits.length < MOST ? undefined : hits.hits.at(-1)?.sort;
  } while (after !== undefined);
  return found;
}

/** Adds the documents with these patent_ids. @param each documents of one request */
export async function fetchByIds(
  state: OneState,
  publications: PublicationsInMemory,
  patentIds: readonly string[],
  fields: readonly Field[],
  each = EACH_REQUEST,
): Promise<void> {
  const parts: (readonly string[])[] = [];
  for (let at = 0; at < patentIds.length; at += each) parts.push(patentIds.slice(at, at + each));
  const found = await inLanes(parts, async (values) => {
    const { hits } = await state.search({
      ...asking(fields),
      size: values.length,
      query: { bool: { filter: [withIds(values)] } },
      track_total_hits: false,
    });
    if (hits.hits.length !== values.length) {
      throw new PriorartError('internal', 'a document of this state of the index was not found again');
    }
    return hits.hits.map(storedOf);
  });
  // In their order, whichever answer came first.
  for (const stored of found.flat()) publications.add(stored);
}

/** The results of requests, some of which run at the same time. */
export async function inLanes<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  const lane = async () => {
    for (const [n, item] of waiting) results[n] = await work(item);
  };
  await together(Array.from({ length: Math.min(AT_ONCE, items.length) }, lane));
  return results;
}
