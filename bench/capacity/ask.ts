/**
 * `node dist/bench/capacity/ask.js PATENTS RATE P99-MS`: estimates the processors and memory needed by the model of the
 * last `npm run bench -- capacity`.
 */
import { readModel } from './capacity.js';
import { answer } from './model.js';

const [patents, rate, p99Ms] = process.argv.slice(2).map(Number);
if (!(patents! > 0 && rate! > 0 && p99Ms! > 0)) {
  console.error('usage: node dist/bench/capacity/ask.js PATENTS REQUESTS-A-SECOND P99-MS');
  process.exit(2);
}
const known = readModel();
if (known === undefined) {
  console.error('this machine has no measurements: run npm run bench -- capacity');
  process.exit(1);
}
const needed = answer(known.model, { patents: patents!, rate: rate!, p99Ms: p99Ms! });
const gib = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;
console.log(
  `${Math.round(needed.passages).toLocaleString('en')} passages, ${needed.cpuMs.toFixed(1)} ms of processor time a request`,
);
console.log(
  needed.cores === undefined
    ? 'no number of processors reaches this p99: spread the patents over several servers'
    : `${needed.cores} cores like those of ${known.machine.processor}, ${Math.round(needed.busy! * 100)} % used; p99 about ${needed.p99Ms!.toFixed(0)} ms`,
);
console.log(
  `${gib(needed.memoryBytes)} of memory, ${gib(needed.memoryWithTextsBytes)} with all texts in memory`,
);
