/** Checks of live searches in the background: their selection, their number at once, and their result. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { COLUMNS } from '../../src/index/columns.js';
import { type CheckedRecall, type NativeSnapshot, native } from '../../src/index/native.js';
import type { Plan } from '../../src/search/plan.js';
import { type AnsweredSearch, RecallChecks } from '../../src/search/recall-checks.js';
import { random } from '../crash/folder.js';

const APPROXIMATE: Plan = { exact: false, documents: 100, segments: [] };

/** A search whose check ends on request. */
class Search {
  asked = 0;
  end!: (checked: CheckedRecall | null) => void;
  fail!: (error: Error) => void;

  answered(plan: Plan = APPROXIMATE): AnsweredSearch {
    const run = () => {
      this.asked += 1;
      return new Promise<CheckedRecall | null>((resolve, reject) => {
        this.end = resolve;
        this.fail = reject;
      });
    };
    return {
      native: { recallCheck: () => ({ run }) } as unknown as NativeSnapshot,
      vector: new Float32Array(4),
      clauses: [],
      dedupe: true,
      shown: { midpoint: 0.5, slope: 10, decimals: 6 },
      plan,
      hits: { scores: new Float32Array(50) } as AnsweredSearch['hits'],
    };
  }
}

describe('selection of checked searches', () => {
  it('one check runs at a time, and its counts are reported once', async () => {
    const checks = new RecallChecks(1);
    const search = new Search();
    checks.offer(search.answered());
    checks.offer(search.answered());
    assert.equal(search.asked, 1);
    assert.equal(checks.take(), undefined);
    search.end({ wanted: 10, found: 9 });
    await checks.settled();
    checks.offer(search.answered());
    assert.equal(search.asked, 2);
    search.end({ wanted: 5, found: 5 });
    await checks.settled();
    assert.deepEqual(checks.take(), { checks: 2, failed: 0, wanted: 15, found: 14 });
    assert.equal(checks.take(), undefined);
  });

  it('a share of the approximate searches is checked, and no exact search', async () => {
    const checks = new RecallChecks(0.25, random(1));
    const search = new Search();
    for (let n = 0; n < 400; n++) {
      const before = search.asked;
      checks.offer(search.answered({ ...APPROXIMATE, exact: n % 2 === 0 }));
      if (search.asked > before) search.end(null);
      await checks.settled();
    }
    assert.ok(search.asked > 30 && search.asked < 70, `${search.asked} of 200`);
    // A check that yields to one of another thread is not counted.
    assert.equal(checks.take(), undefined);
  });

  it('a failed check is counted, and the next one starts', async () => {
    const checks = new RecallChecks(1);
    const search = new Search();
    checks.offer(search.answered());
    search.fail(new Error('damaged'));
    await checks.settled();
    assert.deepEqual(checks.take(), { checks: 0, failed: 1, wanted: 0, found: 0 });
    checks.offer(search.answered());
    assert.equal(search.asked, 2);
  });
});

describe('result of a check', () => {
  it('compares scores with an exact scan, unless the scan would be too large', async (t) => {
    const dir = mkdtempSync(join(tmpdir(), 'priorart-recall-check-'));
    t.after(() => rmSync(dir, { recursive: true }));
    const next = random(2);
    const path = join(dir, 'segment.bin');
    const writer = new native.SegmentWriter(path, 8, COLUMNS);
    const rows = Array.from({ length: 60 }, () => Float32Array.from({ length: 8 }, () => next() - 0.5));
    rows.forEach((vectors, n) => {
      const texts = COLUMNS.filter(({ kind }) => kind === 'keyword');
      const days = COLUMNS.length - texts.length;
      writer.push({
        id: n + 1,
        patentId: `US${n}`,
        application: '',
        grant: false,
        vectors,
        terms: texts.map(() => []),
        labels: texts.map(() => []),
        days: new Int32Array(days),
      });
    });
    writer.finish();
    const snapshot = new native.Snapshot([{ path, deleted: new Uint32Array() }]);
    const vector = Float32Array.from({ length: 8 }, () => next() - 0.5);
    const options = { documents: 10, chunks: 1, dedupe: false, minScore: -2 };
    const { scores } = snapshot.search(vector, snapshot.select([]), [{}], options);
    const check = (found: Float32Array, mostPassages = 60) =>
      snapshot.recallCheck(vector, [], found, { dedupe: false, places: 10, mostPassages }).run();
    assert.deepEqual(await check(scores), { wanted: 10, found: 10 });
    // Two of the best are missing, with lower ones in their places.
    const low = scores.at(-1)! - 0.01;
    assert.deepEqual(await check(Float32Array.of(...scores.slice(2), low, low)), { wanted: 10, found: 8 });
    assert.deepEqual(await check(Float32Array.of()), { wanted: 10, found: 0 });
    assert.equal(await check(scores, 59), null);
    // The snapshot may be closed during a check.
    const late = check(scores);
    snapshot.close();
    assert.deepEqual(await late, { wanted: 10, found: 10 });
  });
});
