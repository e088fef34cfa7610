import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FAN_IN, LEVEL_FACTOR, leftovers, mergeSegments, nextMerge } from '../../src/index/merge.js';
import { deleteDocuments } from '../../src/store/commit.js';
import type { SegmentEntry } from '../../src/store/manifest.js';
import { exactAnswers, invented, temporary } from '../crash/folder.js';
import fc from '../property.js';
import { commit, newStore } from '../store/folder.js';

let next = 0;
const segment = (passages: number, firstDoc: number): SegmentEntry => ({
  ...{ id: `s${next++}`, docs: passages, passages, bytes: passages },
  ...{ firstDoc, lastDoc: firstDoc + passages - 1 },
});

const levelsOf = (total: number) => Math.floor(Math.log(total) / Math.log(LEVEL_FACTOR)) + 1;

/** Merges until no merge is due, as `mergeSegments` does. Returns the number of rewritten passages. */
function settle(segments: SegmentEntry[], deleted = new Map<string, number>()): number {
  let written = 0;
  for (let rounds = 0; ; rounds++) {
    const inputs = nextMerge({ segments }, (id) => deleted.get(id) ?? 0);
    if (inputs === undefined) return written;
    assert.ok(rounds < 10_000, 'the loop ends');
    const at = segments.indexOf(inputs[0]!);
    assert.deepEqual(segments.slice(at, at + inputs.length), inputs, 'adjacent segments only');
    const live = inputs.map((input) => input.passages - (deleted.get(input.id) ?? 0));
    const passages = live.reduce((sum, count) => sum + count, 0);
    written += passages;
    segments.splice(at, inputs.length, ...(passages > 0 ? [segment(passages, inputs[0]!.firstDoc)] : []));
  }
}

/** Sequences of batches: equal, random, large followed by small, and doubling ones. */
const batches = fc.oneof(
  fc.array(fc.integer({ min: 1, max: 20_000 }), { maxLength: 400 }),
  fc.array(fc.constantFrom(1, 16_384), { maxLength: 400 }),
  fc.array(fc.integer({ min: 0, max: 14 }), { maxLength: 400 }).map((logs) => logs.map((n) => 2 ** n)),
  fc
    .tuple(fc.nat(3000), fc.nat(400))
    .map(([small, n]) => Array.from({ length: n }, (_, i) => (i % 2 ? small + 1 : 16_384))),
);

test('merging ends, keeps few segments, and writes each passage a logarithmic number of times', () => {
  fc.assert(
    fc.property(batches, (sizes) => {
      const segments: SegmentEntry[] = [];
      let total = 0;
      let written = 0;
      for (const size of sizes) {
        segments.push(segment(size, total));
        total += size;
        written += settle(segments);
        assert.ok(segments.length <= (FAN_IN - 1) * levelsOf(total), `${segments.length} of ${total}`);
      }
      assert.equal(
        segments.reduce((sum, { passages }) => sum + passages, 0),
        total,
        'nothing lost',
      );
      // Once for each level, and at most LEVEL_FACTOR times within a level.
      assert.ok(
        written <= total * (LEVEL_FACTOR + 1) * levelsOf(Math.max(1, total)),
        `${written} of ${total}`,
      );
    }),
    { numRuns: 300 },
  );
});

test('the remainders of daily ingests do not accumulate behind large segments', () => {
  const segments: SegmentEntry[] = [];
  let total = 0;
  let written = 0;
  for (let day = 0; day < 365; day++) {
    for (const size of [16_384, 3_616]) {
      segments.push(segment(size, total));
      total += size;
      written += settle(segments);
    }
  }
  assert.ok(segments.length < 30, `${segments.length} segments`);
  assert.ok(written / total < 8, `each passage was written ${written / total} times again`);
});

test('a segment with many deletions is rewritten once, and an empty one is removed', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 1000 }), fc.float({ noNaN: true, min: 0, max: 1 })), {
        maxLength: 50,
      }),
      (parts) => {
        const segments: SegmentEntry[] = [];
        const deleted = new Map<string, number>();
        for (const [size, share] of parts) {
          const entry = segment(size, segments.length * 1000);
          segments.push(entry);
          deleted.set(entry.id, Math.round(share * size));
        }
        settle(segments, deleted);
        for (const { id, docs } of segments)
          assert.ok(
            (deleted.get(id) ?? 0) <= docs * 0.3,
            `segment ${id}: expected at most 30 % of ${docs} documents deleted: ${deleted.get(id)}`,
          );
      },
    ),
  );
});

test('answers are the same with one segment or many, with deletions, with and without indexes', async (t) => {
  const [one, many] = [temporary(t), temporary(t)];
  const patents = invented(400);
  const queries = invented(30, 9).map(({ abstract }) => abstract!);
  const gone = patents.filter((_, n) => n % 7 === 0).map(({ patent_id }) => patent_id);

  const single = newStore(one);
  await commit(
    single,
    patents.filter(({ patent_id }) => !gone.includes(patent_id)),
  );
  await single.close();
  const expected = await exactAnswers(one, queries);

  const store = newStore(many);
  t.after(() => store.close());
  for (let n = 0; n < 400; n += 10) await commit(store, patents.slice(n, n + 10));
  deleteDocuments(store, gone);
  assert.equal(store.manifest().segments.length, 40);
  assert.deepEqual(await exactAnswers(many, queries), expected);
  assert.ok((await mergeSegments(store)) > 0);
  assert.ok(
    store.manifest().segments.length < 40,
    `expected fewer than 40 segments: ${store.manifest().segments.length}`,
  );
  assert.deepEqual(await exactAnswers(many, queries), expected);
  await mergeSegments(store, { full: true, indexFrom: 100 });
  const [whole, ...rest] = store.manifest().segments;
  assert.deepEqual([rest.length, whole!.docs, whole!.index?.kind], [0, 400 - gone.length, 'ivf-sq8']);
  assert.deepEqual(await exactAnswers(many, queries), expected);
  assert.deepEqual(leftovers(store, store.manifest()), []);
});

test('after half of the passages or more were added, all segments become one', async (t) => {
  const store = newStore(temporary(t));
  t.after(() => store.close());
  for (let n = 0; n < 4; n++) await commit(store, invented(3, n));
  const passages = store.manifest().segments.reduce((sum, segment) => sum + segment.passages, 0);
  const [half, less] = [Math.ceil(passages / 2), Math.ceil(passages / 2) - 1];
  assert.equal(await mergeSegments(store, { added: less, oneFrom: 1 }), 0);
  assert.equal(await mergeSegments(store, { added: half, oneFrom: passages + 1 }), 0);
  // By default, so few are not worth it.
  assert.equal(await mergeSegments(store, { added: half }), 0);
  assert.equal(store.manifest().segments.length, 4);
  assert.equal(await mergeSegments(store, { added: half, oneFrom: passages }), 1);
  assert.equal(store.manifest().segments.length, 1);
  assert.equal(await mergeSegments(store, { added: half, oneFrom: 1 }), 0);
});

test('only one process merges at a time, and a merge without due segments does nothing', async (t) => {
  const store = newStore(temporary(t));
  t.after(() => store.close());
  assert.equal(await mergeSegments(store, { full: true }), 0);
  for (let n = 0; n < 16; n++) await commit(store, invented(3, n));
  const done = await Promise.all([
    mergeSegments(store, { full: true }),
    mergeSegments(store, { full: true }),
  ]);
  assert.deepEqual(
    done.toSorted((a, b) => a - b),
    [0, 1],
  );
});
