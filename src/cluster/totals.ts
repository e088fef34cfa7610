/** What scores depend on besides a document: numbers over all documents of a state. */
import type { OneState } from './client.js';
import { PARTS, type Part } from './mapping.js';

export interface Totals {
  documents: number;
  passages: number;
  /** Mean length of each part, in terms; 1 at least. */
  average: Record<Part, number>;
}

export async function totalsOf(state: OneState): Promise<Totals> {
  const sums = Object.fromEntries(PARTS.map((part) => [part, { sum: { field: `lengths.${part}` } }]));
  const { hits, aggregations } = await state.search({
    size: 0,
    track_total_hits: true,
    aggs: { ...sums, passages: { sum: { field: 'passage_count' } } },
  });
  const documents = hits.total!.value;
  const sumOf = (name: string) => (aggregations![name] as { value: number }).value;
  const average = (part: Part) => Math.max(1, sumOf(part) / Math.max(1, documents));
  return {
    documents,
    passages: sumOf('passages'),
    average: Object.fromEntries(PARTS.map((part) => [part, average(part)])) as Record<Part, number>,
  };
}
