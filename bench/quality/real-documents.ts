/** The real publications, ingested into an index of their own, for the sections that ask short questions about them. */
import { join } from 'node:path';
import { type Engine, open } from '../../src/engine.js';
import type { Context } from './measure.js';

/** The folder of the publications within the collections. */
export const PATENTS = 'patents';

/**
 * Ingests the publications and runs a measurement on them.
 * @param short offices whose publications a short run reads
 */
export async function onRealDocuments<T>(
  context: Context,
  short: readonly string[],
  measure: (engine: Engine) => Promise<T>,
): Promise<T> {
  const folder = join(context.corpora, PATENTS);
  const engine = await open(join(context.temporary, 'index'), { create: true });
  try {
    await engine.ingest(context.short ? short.map((office) => join(folder, office)) : [folder]);
    return await measure(engine);
  } finally {
    await engine.close();
  }
}
