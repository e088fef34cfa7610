/**
 * The form of an index. A publication is one document, so that it is replaced as a whole. Its passages are nested in it,
 * for the search by vectors only: what an answer shows or scores exactly is in columns beside, so that reading one of them
 * does not read the others. Only the body, which no search reads, is in `_source`.
 */
import { COLUMNS } from '../index/columns.js';
import type { ModelIdentity } from '../store/manifest.js';
import type { Json } from './client.js';
import type { ClusterSettings, KnnEngine } from './settings.js';

/** Version of the form. Indexes of another version are refused. */
export const FORM = 5;
/** The first form whose publications `reindex` can read. The ones before it were never released. */
export const FORM_READ = 3;

/** Parts of a document whose terms are indexed. */
export const PARTS = ['names', 'title', 'claims', 'text'] as const;
export type Part = (typeof PARTS)[number];

/** Bytes of the longest term of a column, below the limit of Lucene. */
const TERM_MAX = 8_000;
/** Characters of all terms of one position. */
const POSITION_MAX = 8_192;
/** Passages of a document at most: those of the longest document that can be ingested, in Chinese, are fewer. */
const PASSAGES_MAX = 100_000;
/** Characters of the longest classification code. */
export const PREFIX_MAX = 20;
/** Columns that requests filter by hundreds of prefixes. */
export const PREFIXED: ReadonlySet<string> = new Set(['ipc', 'cpc']);
/** Documents that one request returns at most: statistics count 10,000 results, each of which may be several documents. */
export const WINDOW_MAX = 100_000;

/** What an index says of itself. */
export interface IndexMeta {
  form: number;
  model: ModelIdentity;
  /** Configuration of the models; absent: the default models. */
  models?: Readonly<Record<string, unknown>>;
  knnEngine: KnnEngine;
  createdAt: string;
}

/** The body that creates an index. */
export function indexBody(
  { knnEngine, shards, replicas }: ClusterSettings,
  model: ModelIdentity,
  models: IndexMeta['models'],
): Json {
  const meta: IndexMeta = {
    form: FORM,
    model,
    ...(models === undefined ? {} : { models }),
    knnEngine,
    createdAt: new Date().toISOString(),
  };
  return {
    settings: {
      index: {
        knn: true,
        number_of_shards: shards,
        number_of_replicas: replicas,
        max_result_window: WINDOW_MAX,
        mapping: { nested_objects: { limit: PASSAGES_MAX } },
        // A commit refreshes; nothing else has to.
        refresh_interval: -1,
        similarity: { count: { type: 'scripted', script: { source: 'return query.boost * doc.freq;' } } },
      },
      analysis: ANALYSIS,
    },
    mappings: {
      dynamic: 'strict',
      _meta: meta,
      _source: { includes: ['body'] },
      properties: properties(knnEngine, model.dimensions),
    },
  };
}

/** Splits the terms of native/core/src/lexical/stream.rs. */
const ANALYSIS = {
  tokenizer: { positions: { type: 'whitespace', max_token_length: POSITION_MAX } },
  filter: {
    same_position: { type: 'pattern_capture', preserve_original: false, patterns: ['([^\u0003]+)'] },
    no_term: { type: 'stop', stopwords: ['\u0004'] },
    beginnings: { type: 'edge_ngram', min_gram: 1, max_gram: PREFIX_MAX },
  },
  analyzer: {
    stream: { type: 'custom', tokenizer: 'positions', filter: ['same_position', 'no_term'] },
    prefixes: { type: 'custom', tokenizer: 'keyword', filter: ['beginnings'] },
  },
};

function properties(knnEngine: KnnEngine, dimensions: number): Json {
  const keyword = { type: 'keyword', ignore_above: TERM_MAX };
  // A query of many terms is one clause for the cluster, which takes 1,024 in a request; each prefix query is one.
  const prefix = { type: 'text', analyzer: 'prefixes', index_options: 'docs', norms: false };
  const columns = COLUMNS.filter(({ name }) => name !== 'applicant').map(({ name, kind }) => [
    name,
    kind === 'date' ? { type: 'integer' } : PREFIXED.has(name) ? { ...keyword, fields: { prefix } } : keyword,
  ]);
  const terms = { type: 'text', analyzer: 'stream', similarity: 'count', norms: false };
  const each = (type: Json) => ({ properties: Object.fromEntries(PARTS.map((part) => [part, type])) });
  const column = { type: 'binary', doc_values: true };
  return {
    /** patent_id, and those of corrected publications. */
    ids: keyword,
    number: keyword,
    /** Country and application number; keys of the international application and its publication. */
    application_key: keyword,
    /** What an application and its grant share; and what a family does. */
    application_group: keyword,
    family_group: keyword,
    columns: { properties: Object.fromEntries(columns) },
    terms: each(terms),
    lengths: each({ type: 'integer' }),
    passage_count: { type: 'integer' },
    passages: {
      type: 'nested',
      properties: {
        vector: {
          type: 'knn_vector',
          dimension: dimensions,
          method: { name: 'hnsw', engine: knnEngine, space_type: 'innerproduct' },
        },
      },
    },
    /** Tells two versions of a publication apart. */
    hash: { type: 'keyword', index: false },
    head: column,
    body: { type: 'object', enabled: false },
    texts: column,
    bags: column,
    /** Half-precision numbers, passages × dimensions. */
    vectors: column,
  };
}
