/** Records as input and output of the library, without files. */
import assert from 'node:assert/strict';
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openSnapshot } from '../src/index/segment.js';
import {
  type Engine,
  isPriorartError,
  open,
  type Patent,
  type PatentFilter,
  type PatentInput,
  type PatentRecords,
} from '../src/index.js';
import { clausesOf } from '../src/search/filter.js';
import { parseFilter } from '../src/search/query.js';
import { Store } from '../src/store/store.js';
import { FIXTURES } from './crash/folder.js';
import { allows } from './search/allows.js';
import { collect, openBefore } from './search/collection.js';

const numbered = (n: number, title = `Pump number ${n}`): PatentInput => ({
  patent_id: `US${10_000_000 + n}B2`,
  title,
  abstract: `${title} moves a liquid through a pipe.`,
});
const idOf = (n: number): string => `US${10_000_000 + n}B2`;

const counts = ({ ingested, updated, unchanged, skipped, failed }: Awaited<ReturnType<Engine['ingest']>>) => [
  ingested,
  updated,
  unchanged,
  skipped,
  failed.length,
];

for (const workers of [0, 2])
  describe(`records of an application, with ${workers} workers`, () => {
    let dir: string;
    let engine: Engine;
    before(async () => {
      dir = mkdtempSync(join(tmpdir(), 'priorart-records-'));
      engine = await open(join(dir, 'data'), { create: true, workers });
    });
    after(async () => {
      await engine.close();
      rmSync(dir, { recursive: true });
    });
    const titles = async (...numbers: number[]) =>
      (await engine.get(numbers.map(idOf))).map((patent) => patent?.title);

    it('refuses a file that was opened as a stream', async () => {
      const path = join(dir, 'one.jsonl');
      writeFileSync(path, `${JSON.stringify(numbered(0))}\n`);
      for (const [stream, got] of [
        [createReadStream(path), /source of bytes; .* give their paths/],
        [createReadStream(path, 'utf8'), /source of texts/],
        [new Blob(['{"a": 1}']).stream(), /source of bytes/],
      ] as const) {
        const message = got;
        await assert.rejects(engine.ingest(stream as unknown as PatentRecords), {
          code: 'invalid_request',
          message,
        });
      }
    });

    it('a loop over all publications can close the folder and leave', async () => {
      const path = join(dir, 'closed-in-a-loop');
      const other = await open(path, { create: true, workers });
      await other.ingest([numbered(1), numbered(2)]);
      for await (const _ of other.patents({ vectors: true })) {
        await other.ingest([numbered(3)]);
        await other.close();
        break;
      }
      const again = await open(path, { workers });
      assert.equal((await again.coverage()).total, 3);
      await again.close();
    });

    it('records can be an array, an iterable or an async iterable', async () => {
      assert.deepEqual(counts(await engine.ingest([numbered(1), numbered(2)])), [2, 0, 0, 0, 0]);
      const set = new Set([numbered(2), numbered(3)]);
      assert.deepEqual(counts(await engine.ingest(set)), [1, 0, 1, 0, 0]);
      async function* some(): AsyncGenerator<PatentInput> {
        yield numbered(3, 'Pump with a new title');
        yield numbered(4);
      }
      assert.deepEqual(counts(await engine.ingest(some())), [1, 1, 0, 0, 0]);
      assert.deepEqual(counts(await engine.ingest([])), [0, 0, 0, 0, 0]);
      assert.deepEqual(await titles(1, 2, 3, 4, 5), [
        'Pump number 1',
        'Pump number 2',
        'Pump with a new title',
        'Pump number 4',
        undefined,
      ]);
      const { results } = await engine.search({ query: 'moves a liquid', top_k: 10 });
      assert.deepEqual(results.map(({ patent_id }) => patent_id).sort(), [1, 2, 3, 4].map(idOf));
    });

    it('records are stored like the same lines of a file', async () => {
      const records: PatentInput[] = [
        {
          publication_number: 'US 9,971,313 B2',
          title: 'A',
          applicants: 'One Corp.',
          ...{ _own: { any: 1 } },
        },
        { ...{ country: 'KR', number: '1020200104349', kind_code: 'A' }, title: '제목', language: 'ko' },
        { ...{ patent_id: 'EP03539467A1', title: 'B', abstract: null, claims: ['First.', 'Second.'] } },
        { ...{ patent_id: 'US20200123456A1', description: 'Text.\nMore text.', ipc_codes: ['h01m10/0525'] } },
      ];
      const file = join(dir, 'lines.jsonl');
      writeFileSync(file, records.map((record) => JSON.stringify(record)).join('\n'));
      const other = await open(join(dir, 'of-file'), { create: true, workers: 0 });
      assert.deepEqual(counts(await other.ingest(file)), [4, 0, 0, 0, 0]);
      assert.deepEqual(counts(await engine.ingest(records)), [4, 0, 0, 0, 0]);
      const ids = [
        'US09971313B2',
        'KR1020200104349A',
        'EP03539467A1',
        'US1020200123456A1',
        'US20200123456A1',
      ];
      assert.deepEqual(await engine.get(ids), await other.get(ids));
      assert.equal((await engine.get(ids)).filter((found) => found !== undefined).length >= 4, true);
      await other.close();
    });

    it('records are checked like lines of a file: a wrong record is a failure with its reason, and the others are stored', async () => {
      const circular: Record<string, unknown> = { patent_id: idOf(90), title: 'Circular' };
      circular['self'] = circular;
      const wrong = [
        { ...numbered(10), title: 7 },
        numbered(11),
        { ...numbered(12), tilte: 'x' },
        'text',
        null,
        { title: 'no number' },
        circular,
        { patent_id: 'DE102004012345A1', country: 'DE', title: 'Elsewhere' },
        undefined,
      ] as unknown as PatentInput[];
      const summary = await engine.ingest(wrong.slice(), { name: 'our database' }).catch((error) => error);
      // A string among records is a hint that the caller meant a path.
      assert.ok(isPriorartError(summary) && summary.code === 'invalid_request', String(summary));
      const found = await engine.ingest(new Set(wrong), { name: 'our database' });
      assert.deepEqual(counts(found), [1, 0, 0, 1, 7]);
      const expected: [string, RegExp][] = [
        ['record 1', /^title: 7; expected a text/],
        ['record 3', /^tilte: unknown field; did you mean title\?/],
        ['record 4', /^the record: "text"; expected an object$/],
        ['record 5', /^the record: null; expected an object$/],
        ['record 6', /^no number/],
        ['record 7', /^cannot be written as JSON: .*circular/],
        ['record 9', /^the record: undefined; expected an object$/],
      ];
      // An error in the JSON is found at once, other errors when the batch ends.
      const failed = found.failed.toSorted((a, b) => (a.position < b.position ? -1 : 1));
      for (const [n, [position, reason]] of expected.entries()) {
        assert.equal(failed[n]!.file, 'our database');
        assert.equal(failed[n]!.position, position);
        assert.match(failed[n]!.reason, reason);
      }
      assert.deepEqual(found.skip_reasons.length, 1);
      assert.deepEqual(await titles(11), ['Pump number 11']);
    });

    it('records enter the ledger under their name after the iteration ends', async () => {
      await engine.ingest([numbered(20), numbered(21), { title: 'wrong' }], { name: 'feed' });
      const entry = engine.sources().find(({ path }) => path === 'feed');
      assert.ok(entry);
      assert.deepEqual([entry.ingested, entry.failed, entry.readings], [2, 1, 1]);
      assert.deepEqual(Object.keys(entry.readers), ['jsonl']);
      assert.ok(entry.bytes > 100);
      await engine.ingest([numbered(20)], { name: 'feed', onlyNew: true });
      const again = engine.sources().find(({ path }) => path === 'feed');
      assert.deepEqual([again!.unchanged, again!.readings], [1, 2], 'records are never skipped');
      function* broken(): Generator<PatentInput> {
        yield numbered(22);
        throw new RangeError('the database went away');
      }
      await assert.rejects(
        engine.ingest(broken(), { name: 'broken feed' }),
        /^RangeError: the database went away$/,
      );
      assert.equal(
        engine.sources().some(({ path }) => path === 'broken feed'),
        false,
      );
      assert.deepEqual(
        counts(await engine.ingest([numbered(22)])),
        [1, 0, 0, 0, 0],
        'a second ingest succeeds',
      );
    });

    it('records replace existing ones, also with earlier content; the last duplicate counts', async () => {
      const [a, b] = [numbered(30, 'Version A'), numbered(30, 'Version B')];
      assert.deepEqual(counts(await engine.ingest([a])), [1, 0, 0, 0, 0]);
      assert.deepEqual(counts(await engine.ingest([b])), [0, 1, 0, 0, 0]);
      assert.deepEqual(
        counts(await engine.ingest([a])),
        [0, 1, 0, 0, 0],
        'the earlier content is a change, too',
      );
      assert.deepEqual(await titles(30), ['Version A']);
      assert.deepEqual(counts(await engine.ingest([a])), [0, 0, 1, 0, 0]);
      // The earlier records are in progress when the last one is read.
      assert.deepEqual(counts(await engine.ingest([b, a])), [0, 2, 0, 0, 0]);
      assert.deepEqual(await titles(30), ['Version A']);
      const spelled: PatentInput = { ...b, patent_id: null, publication_number: 'US 10,000,030 B2' };
      const many = [...Array.from({ length: 200 }, (_, n) => numbered(1_000 + n)), spelled, a];
      await engine.ingest([...many, ...many.slice(0, 200)]);
      assert.deepEqual(await titles(30), ['Version A']);
      // A file of an older version changes nothing.
      const file = join(dir, 'old.jsonl');
      writeFileSync(file, JSON.stringify(b));
      assert.deepEqual(counts(await engine.ingest(file)), [0, 0, 1, 0, 0]);
      assert.deepEqual(await titles(30), ['Version A']);
    });

    it('a part completes a stored record; a complete record replaces all fields', async () => {
      const part: PatentInput = { patent_id: idOf(40), claims: ['A pump.'], partial: true };
      const whole = numbered(40);
      await engine.ingest([whole]);
      assert.deepEqual(counts(await engine.ingest([part])), [0, 1, 0, 0, 0]);
      const [both] = await engine.get(idOf(40));
      assert.deepEqual(
        [both?.title, both?.claims, both?.filled],
        ['Pump number 40', [{ number: 1, text: 'A pump.' }], ['claims']],
      );
      // An exported record is ingested again without changes.
      assert.deepEqual(counts(await engine.ingest([both!])), [0, 0, 1, 0, 0]);
      assert.deepEqual(await engine.get(idOf(40)), [both]);
      assert.deepEqual(counts(await engine.ingest([whole])), [0, 1, 0, 0, 0]);
      assert.equal((await engine.get(idOf(40)))[0]?.claims, undefined);
      // A new complete record and a part in the same commit.
      await engine.ingest([numbered(40, 'Newest'), part]);
      const [last] = await engine.get(idOf(40));
      assert.deepEqual([last?.title, last?.claims?.length], ['Newest', 1]);
    });

    it('records are read no faster than they are stored', async () => {
      let given = 0;
      let most = 0;
      const text = 'A long description of a pump. '.repeat(4_000);
      async function* feed(): AsyncGenerator<PatentInput> {
        for (let n = 0; n < 300; n++) {
          given += 1;
          most = Math.max(most, given - taken);
          yield { ...numbered(2_000 + n), description: text };
        }
      }
      let taken = 0;
      const { ingested } = await engine.ingest(feed(), {
        onProgress: ({ documents }) => {
          taken = Math.max(taken, documents);
        },
      });
      assert.equal(ingested, 300);
      // A record has 120 kB. The limit is 16 MB in progress, and one batch.
      assert.ok(most < 200, `${most} of 300 were read before they were stored`);
    });

    it('an ingest stops when the signal aborts, also during a wait for the next record', async () => {
      const stop = new AbortController();
      let ended = false;
      async function* endless(): AsyncGenerator<PatentInput> {
        try {
          yield numbered(50);
          stop.abort();
          await new Promise(() => {});
        } finally {
          ended = true;
        }
      }
      await assert.rejects(engine.ingest(endless(), { signal: stop.signal }), { code: 'cancelled' });
      assert.equal(ended, false, 'a waiting generator cannot be ended, so the ingest does not wait for it');
      let returned = false;
      const values: PatentRecords = {
        [Symbol.iterator]: () => ({
          next: () => ({ done: false, value: numbered(51) }),
          return: () => {
            returned = true;
            return { done: true, value: undefined };
          },
        }),
      };
      const other = new AbortController();
      const running = engine.ingest(values, { signal: other.signal, onProgress: () => other.abort() });
      await assert.rejects(running, { code: 'cancelled' });
      assert.ok(returned, 'return() of the iterator is called');
    });

    it('a folder closes during a wait for records', async () => {
      const closing = await open(join(dir, 'closing'), { create: true, workers });
      let asked = () => {};
      const waits = new Promise<void>((resolve) => {
        asked = resolve;
      });
      const never: PatentRecords = {
        [Symbol.asyncIterator]: () => ({
          next: () => {
            asked();
            return new Promise(() => {});
          },
        }),
      };
      const running = closing.ingest(never);
      await waits;
      await Promise.all([closing.close(), assert.rejects(running, { code: 'unavailable' })]);
    });
  });

