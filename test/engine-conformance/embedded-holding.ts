/** The engine on a data folder, for the conformance suite. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '../../src/engine.js';
import type { IngestOptions } from '../../src/ingest/summary.js';
import type { Holding } from './suite.js';

export const MANY_BATCHES = 100;
export const ONE_BATCH = 100_000;

/** Opens a data folder. @param segmentPassages passages of a batch */
export function embedded(segmentPassages: number, options: IngestOptions = {}): Holding {
  return async (sources) => {
    const dir = mkdtempSync(join(tmpdir(), 'priorart-conformance-'));
    const engine = await open(dir, { create: true, workers: 1 });
    for (const source of sources) await engine.ingest(source, { segmentPassages, ...options });
    const close = async () => {
      await engine.close();
      rmSync(dir, { recursive: true });
    };
    return { engine, close };
  };
}
