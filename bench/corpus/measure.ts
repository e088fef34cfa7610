/**
 * `node dist/bench/corpus/measure.js DATA [OUT]`: measures a data folder. The generator reproduces the statistics in
 * `bench/corpus/statistics.json`, which were measured on the offices' own documents.
 */
import { writeFileSync } from 'node:fs';
import { loadModels } from '../../src/models/load.js';
import { Store } from '../../src/store/store.js';
import { statisticsOf } from './statistics.js';
import { vectorStatisticsOf } from './vector-statistics.js';

const [data, out] = process.argv.slice(2);
if (!data) {
  console.error('usage: node dist/bench/corpus/measure.js DATA [OUT]');
  process.exit(2);
}
const store = Store.open(data);
const { embedder } = await loadModels();
const measured = { texts: statisticsOf(store), vectors: await vectorStatisticsOf(store, embedder) };
await store.close();
// Lists of numbers are written on one line for readability.
const json = JSON.stringify(measured, null, 1).replace(/\[[\d\s,.eE+-]*\]/g, (list) =>
  list.replace(/\s+/g, ' '),
);
if (out) writeFileSync(out, `${json}\n`);
else console.log(json);
