/**
 * Ingests a file into a new data folder several times, and prints the process's own memory after each time: `node
 * ingest-process.js FOLDER FILE TIMES`.
 */
import { readFileSync } from 'node:fs';
import { open } from '../../src/engine.js';

export interface IngestMemory {
  documents: number;
  /** Anonymous memory after each time, bytes. */
  own: number[];
}

/** Memory of the process without mapped files, bytes. */
function ownMemory(): number {
  const status = readFileSync('/proc/self/status', 'utf8');
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)![1]) * 1024;
}

const [, , dir = '', file = '', times = ''] = process.argv;
const engine = await open(dir, { create: true, workers: 2 });
const report: IngestMemory = { documents: 0, own: [] };
for (let nth = 0; nth < Number(times); nth++) {
  const { documents, failed } = await engine.ingest(file, { drawings: false });
  if (failed.length > 0) throw new Error(failed[0]!.reason);
  report.documents += documents;
  report.own.push(ownMemory());
}
await engine.close();
process.stdout.write(JSON.stringify(report));
