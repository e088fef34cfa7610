/**
 * Opens a data folder with some workers, searches in each of them, and prints the kernel's figures on the mapped
 * files: `node mapped-process.js FOLDER WORKERS`.
 */
import { readFileSync } from 'node:fs';
import { open } from '../../src/engine.js';
import { native } from '../../src/index/native.js';

export interface Mapped {
  /** By path of a segment's or an index's file. */
  files: Record<string, { mappings: number; rss: number; pss: number }>;
  /** Open segments of the addon, over all threads. */
  open: number;
  rss: number;
}

export interface MappedReport {
  searching: Mapped;
  closed: Mapped;
}

/** Sums of /proc/self/smaps by file, kB. */
function mapped(): Mapped {
  const files: Mapped['files'] = {};
  let file: string | undefined;
  for (const line of readFileSync('/proc/self/smaps', 'utf8').split('\n')) {
    const header = /^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \d+\s*(.*)$/.exec(line);
    if (header) {
      file = /\/segments\/\S+$/.test(header[1]!) ? header[1]! : undefined;
      if (file === undefined) continue;
      files[file] ??= { mappings: 0, rss: 0, pss: 0 };
      files[file]!.mappings += 1;
      continue;
    }
    const [, what, kilobytes] = /^(Rss|Pss): +(\d+) kB$/.exec(line) ?? [];
    if (file === undefined || what === undefined) continue;
    files[file]![what === 'Rss' ? 'rss' : 'pss'] += Number(kilobytes);
  }
  return { files, open: native.openSegments(), rss: process.memoryUsage.rss() };
}

const [, , dir = '', workers = ''] = process.argv;
const engine = await open(dir, { workers: Number(workers) });
const queries = [
  'solid electrolyte',
  '고체 전해질',
  'wind turbine',
  '約物',
  'pump',
  '장치',
  'vehicle',
  'method',
];
// More searches than workers: each worker gets some, and reads every passage.
await Promise.all(queries.map((query) => engine.search({ query }, { exact: true })));
await Promise.all(queries.map((query) => engine.search({ query })));
const searching = mapped();
await engine.close();
process.stdout.write(JSON.stringify({ searching, closed: mapped() } satisfies MappedReport));
