/** Documents by the inner products of their passages with a question, from the cluster. */
import type { Hit, Json, OneState } from './client.js';
import { asking } from './documents.js';
import { KEYS, keyOfHit, PATENT_ID } from './lookups.js';

/** What is known of a document without its texts and vectors. */
export interface Near {
  patentId: string;
  /** Greatest inner product of its passages. */
  score: number;
  application: string;
  family: string;
}

/** Passages that are scored one by one instead of looked for in an index. */
const EXACT_PASSAGES = 50_000;
/** The most neighbours that the plugin looks for in a shard. */
export const K_MAX = 10_000;
/** Passages that are looked for, for each document that is wanted: the best passages of a document crowd together. */
export const EACH_DOCUMENT = 4;

/** The cluster adds numbers in another order. What is below the threshold by less than this is left out later. */
const ROUNDING = 1e-5;

/** How documents are compared with the question. */
export type Scan = 'exact' | 'index';

/**
 * The cheaper scan of the documents that a filter allows.
 * @param passages of all documents
 * @param exactPassages up to which all are compared
 */
export async function scanOf(
  state: OneState,
  filter: readonly Json[],
  passages: number,
  exactPassages = EXACT_PASSAGES,
): Promise<Scan> {
  if (passages <= exactPassages) return 'exact';
  if (filter.length === 0) return 'index';
  const { aggregations } = await state.search({
    size: 0,
    query: { bool: { filter } },
    aggs: { passages: { sum: { field: 'passage_count' } } },
  });
  return (aggregations!['passages'] as { value: number }).value <= exactPassages ? 'exact' : 'index';
}

export interface NearestOptions {
  vector: Float32Array;
  filter: readonly Json[];
  scan: Scan;
  /** Number of documents. */
  size: number;
  /** Only the nearest of the documents that share a value of this field. */
  onePer?: string;
  /** Documents that an index looks for in a shard, at least. */
  k?: number;
  /** Inner product below which documents are left out. */
  least?: number | undefined;
}

/** The documents with the greatest scores, best first. */
export async function nearest(state: OneState, options: NearestOptions): Promise<Near[]> {
  return (await nearestBy(state, options)).near;
}

/**
 * The same, with how they were found. An index gives no more than `K_MAX` of a shard: if it may have left some out for that
 * reason alone, all are compared.
 */
export async function nearestBy(
  state: OneState,
  options: NearestOptions,
): Promise<{ near: Near[]; scan: Scan }> {
  const { scan } = options;
  const near = await search(state, options);
  const isCut = scan === 'index' && options.size > K_MAX && near.length >= K_MAX;
  return isCut ? { near: await search(state, { ...options, scan: 'exact' }), scan: 'exact' } : { near, scan };
}

async function search(
  state: OneState,
  { vector, filter, scan, size, onePer, k = size * EACH_DOCUMENT, least }: NearestOptions,
): Promise<Near[]> {
  const question = Array.from(vector);
  const scored =
    scan === 'exact'
      ? { bool: { filter, must: [nested(exactScore(question))] } }
      : nested(neighbours(question, filter, Math.min(K_MAX, k)));
  const { hits } = await state.search({
    size,
    query: scored,
    ...asking([], KEYS),
    track_total_hits: false,
    ...(onePer === undefined ? {} : { collapse: { field: onePer } }),
    ...(least === undefined ? {} : { min_score: shownBy(least - ROUNDING) }),
  });
  return hits.hits.map((hit) => nearOf(hit, productOf(hit._score!)));
}

/** A document of an answer that has the fields of `KEYS`. */
export function nearOf(hit: Hit, score: number): Near {
  return {
    patentId: keyOfHit(hit, PATENT_ID),
    score,
    application: keyOfHit(hit, 'application_group'),
    family: keyOfHit(hit, 'family_group'),
  };
}

function nested(query: Json): Json {
  return { nested: { path: 'passages', score_mode: 'max', query } };
}

/** Scores every passage. The filter is applied to documents outside of it. */
function exactScore(question: number[]): Json {
  const params = { field: 'passages.vector', query_value: question, space_type: 'innerproduct' };
  return {
    script_score: { query: { match_all: {} }, script: { lang: 'knn', source: 'knn_score', params } },
  };
}

function neighbours(vector: number[], filter: readonly Json[], k: number): Json {
  const filtered = filter.length === 0 ? {} : { filter: { bool: { filter } } };
  return { knn: { 'passages.vector': { vector, k, ...filtered } } };
}

/** The inner product of a score of the plugin: 1 + x from 0 on, 1 / (1 - x) below. */
function productOf(score: number): number {
  return score >= 1 ? score - 1 : 1 - 1 / score;
}

/** The score of an inner product. */
function shownBy(product: number): number {
  return product >= 0 ? product + 1 : 1 / (1 - product);
}