describe('records of an index', () => {
  const opened = openBefore(FIXTURES);
  const all = async (filter?: PatentFilter): Promise<Patent[]> => {
    const found: Patent[] = [];
    for await (const patent of opened.engine.patents(filter === undefined ? {} : { filter }))
      found.push(patent);
    return found;
  };

  it('records are complete, by number in any spelling, in the requested order', async () => {
    const ids = [...opened.collection.patents.keys()];
    assert.deepEqual(await opened.engine.get(ids), [...opened.collection.patents.values()]);
    assert.deepEqual(
      await opened.engine.get(ids.toReversed()),
      [...opened.collection.patents.values()].reverse(),
    );
    const [one] = await opened.engine.get('US 11,217,824 B2');
    assert.deepEqual(one, opened.collection.patents.get('US11217824B2'));
    assert.deepEqual(await opened.engine.get(['nothing', 'KR1019990000001A']), [undefined, undefined]);
    await assert.rejects(opened.engine.get('EP03893001'), {
      code: 'invalid_request',
      message: 'EP03893001 fits EP03893001A1, EP03893001B1; name one of them',
    });
    await assert.rejects(opened.engine.get(ids, { signal: AbortSignal.abort() }), { code: 'cancelled' });
  });

  it('all records are iterated once, in the order of their ids, with utility models and designs', async () => {
    const found = await all();
    const expected = [...opened.collection.patents.values()].sort((a, b) =>
      a.patent_id < b.patent_id ? -1 : 1,
    );
    assert.deepEqual(found, expected);
    assert.ok(found.some(({ kind_code }) => /^[SU]/.test(kind_code)));
  });

  it('a filter selects the records that it allows by its definition', async () => {
    const filters: PatentFilter[] = [
      {},
      { countries: ['KR'] },
      { countries: ['KR', 'JP'], doc_type: 'grant' },
      { doc_type: 'application' },
      { doc_type: 'all', include_utility_model: true },
      { kind_codes: ['S', 'S1', 'B2'] },
      { filing_date_from: '2018-01-01' },
      { publication_date_from: '2019-01-01', publication_date_to: '2020-12-31' },
      { grant_date_to: '2021-06-30' },
      { priority_date_from: '2015-01-01', priority_date_to: '2019-01-01' },
      { applicant: 'ele', applicant_match: 'contains' },
      { applicant: '삼성', applicant_match: 'prefix' },
      { inventor: 'kim' },
      { ipc_codes: ['H01M', 'G01S 7'] },
      { cpc_codes: ['H01M 10'] },
      { publication_number: 'US 11,217,824 B2' },
      { application_number: 'EP20168852' },
      { family_id: 'none' },
    ];
    for (const { family_id } of opened.collection.patents.values())
      if (family_id) filters.push({ family_id });
    for (const { applicants, inventors } of opened.collection.patents.values()) {
      for (const { name } of applicants ?? []) filters.push({ applicant: name, applicant_match: 'exact' });
      for (const { name } of inventors ?? []) filters.push({ inventor: name });
    }
    const store = Store.open(opened.collection.dir);
    let met = 0;
    for (const filter of filters) {
      const clauses = clausesOf(parseFilter(filter), store);
      const patents = [...opened.collection.patents.values()].filter((patent) => allows(clauses, patent));
      const allowed = patents.map(({ patent_id }) => patent_id);
      met += allowed.length;
      const found = (await all(filter)).map(({ patent_id }) => patent_id);
      assert.deepEqual(found, allowed.sort(), JSON.stringify(filter));
    }
    assert.ok(met > 500, 'the filter allows some records');
    await store.close();
  });

  it('records have their passages and vectors on request', async () => {
    const store = Store.open(opened.collection.dir);
    const { native, manifest } = openSnapshot(store);
    const { dimensions } = manifest.model;
    let passages = 0;
    for await (const { _passages, ...patent } of opened.engine.patents({ vectors: true })) {
      assert.deepEqual(patent, opened.collection.patents.get(patent.patent_id));
      const doc = store.ids.get(patent.patent_id)!;
      const vectors = native.vectorsOf(doc)!;
      for (const [n, { vector, ...passage }] of _passages.entries()) {
        passages += 1;
        assert.deepEqual(passage, store.passage(doc, n));
        assert.deepEqual(vector, vectors.slice(n * dimensions, (n + 1) * dimensions));
        const length = Math.hypot(...vector);
        assert.ok(Math.abs(length - 1) < 0.01, `${patent.patent_id}: ${length}`);
      }
    }
    assert.equal(passages, manifest.passages);
    const [one] = await opened.engine.get('US11217824B2', { vectors: true });
    assert.ok(one!._passages.length > 0 && one!._passages[0]!.vector.length === dimensions);
    native.close();
    await store.close();
  });

  it('an iteration shows one state, during ingests, replacements and deletions', async () => {
    const data = mkdtempSync(join(tmpdir(), 'priorart-one-state-'));
    const changing = await open(data, { create: true, workers: 1 });
    await changing.ingest(Array.from({ length: 300 }, (_, n) => numbered(n)));
    const seen: Patent[] = [];
    for await (const patent of changing.patents({ vectors: true })) {
      seen.push(patent);
      if (seen.length === 10) {
        await changing.delete([idOf(200), idOf(0)]);
        await changing.ingest([numbered(150, 'Replaced'), numbered(999)]);
      }
    }
    assert.deepEqual(
      seen.map(({ patent_id, title }) => [patent_id, title]),
      Array.from({ length: 300 }, (_, n) => [idOf(n), `Pump number ${n}`]),
    );
    const later = new Map<string, string | undefined>();
    for await (const { patent_id, title } of changing.patents()) later.set(patent_id, title);
    assert.equal(later.size, 299);
    assert.equal(later.get(idOf(150)), 'Replaced');
    assert.equal(later.has(idOf(200)), false);
    await changing.close();
    rmSync(data, { recursive: true });
  });

  it('an iteration stops when the loop ends, the signal aborts or the folder closes', async () => {
    const own = await open(opened.collection.dir, { workers: 0 });
    for await (const _ of own.patents()) break;
    const stop = new AbortController();
    const stopped = own.patents({ signal: stop.signal });
    await stopped.next();
    stop.abort();
    await assert.rejects(stopped.next(), { code: 'cancelled' });
    const open_ = own.patents();
    await open_.next();
    await own.close();
    await assert.rejects(open_.next(), { code: 'unavailable' });
  });
});

describe('a round trip of records', () => {
  it('a round trip through another folder gives equal records', async () => {
    const collection = await collect(FIXTURES);
    const dir = mkdtempSync(join(tmpdir(), 'priorart-round-trip-'));
    const [from, to] = [
      await open(collection.dir, { workers: 0 }),
      await open(join(dir, 'to'), { create: true, workers: 1 }),
    ];
    const { ingested, failed } = await to.ingest(from.patents());
    assert.deepEqual([ingested, failed], [101, []]);
    const copied: Patent[] = [];
    for await (const patent of to.patents()) copied.push(patent);
    const originals: Patent[] = [];
    for await (const patent of from.patents()) originals.push(patent);
    assert.deepEqual(copied, originals);
    await Promise.all([from.close(), to.close()]);
    rmSync(dir, { recursive: true });
    collection.remove();
  });
});
