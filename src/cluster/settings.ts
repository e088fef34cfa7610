/** Settings of an engine on a cluster. */

import type { ClusterAddress } from '../engine-options.js';
import { OPENSEARCH } from '../limits.js';

/** The engines of vectors of the k-NN plugin that can be used. */
export type KnnEngine = NonNullable<ClusterAddress['knnEngine']>;

type Address = Omit<ClusterAddress, 'engine'>;

export interface ClusterSettings {
  /** Addresses of nodes, such as `https://node-1:9200`. */
  nodes: readonly string[];
  /** Name of the alias; the indexes behind it begin with this name. */
  index: string;
  username?: string | undefined;
  password?: string | undefined;
  /** Certificates of the authority that signed those of the nodes, PEM. Default: those that Node trusts. */
  ca?: string | undefined;
  /** Engine of the vectors of a new index. `faiss` needs the plugin's native library on every node. */
  knnEngine: KnnEngine;
  /** Shards and replicas of a new index. */
  shards: number;
  replicas: number;
  /** Milliseconds until a node that does not answer is given up. */
  timeoutMs: number;
}

/** Settings of an address, with the defaults. */
export function settingsOf({
  nodes,
  index,
  knnEngine,
  shards,
  replicas,
  timeoutMs,
  drawings: _,
  ...access
}: Address): ClusterSettings {
  return {
    nodes,
    index: index ?? OPENSEARCH.index,
    knnEngine: knnEngine ?? OPENSEARCH.knnEngine,
    shards: shards ?? OPENSEARCH.shards,
    replicas: replicas ?? OPENSEARCH.replicas,
    timeoutMs: timeoutMs ?? OPENSEARCH.timeoutMs,
    ...access,
  };
}
