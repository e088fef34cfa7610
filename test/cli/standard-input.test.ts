import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

test('ingest reads standard input, compressed or not, and reports its errors', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-input-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const main = resolve('dist/src/cli/main.js');
  const ingest = (input: Buffer) => {
    const args = [main, 'ingest', '--json', '--workers', '1', '--data', join(dir, 'data'), '-'];
    const { status, stdout } = spawnSync(process.execPath, args, { input });
    return { status, ...JSON.parse(stdout.toString()) };
  };
  const list = readFileSync(resolve('fixtures/formats/google-search.csv'));
  const first = ingest(gzipSync(list));
  assert.deepEqual([first.status, first.ingested, first.skipped, first.failed], [0, 2, 1, []]);
  const again = ingest(list);
  assert.deepEqual([again.status, again.ingested, again.unchanged], [0, 0, 2]);
  for (const [input, reason] of [
    ['', /empty file/],
    ['no patents', /not a known format/],
  ] as const) {
    const failed = ingest(Buffer.from(input));
    assert.equal(failed.status, 1);
    assert.equal(failed.failed[0].file, '-');
    assert.match(failed.failed[0].reason, reason);
  }
});
