/**
 * What an index on a cluster needs, from measured bytes and processor times.
 *
 * - Disk: bytes a passage as measured, twice that while segments are merged, for each copy of a shard.
 * - Shards: of 30 GB, the upper end of what the documentation of OpenSearch advises for searching.
 * - Memory of the vectors: 1.1 · (b · dimensions + 8 · m) bytes a vector and copy, where m = 16 is the default of a graph and b
 *   is 4 for float, 2 for fp16, 1 for bytes, 1/8 for one bit (`on_disk`, 32x).
 * - Nodes: of 64 GB with 31 GB of heap, of whose other memory the vectors may take half (`knn.memory.circuit_breaker.limit`).
 * - A search: a part that does not grow, and a part for each passage, because the lexical score is computed of every document
 *   that holds a word of the question. Shards share the second part. It is an order of magnitude: small indexes also grow in
 *   cost because more of the near documents are long, which ends.
 */
import type { Figure } from '../result.js';

export interface Measured {
  passages: number;
  documents: number;
  /** On the disk, of one copy. */
  bytes: number;
  /** Processor time of a search without a filter, node and client together. */
  searchCpuMs: number;
}

export interface Sizing {
  shards: number;
  /** Bytes on the disk of all copies. */
  diskBytes: number;
  memory: { quantisation: string; bytes: number; nodes: number }[];
  /** Processor time of a search, ms; undefined if the measured sizes do not show how it grows. */
  searchCpuMs: number | undefined;
}

/** Of the default model. */
const DIMENSIONS = 256;
const M = 16;
const REPLICAS = 1;
const SHARD_BYTES = 30e9;
const NODE = { memory: 64e9, heap: 31e9, ofVectors: 0.5 };
/** Room for a merge. */
const MERGING = 2;
export const QUANTISATIONS = [
  { quantisation: 'float', bytes: 4 },
  { quantisation: 'fp16', bytes: 2 },
  { quantisation: 'bytes', bytes: 1 },
  { quantisation: 'one bit', bytes: 1 / 8 },
] as const;
export const SIZES = [10e6, 100e6, 1e9] as const;

/** Bytes of a vector in memory, of one copy. */
export function vectorBytes(each: number, dimensions = DIMENSIONS): number {
  return 1.1 * (each * dimensions + 8 * M);
}

/**
 * @param measured by size, the largest last
 * @param passages of the index that is planned
 */
export function sizingOf(measured: readonly Measured[], passages: number): Sizing {
  const largest = measured.at(-1);
  if (largest === undefined) throw new Error('nothing was measured');
  const primaries = (largest.bytes / largest.passages) * passages;
  const shards = Math.max(1, Math.ceil(primaries / SHARD_BYTES));
  const copies = REPLICAS + 1;
  const cost = searchCost(measured);
  return {
    shards,
    diskBytes: primaries * copies * MERGING,
    memory: QUANTISATIONS.map(({ quantisation, bytes }) => {
      const needed = vectorBytes(bytes) * passages * copies;
      const nodes = Math.ceil(needed / ((NODE.memory - NODE.heap) * NODE.ofVectors));
      return { quantisation, bytes: needed, nodes: Math.max(copies, nodes) };
    }),
    searchCpuMs: cost && cost.fixed + cost.each * passages,
  };
}

/** The parts of a search's cost: `fixed`, and `each` for a passage. Undefined with one size, or if noise hides the growth. */
function searchCost(measured: readonly Measured[]): { fixed: number; each: number } | undefined {
  const [first, last] = [measured[0]!, measured.at(-1)!];
  const slope = (last.searchCpuMs - first.searchCpuMs) / (last.passages - first.passages);
  const fixed = last.searchCpuMs - slope * last.passages;
  if (Number.isFinite(slope) && slope > 0 && fixed >= 0) return { fixed, each: slope };
  return undefined;
}

/** The figures of a table. */
export function sizingFigures(measured: readonly Measured[]): Figure[] {
  return SIZES.flatMap((passages) => {
    const { shards, diskBytes, memory, searchCpuMs } = sizingOf(measured, passages);
    const at = { measure: `${passages / 1e6} million passages`, variant: 'simulated', n: 1 };
    return [
      { ...at, metric: 'shards, each twice', value: shards, unit: '' },
      { ...at, metric: 'disk, two copies', value: diskBytes / 1e9, unit: 'GB' },
      ...memory.flatMap(({ quantisation, bytes, nodes }) => [
        { ...at, metric: `memory of the vectors, ${quantisation}`, value: bytes / 1e9, unit: 'GB' },
        { ...at, metric: `nodes of 64 GB, ${quantisation}`, value: nodes, unit: '' },
      ]),
      ...(searchCpuMs === undefined
        ? []
        : [{ ...at, metric: 'CPU of a search', value: searchCpuMs, unit: 'ms' }]),
    ];
  });
}
