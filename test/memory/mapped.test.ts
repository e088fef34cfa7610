/** Segments and indexes are mapped once a process, for any number of workers, and unmapped at the end. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { open } from '../../src/engine.js';
import { buildSegmentIndex } from '../../src/index/segment.js';
import { commitEntry } from '../../src/store/commit.js';
import { Store } from '../../src/store/store.js';
import { FIXTURES, launch, noReal, REAL_SOURCES } from '../crash/folder.js';
import type { Mapped, MappedReport } from './mapped-process.js';

const CHILD = fileURLToPath(new URL('./mapped-process.js', import.meta.url));
const skip = process.platform === 'linux' ? false : 'reads /proc, which only Linux has';

/** A folder of some sources. Every segment has a mapped kind of index. */
async function folder(sources: readonly string[]): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-memory-'));
  const engine = await open(dir, { create: true, workers: 2, indexKind: 'flat' });
  for (const source of sources) await engine.ingest(source);
  await engine.close();
  const store = Store.open(dir);
  for (const entry of store.manifest().segments) {
    commitEntry(store, { ...entry, index: await buildSegmentIndex(store, entry, 'ivf-flat') });
  }
  await store.close();
  return dir;
}

async function measured(dir: string, workers: number): Promise<MappedReport> {
  const { code, stdout, stderr } = await launch(CHILD, [dir, String(workers)]).ended;
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as MappedReport;
}

const total = ({ files }: Mapped, what: 'rss' | 'pss'): number =>
  Object.values(files).reduce((sum, file) => sum + file[what], 0);

function suite(name: string, sources: readonly string[], skipped: string | false): void {
  describe(`memory: ${name}`, { skip: skipped }, () => {
    let dir: string;
    let segments: number;
    before(async () => {
      dir = await folder(sources);
      const store = Store.open(dir);
      segments = store.manifest().segments.length;
      await store.close();
    });
    after(() => rmSync(dir, { recursive: true }));

    it('each file has one mapping for all threads, and none after closing', async () => {
      const reports = new Map<number, MappedReport>();
      for (const workers of [0, 1, 2]) {
        const report = await measured(dir, workers);
        reports.set(workers, report);
        const { searching, closed } = report;
        const files = Object.entries(searching.files);
        assert.equal(files.filter(([file]) => file.endsWith('/segment.bin')).length, segments);
        assert.equal(files.filter(([file]) => file.endsWith('.faiss')).length, segments);
        for (const [file, { mappings }] of files) assert.equal(mappings, 1, `${file}, ${workers} workers`);
        assert.equal(searching.open, segments);
        assert.deepEqual([closed.files, closed.open], [{}, 0], `${workers} workers, closed`);
        console.log(
          `${name}, ${workers} workers: ${files.length} files, mapped ${total(searching, 'rss')} kB ` +
            `(proportional ${total(searching, 'pss')} kB) of ${Math.round(searching.rss / 1000)} kB resident`,
        );
      }
      // Two workers share the pages that one worker has read.
      const [one, two] = [reports.get(1)!, reports.get(2)!];
      assert.ok(total(one.searching, 'rss') > 0);
      assert.ok(
        total(two.searching, 'rss') <= total(one.searching, 'rss') * 1.1 + 64,
        `expected the memory of one worker, ${total(one.searching, 'rss')} kB: ${total(two.searching, 'rss')} kB`,
      );
      assert.ok(
        total(two.searching, 'pss') <= total(one.searching, 'pss') * 1.1 + 64,
        `expected the memory of one worker, ${total(one.searching, 'pss')} kB: ${total(two.searching, 'pss')} kB`,
      );
    });
  });
}

suite('fixtures', FIXTURES, skip);
suite('grants of the US office', [REAL_SOURCES[0]!], skip || noReal);
