/** The keys of the benchmarks that ask a server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOf } from '../../bench/http/data.js';
import { AccessStore } from '../../src/access/store.js';
import { accessDir } from '../../src/cli/access-folder.js';
import { temporary } from '../crash/folder.js';

test('each benchmark on a folder gets a key, of one account', async (t) => {
  const dir = temporary(t);
  const secrets = [await keyOf(dir), await keyOf(dir)];
  const access = AccessStore.open(accessDir(dir), { create: false });
  t.after(() => access.close());
  const accounts = secrets.map((secret) => {
    const verified = access.verify(secret);
    assert.ok(verified.ok);
    return verified.account.id;
  });
  assert.equal(new Set(accounts).size, 1);
});
