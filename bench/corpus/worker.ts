/** A worker thread that makes and prepares blocks of documents. */
import { parentPort, workerData } from 'node:worker_threads';
import { loadModels } from '../../src/models/load.js';
import { Blocks, prepared } from './blocks.js';
import { readMeasured } from './shape.js';
import type { Vocabulary } from './vocabulary.js';

const { vocabulary, seed } = workerData as { vocabulary: Vocabulary; seed: number };
const blocks = new Blocks(vocabulary, readMeasured(), seed);
const models = await loadModels();

parentPort!.on('message', async (block: number) => {
  parentPort!.postMessage({ block, documents: await prepared(models, blocks.patents(block)) });
});
