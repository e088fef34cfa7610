/** Documents by the inner products of their passages with a question, from the cluster. */
import type { Json, OneState } from './client.js';

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
const K_MAX = 10_000;
/** Passages that are looked for, for each document that is wanted: the best passages of a document crowd together. */
const EACH_DOCUMENT = 4;

/** The cluster adds numbers in another order. What is below the threshold by less than this is left out later. */
const ROUNDING = 1e-5;

/** How documents are compared with the question. */
export type Scan = 'exact' | 'index';

/** The cheaper scan of the documents that a filter allows. */
export async function scanOf(state: OneState, filter: readonly Json[]): Promise<Scan> {
  const { aggregations } = await state.search({
    size: 0,
    query: { bool: { filter } },
    aggs: { passages: { sum: { field: 'passage_count' } } },
  });
  return (aggregations!['passages'] as { value: number }).value <= EXACT_PASSAGES ? 'exact' : 'index';
}

export interface NearestOptions {
  vector: Float32Array;
  filter: readonly Json[];
  scan: Scan;
  /** Number of documents. */
  size: number;
  /** Inner product below which documents are left out. */
  least?: number | undefined;
}

/** The documents with the greatest scores, best first. */
export async function nearest(
  state: OneState,
  { vector, filter, scan, size, least }: NearestOptions,
): Promise<Near[]> {
  const question = Array.from(vector);
  const scored =
    scan === 'exact'
      ? { bool: { filter, must: [nested(exactScore(question))] } }
      : nested(neighbours(question, filter, Math.min(K_MAX, size * EACH_DOCUMENT)));
  const { hits } = await state.search({
    size,
    query: scored,
    _source: false,
    track_total_hits: false,
    docvalue_fields: ['application_group', 'family_group'],
    ...(least === undefined ? {} : { min_score: shownBy(least - ROUNDING) }),
  });
  return hits.hits.map(({ _id, _score, fields }) => ({
    patentId: _id,
    score: productOf(_score!),
    application: String(fields?.['application_group']?.[0] ?? ''),
    family: String(fields?.['family_group']?.[0] ?? ''),
  }));
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
