/**
 * `node dist/bench/ingest/opened.js FOLDER`: measures the start of a process, as JSON: ms to open the folder, segments
 * and index included, ms of the first search, median ms of a hundred searches, and the memory that all of it took,
 * without mapped files, which are in the page cache.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadModels } from '../../src/models/load.js';
import { uncancelled } from '../../src/search/cancel.js';
import { Folder } from '../../src/search/folder.js';
import { parseSemantic } from '../../src/search/query.js';
import { IndexReader } from '../../src/search/reader.js';
import { searchSemantic } from '../../src/search/semantic.js';

export interface Opened {
  openMs: number;
  firstMs: number;
  medianMs: number;
  ownBytes: number;
}

const SEARCHES = 100;

function ownMemory(): number {
  return Number(/RssAnon:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))![1]) * 1024;
}

async function opened(dir: string): Promise<Opened> {
  const models = await loadModels();
  const before = ownMemory();
  const clock = () => performance.now();
  let started = clock();
  const folder = new Folder(dir);
  folder.snapshot();
  const openMs = clock() - started;
  const titles: string[] = [];
  for (const { value: head } of folder.store.documents.getRange({ limit: SEARCHES })) {
    titles.push(head.title ?? head.patent_id);
  }
  const reader = new IndexReader(folder, models);
  const times: number[] = [];
  for (const query of titles) {
    started = clock();
    await searchSemantic(reader, parseSemantic({ query }), uncancelled);
    times.push(clock() - started);
  }
  const firstMs = times[0]!;
  times.sort((a, b) => a - b);
  return { openMs, firstMs, medianMs: times[times.length >> 1]!, ownBytes: ownMemory() - before };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(JSON.stringify(await opened(process.argv[2]!)));
  process.exit(0);
}
