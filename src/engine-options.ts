/** Options of the library's calls: types and validation rules. */
import {
  abortSignal,
  callback,
  flag,
  integer,
  milliseconds,
  type OptionRules,
  pathOrObject,
  share,
  text,
} from './check-options.js';
import type { SnapshotOptions } from './index/snapshot-summary.js';
import type { IngestOptions } from './ingest/summary.js';
import { OPENSEARCH, WORKERS_MAX } from './limits.js';
import type { ModelsInput } from './models/config.js';
import type { AnswerObserver } from './observe/observations.js';
import type { PatentFilter } from './search/schema.js';

/** Options of `open`. */
export interface OpenOptions {
  /** Worker threads that search and embed; 0 works on the calling thread. Default: one per processor. */
  workers?: number | undefined;
  /** Makes an empty index if the folder holds none. Default: false. */
  create?: boolean | undefined;
  /**
   * Embedder and reranker: path of a models.json, or its content (paths in it are relative to the working
   * directory). Default: the models of the folder, and the static model for a new folder. The embedder must
   * be the embedder of the folder. `reembed` changes it.
   */
  models?: string | ModelsInput | undefined;
  /** Index kind of a new folder: `auto`, `flat`, `ivf-sq8`, `hnsw-flat`, … Default: `auto`. */
  indexKind?: string | undefined;
  /**
   * Called for each answered question with its waiting time, its duration and the durations of its stages.
   */
  observe?: AnswerObserver | undefined;
  /**
   * Share of the approximate searches, 0 to 1, that are repeated exactly in the background to measure their
   * recall. `observe` receives the recall. Default: 0.
   */
  recallCheck?: number | undefined;
}

/** Where an index on a cluster of OpenSearch is, for `open` in the place of a data folder. */
export interface ClusterAddress {
  /** The engine: `opensearch`. */
  engine: 'opensearch';
  /** Addresses of nodes, such as `https://node-1:9200`. A request that fails for one is sent to another. */
  nodes: readonly string[];
  /** Name of the index. Default: `priorart`. */
  index?: string | undefined;
  /** Name of the user, if the cluster asks for one. */
  username?: string | undefined;
  /** Password of the user. */
  password?: string | undefined;
  /** Certificates of the authority that signed those of the nodes, PEM. Default: those that Node trusts. */
  ca?: string | undefined;
  /**
   * Engine of the vectors of a new index: `faiss`, which needs the native library of the k-NN plugin on every node, or
   * `lucene`. Default: `faiss`.
   */
  knnEngine?: 'faiss' | 'lucene' | undefined;
  /** Shards of a new index. Default: 1. */
  shards?: number | undefined;
  /** Copies of each shard of a new index. Default: 1. */
  replicas?: number | undefined;
  /** Milliseconds until a node that does not answer is given up. Default: 30,000. */
  timeoutMs?: number | undefined;
  /** The S3 bucket that keeps the drawings of this index. Default: an ingest leaves drawings out. */
  drawings?: DrawingBucket | undefined;
}

/**
 * An S3 bucket with drawings. Its credentials come from the environment: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and
 * `AWS_SESSION_TOKEN`.
 */
export interface DrawingBucket {
  /** Name of the bucket. */
  bucket: string;
  /** Address of the storage, such as `https://s3.example.com`. Default: Amazon S3. */
  endpoint?: string | undefined;
  /** Region of the bucket. Default: `us-east-1`. */
  region?: string | undefined;
  /** Beginning of the names of drawings in the bucket. Default: `drawings/`. */
  prefix?: string | undefined;
}

/** Options of every call with a question. */
export interface CallOptions {
  /** Aborting rejects the call with a PriorartError of code `cancelled` and stops its work. */
  signal?: AbortSignal | undefined;
  /**
   * Milliseconds after which a slow reranker stops. Documents without a score then follow the scored
   * documents.
   */
  deadlineMs?: number | undefined;
}

