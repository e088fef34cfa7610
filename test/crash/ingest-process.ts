/** An ingest in a separate process, with small segments, so that a kill meets commits, merges and index builds. */
import { open } from '../../src/engine.js';
import type { IngestOptions } from '../../src/index.js';

const [dir, options, ...paths] = process.argv.slice(2) as [string, string, ...string[]];
const engine = await open(dir, { create: true, workers: 1 });
try {
  const summary = await engine.ingest(paths, JSON.parse(options) as IngestOptions);
  process.stdout.write(JSON.stringify(summary));
} finally {
  await engine.close();
}
