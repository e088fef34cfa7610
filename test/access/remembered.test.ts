import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { open } from 'lmdb';
import { Remembered } from '../../src/access/remembered.js';
import { RECORDS_REMEMBERED_MAX } from '../../src/limits.js';

interface Stored {
  text: string;
  hash: Uint8Array;
}

describe('remembered records', () => {
  it('are those of the table whatever is written in between', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'priorart-remembered-'));
    const root = open({ path: dir, noSubdir: false });
    const table = root.openDB<Stored, string>({ name: 'records' });
    const write = fc.record({
      key: fc.constantFrom('a', 'b', 'c'),
      text: fc.option(fc.string({ maxLength: 300 }), { nil: undefined }),
      byte: fc.nat(1),
    });
    try {
      fc.assert(
        fc.property(fc.array(write, { maxLength: 30 }), (writes) => {
          const remembered = new Remembered(({ text, hash }: Stored) => ({
            text,
            hash: Uint8Array.from(hash),
          }));
          for (const { key, text, byte } of writes) {
            if (text === undefined) table.removeSync(key);
            else table.putSync(key, { text, hash: new Uint8Array(32).fill(byte) });
            for (const each of ['a', 'b', 'c']) {
              const stored = table.get(each);
              const expected = stored && { text: stored.text, hash: Uint8Array.from(stored.hash) };
              assert.deepEqual(remembered.get(table, each, each), expected);
            }
          }
        }),
        { numRuns: 50 },
      );
    } finally {
      await root.close();
      rmSync(dir, { recursive: true });
    }
  });

  it('are decoded again only where they have changed, and forgotten where they are too many', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'priorart-remembered-'));
    const root = open({ path: dir, noSubdir: false });
    const table = root.openDB<number, string>({ name: 'numbers' });
    let decoded = 0;
    const remembered = new Remembered((value: number) => ({ value, nth: ++decoded }));
    const read = (n: number) => remembered.get(table, `k${n}`, `k${n}`)?.value;
    try {
      root.transactionSync(() => {
        for (let n = 0; n <= RECORDS_REMEMBERED_MAX; n++) table.putSync(`k${n}`, n);
      });
      assert.deepEqual([read(0), read(0), decoded], [0, 0, 1]);
      table.putSync('k0', 7);
      assert.deepEqual([read(0), read(0), decoded], [7, 7, 2]);
      for (let n = 1; n <= RECORDS_REMEMBERED_MAX; n++) assert.equal(read(n), n);
      assert.equal(decoded, RECORDS_REMEMBERED_MAX + 2);
      assert.equal(read(0), 7);
      assert.equal(decoded, RECORDS_REMEMBERED_MAX + 3);
    } finally {
      await root.close();
      rmSync(dir, { recursive: true });
    }
  });
});
