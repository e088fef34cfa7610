/** Cached selections equal new ones of the same filter and state. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { FilterClause, NativeSnapshot } from '../../src/index/native.js';
import { Folder } from '../../src/search/folder.js';
import { SELECTIONS_KEPT, selectionOf } from '../../src/search/selections.js';
import { deleteDocuments } from '../../src/store/commit.js';
import { Store } from '../../src/store/store.js';
import { FIXTURES } from '../crash/folder.js';
import fc from '../property.js';
import { type Collection, collect } from './collection.js';

describe('selections', () => {
  let collection: Collection;
  let folder: Folder;
  before(async () => {
    collection = await collect(FIXTURES);
    folder = new Folder(collection.dir);
  });
  after(async () => {
    await folder.close();
    collection.remove();
  });

  const countries = (terms: string[]): FilterClause[] => [{ column: 'country', test: 'exact', terms }];

  it('filters have the same selection in any order of requests', () => {
    const clauses = fc.subarray(['US', 'KR', 'EP', 'JP'], { minLength: 1 }).map(countries);
    fc.assert(
      fc.property(fc.array(clauses, { maxLength: 3 * SELECTIONS_KEPT }), (asked) => {
        const { native } = folder.snapshot();
        for (const one of asked) {
          const [kept, fresh] = [selectionOf(native, one), native.select(one)];
          assert.deepEqual([kept.docs, kept.passages], [fresh.docs, fresh.passages]);
        }
      }),
    );
  });

  it('the latest are kept, up to a limit', () => {
    const { native } = folder.snapshot();
    const filters = Array.from({ length: SELECTIONS_KEPT + 1 }, (_, n) => countries(['US', `X${n}`]));
    const [first, ...others] = filters.map((clauses) => selectionOf(native, clauses));
    assert.ok(others.every((selection, n) => selection === selectionOf(native, filters[n + 1]!)));
    assert.notEqual(selectionOf(native, filters[0]!), first);
  });

  it('one that is no longer kept serves the search that made it, and is then freed', async () => {
    const { native } = folder.snapshot();
    const dropped = selectionOf(native, countries(['US', 'dropped']));
    const { docs } = dropped;
    assert.ok(docs.some((count) => count > 0));
    for (let n = 0; n < SELECTIONS_KEPT; n++) selectionOf(native, countries(['US', `Y${n}`]));
    assert.deepEqual(dropped.docs, docs);
    await Promise.resolve();
    assert.deepEqual(dropped.docs, []);
  });

  it('a snapshot stays the same until a commit, and its selections end with it', async () => {
    const allowed = (native: NativeSnapshot) => selectionOf(native, []).docs.reduce((a, b) => a + b, 0);
    const before = folder.snapshot();
    const whole = allowed(before.native);
    assert.equal(folder.snapshot(), before);
    const writer = Store.open(collection.dir);
    const [gone] = collection.patents.keys();
    assert.deepEqual(deleteDocuments(writer, [gone!]), [gone]);
    await writer.close();
    const now = folder.snapshot();
    assert.notEqual(now, before);
    assert.equal(now.manifest.generation, before.manifest.generation + 1);
    assert.equal(allowed(now.native), whole - 1);
  });
});