/** Options of statistics. */
export interface AnalyzeOptions extends CallOptions {
  /** Scans every vector that the filter allows, even if there is an index or there are sketches. Default: false. */
  exact?: boolean | undefined;
  /**
   * Who asks, if an application has several users. Later pages show the state of the last first page of the same owner.
   * Default: everybody is one owner. Without effect on a cluster.
   */
  owner?: string | undefined;
}

/** Options of a search. */
export interface SearchOptions extends CallOptions {
  /** Scans every vector that the filter allows, even if there is an index or there are sketches. Default: false. */
  exact?: boolean | undefined;
  /** Whether the reranker orders the results; false orders them by similarity, and refuses a request with `rerank: 'on'`. Default: true. */
  rerank?: boolean | undefined;
}

/** Options of `get`. */
export interface GetOptions {
  /** Adds the passages of each record and their vectors, as `_passages`. Default: false. */
  vectors?: boolean | undefined;
  /** Aborting rejects the call with a PriorartError of code `cancelled`. */
  signal?: AbortSignal | undefined;
}

/** Options of `patents`. */
export interface PatentsOptions extends GetOptions {
  /**
   * Selects publications: the fields of a search that choose publications. Without `doc_type`,
   * `kind_codes` and `include_utility_model` every kind is allowed, including utility models and designs.
   * Default: all publications.
   */
  filter?: PatentFilter | undefined;
}

export const CALL: OptionRules<CallOptions> = { signal: abortSignal, deadlineMs: milliseconds };
export const ANALYZE: OptionRules<AnalyzeOptions> = { ...CALL, exact: flag, owner: text };
export const SEARCH: OptionRules<SearchOptions> = { ...CALL, exact: flag, rerank: flag };
export const GET: OptionRules<GetOptions> = { vectors: flag, signal: abortSignal };
/** The content of `filter` is checked like the filter of a search. */
export const PATENTS: OptionRules<PatentsOptions> = {
  ...GET,
  filter: { expected: 'an object', holds: () => true },
};
export const OPEN: OptionRules<OpenOptions> = {
  workers: integer(0, WORKERS_MAX),
  create: flag,
  models: pathOrObject,
  indexKind: text,
  observe: callback,
  recallCheck: share,
};
export const CLUSTER: OptionRules<ClusterAddress> = {
  engine: { expected: '"opensearch"', holds: (value) => value === 'opensearch' },
  nodes: {
    expected: 'a list of addresses, such as https://node-1:9200',
    holds: (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((node) => typeof node === 'string' && /^https?:\/\/./.test(node) && URL.canParse(node)),
  },
  index: {
    expected: 'a name of small letters, digits, hyphens and underscores, which begins with a letter',
    holds: (value) => typeof value === 'string' && /^[a-z][a-z0-9_-]{0,99}$/.test(value),
  },
  username: text,
  password: text,
  ca: text,
  knnEngine: {
    expected: '"faiss" or "lucene"',
    holds: (value) => value === 'faiss' || value === 'lucene',
  },
  shards: integer(1, OPENSEARCH.shardsMax),
  replicas: integer(0, OPENSEARCH.replicasMax),
  // Longer than a timer of Node can be, it would not wait at all.
  timeoutMs: integer(1, 2 ** 31 - 1),
  drawings: {
    expected: 'an object with the name of a bucket, such as {bucket: "patents"}',
    holds: (value) =>
      typeof value === 'object' &&
      value !== null &&
      'bucket' in value &&
      Object.entries(value).every(
        ([name, part]) =>
          ['bucket', 'endpoint', 'region', 'prefix'].includes(name) &&
          (typeof part === 'string' || (part === undefined && name !== 'bucket')),
      ),
  },
};
export const INGEST: OptionRules<IngestOptions> = {
  name: text,
  signal: abortSignal,
  onProgress: callback,
  onlyNew: flag,
  settledMs: milliseconds,
  segmentPassages: integer(1, Number.MAX_SAFE_INTEGER),
  indexFrom: integer(1, Number.MAX_SAFE_INTEGER),
  drawings: flag,
};
export const SNAPSHOT: OptionRules<SnapshotOptions> = {
  signal: abortSignal,
  copy: flag,
  alongside: callback,
  onProgress: callback,
};
