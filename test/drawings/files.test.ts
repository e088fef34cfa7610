import assert from 'node:assert/strict';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { contentOf, LocalDrawings } from '../../src/drawings/files.js';

const folder = mkdtempSync(join(tmpdir(), 'priorart-drawings-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const OLD = new Date(Date.now() - 3_600_000);

async function listed(files: LocalDrawings): Promise<string[]> {
  const found: string[] = [];
  for await (const { content } of files.list()) found.push(content);
  return found;
}

describe('files of drawings', () => {
  it('files are stored once, by their content', async () => {
    const files = new LocalDrawings(join(folder, 'once'));
    const bytes = Buffer.from('a drawing');
    assert.deepEqual(await listed(files), [], 'no folder is created before the first file');
    const contents = await Promise.all(Array.from({ length: 20 }, () => files.put(bytes)));
    assert.deepEqual(new Set(contents), new Set([contentOf(bytes)]));
    assert.deepEqual(await listed(files), [contentOf(bytes)]);
    const [content] = contents as [string];
    assert.equal(await files.has(content), true);
    assert.deepEqual(readFileSync(files.path(content)), bytes);
    assert.deepEqual(readdirSync(join(files.dir, 'new')), [], 'no temporary file remains');
    assert.equal(await files.fault(content), undefined);
  });

  it('altered and missing files are detected', async () => {
    const files = new LocalDrawings(join(folder, 'altered'));
    const content = await files.put(Buffer.from('whole'));
    truncateSync(files.path(content), 2);
    assert.deepEqual(await files.fault(content), { reason: 'wrong checksum', isDamaged: true });
    rmSync(files.path(content));
    assert.deepEqual(await files.fault(content), { reason: 'the file is missing', isDamaged: true });
    assert.equal(await files.has(content), false);
    await files.put(Buffer.from('whole'));
    assert.equal(await files.fault(content), undefined, 'the file is stored again');
  });

  it('only a hash is a valid path', () => {
    const files = new LocalDrawings(folder);
    for (const text of [
      '',
      '..',
      '../../etc/passwd',
      'A'.repeat(64),
      `${'a'.repeat(64)}\n`,
      'a'.repeat(63),
    ]) {
      assert.throws(() => files.path(text), TypeError);
    }
  });

  it('unfinished files are removed when they are old; new ones may belong to a running process', async () => {
    const files = new LocalDrawings(join(folder, 'new'));
    await files.put(Buffer.from('x'));
    const [old, young] = ['old', 'young'].map((name) => join(files.dir, 'new', name)) as [string, string];
    for (const path of [old, young]) writeFileSync(path, 'half');
    utimesSync(old, OLD, OLD);
    assert.deepEqual(await files.removeAbandoned(), [old]);
    assert.deepEqual([existsSync(old), existsSync(young)], [false, true]);
  });

  it('a file gets a new timestamp when it is stored again', async () => {
    const files = new LocalDrawings(join(folder, 'young'));
    const content = await files.put(Buffer.from('x'));
    utimesSync(files.path(content), OLD, OLD);
    const { isOld } = await import('../../src/drawings/files.js');
    assert.equal(await isOld(files.path(content)), true);
    await files.put(Buffer.from('x'));
    assert.equal(await isOld(files.path(content)), false);
  });
});
