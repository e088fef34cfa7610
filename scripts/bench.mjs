/** `npm run bench`: sets up, then runs a benchmark. `npm run bench -- --help` lists the benchmarks. */
import { join } from 'node:path';
import { reportFailure, runInPlace } from './setup/child.mjs';
import { ROOT, setUp } from './setup.mjs';

async function bench(args) {
  await setUp();
  return runInPlace(process.execPath, [join(ROOT, 'dist/bench/main.js'), ...args]);
}

await bench(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
}, reportFailure);
