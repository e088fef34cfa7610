/** RowBatches of rows of several requests, without a graph. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ONNX_FIRST_RUN_TOKENS } from '../../src/limits.js';
import { RowBatches } from '../../src/onnx/batches.js';
import type { TokenRow } from '../../src/onnx/tokenizer.js';
import fc from '../property.js';

const row = (length: number, mark = 0): TokenRow => ({ ids: new Uint32Array(length).fill(mark) });
/** Result of a row: its content and its length. */
const answer = ({ ids }: TokenRow) => `${ids[0]}:${ids.length}`;

/** RowBatches that record the rows of each run. A run takes some time. */
function recorded(maxTokens: number, lookahead = 256, ms = 1) {
  const runs: TokenRow[][] = [];
  const run = async (rows: TokenRow[]) => {
    runs.push(rows);
    await new Promise((done) => setTimeout(done, ms));
    return rows.map(answer);
  };
  return { runs, batches: new RowBatches(run, maxTokens, lookahead) };
}

describe('batches', () => {
  it('every request gets its own results in its own order, within the limit of tokens', async () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(fc.array(lengths, { minLength: 1, maxLength: 5 }), async (requests) => {
        const { runs, batches } = recorded(100, 8, 0);
        const results = await Promise.all(
          requests.map((all, n) =>
            batches.add(
              all.map((length) => row(length, n)),
              { urgent: n % 2 === 0 },
            ),
          ),
        );
        requests.forEach((all, n) => {
          assert.deepEqual(
            results[n],
            all.map((length) => `${n}:${length}`),
          );
        });
        for (const rows of runs) {
          const tokens = rows.length * Math.max(...rows.map(({ ids }) => ids.length));
          assert.ok(rows.length === 1 || tokens <= 100, `${tokens} tokens in a run`);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('rows of similar length are combined, with little padding', async () => {
    const { runs, batches } = recorded(ONNX_FIRST_RUN_TOKENS);
    const lengths = Array.from({ length: 200 }, (_, n) => 1 + ((n * 37) % 100));
    await batches.add(lengths.map((length) => row(length)));
    const real = lengths.reduce((a, b) => a + b, 0);
    const padded = runs.reduce(
      (sum, rows) => sum + rows.length * Math.max(...rows.map(({ ids }) => ids.length)),
      0,
    );
    assert.ok(padded < 1.15 * real, `${padded} tokens for ${real}`);
    assert.ok(runs.length < 60, `${runs.length} runs`);
  });

  it('rows that arrive during a run are in the next one, questions first', async () => {
    const { runs, batches } = recorded(100);
    const first = batches.add([row(10, 1)]);
    const late = [
      batches.add([row(10, 2)]),
      batches.add([row(10, 3)]),
      batches.add([row(10, 4)], { urgent: true }),
    ];
    await Promise.all([first, ...late]);
    assert.deepEqual(
      runs.map((rows) => rows.map(({ ids }) => ids[0])),
      [[1], [4], [2, 3]],
    );
  });

  it('rows after the deadline are omitted, and computed ones are kept', async (t) => {
    let now = Date.now();
    t.mock.method(Date, 'now', () => now);
    const run = async (rows: TokenRow[]) => {
      now += 20;
      return rows.map(answer);
    };
    const batches = new RowBatches(run, 10, 4);
    const results = await batches.add(
      Array.from({ length: 50 }, () => row(10)),
      { deadline: Date.now() + 70 },
    );
    const computed = results.filter((result) => result !== undefined).length;
    assert.equal(computed, 4, 'started batches');
    assert.deepEqual(await batches.add([row(3)], { deadline: Date.now() - 1 }), [undefined]);
  });

  it('an error fails only its request', async () => {
    const run = async (rows: TokenRow[]) => {
      if (rows.some(({ ids }) => ids[0] === 13)) throw new Error('unlucky');
      return rows.map(answer);
    };
    const batches = new RowBatches(run, 1000, 256);
    const given = [batches.add([row(5, 1)]), batches.add([row(5, 13), row(5, 2)]), batches.add([row(5, 3)])];
    const settled = await Promise.allSettled(given);
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(await batches.add([row(1, 4)]), ['4:1'], 'the queue continues');
  });

  it('the rows of a cancelled request are dropped', async () => {
    const { runs, batches } = recorded(10, 4);
    const controller = new AbortController();
    const given = batches.add(
      Array.from({ length: 100 }, () => row(10)),
      { signal: controller.signal },
    );
    controller.abort();
    await assert.rejects(given, { code: 'cancelled' });
    assert.ok(runs.length <= 1, `expected one run at most: ${runs.length}`);
    assert.deepEqual(await batches.add([row(2, 7)]), ['7:2']);
    assert.deepEqual(await batches.add([]), []);
  });
});
