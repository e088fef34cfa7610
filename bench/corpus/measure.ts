/**
 * `node dist/bench/corpus/measure.js DATA [OUT]`: measures a data folder. `bench/corpus/statistics.json` is what it
 * said of the offices' own documents; the generator follows it.
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
// A list of numbers on a line: it is read by people, too.
const json = JSON.stringify(measured, null, 1).replace(/\[[\d\s,.eE+-]*\]/g, (list) =>
  list.replace(/\s+/g, ' '),
);
if (out) writeFileSync(out, `${json}\n`);
else console.log(json);
