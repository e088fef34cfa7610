import type { IndexCosts, IndexFile } from '../../src/store/manifest.js';

/**
 * Costs, ns, of an index, as they are measured with 256 dimensions on a core with AVX2. Tests give them to the planner, so
 * that plans are the same on every machine.
 */
export function costsOf({ kind, lists }: Pick<IndexFile, 'kind' | 'lists'>): IndexCosts {
  const row = 30;
  const code: Record<string, number> = { 'ivf-flat': 40, 'ivf-sqfp16': 30, 'ivf-sq8': 35, 'ivf-pq': 9 };
  if (lists === 0) return { row, start: 0, code: 1_600, scan: 0 };
  return { row, start: 25 * lists, code: code[kind] ?? row, scan: kind.startsWith('ivf-pq') ? 9 : 0 };
}
