/** The engine on a data folder conforms, however its publications were committed: in one batch a source, or in many. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '../../src/engine.js';
import { FIXTURES } from '../crash/folder.js';
import { conformance, type Holding } from './suite.js';

/** Opens a data folder. @param segmentPassages passages of a batch */
function embedded(segmentPassages: number): Holding {
  return async (sources) => {
    const dir = mkdtempSync(join(tmpdir(), 'priorart-conformance-'));
    const engine = await open(dir, { create: true, workers: 1 });
    for (const source of sources) await engine.ingest(source, { segmentPassages });
    const close = async () => {
      await engine.close();
      rmSync(dir, { recursive: true });
    };
    return { engine, close };
  };
}

const MANY_BATCHES = 100;
const ONE_BATCH = 100_000;

conformance('a data folder of many batches', {
  sources: FIXTURES,
  subject: embedded(MANY_BATCHES),
  reference: embedded(ONE_BATCH),
});
