/**
 * `node dist/bench/ingest/weekly-file.js OUT MEGABYTES [DOCUMENT…]`: writes a weekly full-text file of any size, for
 * manual measurements of an ingest's speed and memory. Default documents: those of `fixtures/us`, repeated.
 */
import { writeWeekly } from './weekly.js';

const [out, megabytes, ...files] = process.argv.slice(2);
if (!out || !(Number(megabytes) > 0)) {
  console.error('usage: node dist/bench/ingest/weekly-file.js OUT MEGABYTES [DOCUMENT…]');
  process.exit(2);
}
await writeWeekly(out, Number(megabytes) * 1e6, files);
