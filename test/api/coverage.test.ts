/** Specification 4.5 and its decisions, over HTTP. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type ErrorCode, PriorartError } from '../../src/errors.js';
import type { Call } from '../../src/http/route.js';
import { coverage } from '../../src/http/routes/coverage/route.js';
import { coverageSchema } from '../../src/search/answer-schema.js';
import { until } from '../until.js';
import { COVERAGE, MemoryEngine, onEachAdapter } from './service.js';
import { serveWorld, WORLD } from './world.js';

onEachAdapter('4.5 GET /api/v1/stats/coverage', (adapter) => {
  const served = serveWorld(adapter);
  afterEach(() => {
    served.memory.engine.coverage = new MemoryEngine().coverage;
  });

  it('SPEC 4.5 is public; SPEC 2.6, DECISIONS coverage document: counts by country and kind, dates, languages', async () => {
    const answer = await served.service.call(COVERAGE);
    assert.equal(answer.status, 200);
    const coverage = coverageSchema.parse(answer.json);
    assert.equal(coverage.total, WORLD.length);
    assert.equal(coverage.chunks, WORLD.length);
    for (const [country, counted] of Object.entries(coverage.by_country)) {
      const records = WORLD.filter((record) => record.country === country);
      assert.equal(counted.total, records.length);
      for (const [kind, count] of Object.entries(counted.by_kind))
        assert.equal(count, records.filter(({ kind_code }) => kind_code === kind).length);
      for (const field of ['filing_date', 'publication_date'] as const) {
        const dates = records.flatMap((record) => (record[field] as string | undefined) ?? []).sort();
        const range = dates.length > 0 ? { min: dates[0], max: dates.at(-1) } : undefined;
        assert.deepEqual(counted[field], range, `${country} ${field}`);
      }
    }
    assert.deepEqual(Object.keys(coverage.by_country).sort(), ['CN', 'EP', 'JP', 'KR', 'US']);
    assert.equal((await served.service.call(COVERAGE, { headers: { 'x-api-key': 'wrong' } })).status, 200);
  });

  it('SPEC 4.5 is cached for an hour; SPEC 8 coverage cache: ETag, and 304 for a client with the current document', async () => {
    const first = await served.service.call(COVERAGE);
    assert.equal(first.headers.get('cache-control'), 'public, max-age=3600');
    const etag = first.headers.get('etag') ?? '';
    assert.match(etag, /^(W\/)?"[\w-]+"$/);
    const again = await served.service.call(COVERAGE, { headers: { 'if-none-match': etag } });
    assert.equal(again.status, 304);
    assert.equal(again.text, '');
    assert.equal(
      (await served.service.call(COVERAGE, { headers: { 'if-none-match': '"other"' } })).status,
      200,
    );
    assert.equal((await served.service.call(COVERAGE)).text, first.text, 'not counted again');
  });

  it('coverage is counted again after a commit', async () => {
    const before = await served.service.call(COVERAGE);
    const file = join(served.world.dir, '..', 'more.jsonl');
    const number = adapter === 'uws' ? 1 : 2;
    writeFileSync(file, JSON.stringify({ ...WORLD[6], patent_id: `EP0350010${number}A1` }));
    await served.world.engine.ingest(file);
    let after = before;
    await until(async () => {
      after = await served.service.call(COVERAGE);
      return after.json.total !== before.json.total;
    }, 'coverage is counted again');
    assert.equal(after.json.total, before.json.total + 1);
    assert.notEqual(after.headers.get('etag'), before.headers.get('etag'));
  });

  it('SPEC 4.5 503 while the document is unavailable, for any reason; SPEC 7 503 coverage', async () => {
    const reasons: unknown[] = [
      ...(['no_data', 'unavailable', 'data_corrupt', 'overloaded', 'internal'] satisfies ErrorCode[]).map(
        (code) => new PriorartError(code, 'see /srv/data'),
      ),
      new TypeError('at /srv/data/index.js'),
    ];
    for (const reason of reasons) {
      for (const count of [
        () => Promise.reject(reason),
        () => {
          throw reason;
        },
      ]) {
        served.memory.engine.coverage = count;
        const answer = await served.memory.call(COVERAGE);
        assert.equal(answer.status, 503, String(reason));
        assert.deepEqual(Object.keys(answer.json), ['detail']);
        assert.ok(
          Number(answer.headers.get('retry-after')) >= 1,
          `expected Retry-After of at least 1 s: ${answer.headers.get('retry-after')}`,
        );
        assert.equal(answer.text.includes('/srv'), false);
      }
    }
  });
});

it('a count that fails for a client that has gone is no unhandled rejection', async () => {
  const request = { isGone: true, onGone: () => {}, headers: {} };
  const engine = { coverageBody: () => Promise.reject(new PriorartError('unavailable', 'not counted')) };
  const call = { request, services: { engine, deadlineMs: 1_000 } } as unknown as Call;
  // The runner reports an unhandled rejection as a failure of the test.
  await assert.rejects(async () => coverage.handle(call), { code: 'cancelled' });
  await setImmediate();
});
