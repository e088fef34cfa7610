/** Pages of semantic-analytics are consistent during commits. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type AnalyticsResponse, type Engine, open } from '../../src/index.js';
import { folderThreads } from '../../src/pool/folder-thread.js';
import { Pins } from '../../src/pool/pins.js';
import { type AskOptions, Inline } from '../../src/pool/pool.js';
import { Rankings } from '../../src/pool/rankings.js';
import type { Question } from '../../src/pool/tasks.js';
import { parseAnalytics } from '../../src/search/query.js';
import { change } from '../../src/store/commit.js';
import { Store } from '../../src/store/store.js';
import { until } from '../until.js';

const QUERY = {
  query: 'battery cell cooled by a liquid',
  min_score: 0,
  page_size: 4,
  stats_group_by: ['year'],
};

function records(from: number, count: number, text: string): string {
  return Array.from({ length: count }, (_, i) =>
    JSON.stringify({
      patent_id: `US${String(10_000_000 + from + i)}B2`,
      country: 'US',
      kind_code: 'B2',
      title: `${text} ${from + i}`,
      abstract: `${text}, number ${from + i}, with a pump that moves the liquid.`,
      publication_date: `20${10 + ((from + i) % 10)}-01-01`,
    }),
  ).join('\n');
}

const folder = mkdtempSync(join(tmpdir(), 'priorart-rankings-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'records.jsonl');

async function add(engine: Engine, from: number, count: number, text: string): Promise<void> {
  writeFileSync(file, records(from, count, text));
  const { failed } = await engine.ingest(file);
  assert.deepEqual(failed, []);
}

const idsOf = ({ results }: AnalyticsResponse) => results.map(({ patent_id }) => patent_id);

for (const workers of [0, 2]) {
  describe(`pages of one query with ${workers} workers`, () => {
    let engine: Engine;
    let dir: string;
    before(async () => {
      dir = join(folder, `data${workers}`);
      engine = await open(dir, { create: true, workers });
      await add(engine, 0, 30, 'Battery cell cooled by a liquid');
    });
    after(() => engine.close());
    const page = (number: number, more = {}) => engine.analyze({ ...QUERY, ...more, page: number } as never);

    it('a later page explains the count of the first one, which was not asked to', async () => {
      const [first, second] = [await page(1), await page(2, { explain: true })];
      assert.equal(first.explanation, undefined);
      assert.deepEqual(second.explanation, { exact: true, documents: 30, scans: ['exact'] });
    });

    it('pages are consistent with the first one during ingests, replacements and deletions', async () => {
      const before = await engine.analyze({ ...QUERY, page_size: 100 } as never);
      assert.equal(before.total_matched, 30);
      const first = await page(1);
      const pages = [first];
      await add(engine, 100, 10, 'Battery cell cooled by a liquid, better');
      pages.push(await page(2));
      // The same publications with other texts, and some deleted: later pages show the state of the first.
      const [replaced, deleted] = [before.results[10]!, before.results[14]!];
      await add(engine, Number(replaced.patent_id.slice(2, 10)) - 10_000_000, 1, 'Umbrella');
      assert.deepEqual((await engine.delete([deleted.patent_id])).deleted, [deleted.patent_id]);
      for (let number = 3; number <= 8; number++) pages.push(await page(number));
      assert.deepEqual(
        pages.flatMap(({ results }) => results),
        before.results,
      );
      for (const { total_matched, total_pages, stats } of pages) {
        assert.deepEqual(
          { total_matched, total_pages, stats },
          {
            total_matched: 30,
            total_pages: 8,
            stats: before.stats,
          },
        );
      }
      assert.deepEqual(idsOf(await page(9)), [], 'a page past the end');
      assert.deepEqual(
        (await page(2, { page_size: 7 })).results,
        before.results.slice(7, 14),
        'pages of another size are of the same state',
      );
      const byOwner = (number: number, owner: string) =>
        engine.analyze({ ...QUERY, page: number } as never, { owner });
      await byOwner(1, 'a');
      await add(engine, 300, 1, 'Battery cell cooled by a liquid, late');
      await byOwner(1, 'b');
      assert.equal((await byOwner(2, 'a')).total_matched, 39, 'the state of the own first page');
      assert.equal((await byOwner(2, 'b')).total_matched, 40);
      await engine.delete(['US10000300B2']);
      const fresh = await page(1);
      assert.equal(fresh.total_matched, 39, 'a first page shows the current state');
      assert.equal(idsOf(fresh).length, 4);
      assert.equal((await page(2)).total_matched, 39, 'later pages show the same state');
      assert.equal(
        (await page(2, { top_k: 3, stats_group_by: ['ipc'] })).total_matched,
        39,
        'another query has its own state',
      );
    });
  });
}

describe('rankings after the end', () => {
  it('a search that ends after the folder began to close keeps no state', async () => {
    const store = Store.open(join(folder, 'data0'));
    const inline = new Inline(folderThreads({ dir: store.dir, choice: { opened: store.manifest().model } }));
    let rankings: Rankings | undefined;
    const closing = {
      ask: async (question: Question, options: AskOptions) => {
        const answer = await inline.ask(question, options);
        rankings!.close();
        return answer;
      },
    };
    rankings = new Rankings(store, closing as never);
    const { results } = await rankings.page(parseAnalytics(QUERY), 'owner');
    assert.equal(results, 4);
    assert.equal(rankings.size, 0);
    await inline.close();
    await store.close();
  });
});

describe('cached rankings', () => {
  let store: Store;
  let answers: Inline;
  let dir: string;
  before(async () => {
    dir = join(folder, 'kept');
    const engine = await open(dir, { create: true, workers: 0 });
    await add(engine, 0, 12, 'Battery cell cooled by a liquid');
    await engine.close();
    store = Store.open(dir);
    answers = new Inline(folderThreads({ dir, choice: { opened: store.manifest().model } }));
  });
  after(async () => {
    await answers.close();
    await store.close();
  });
  const query = (number: number, text = QUERY.query) =>
    parseAnalytics({ ...QUERY, query: text, page: number });

  it('rankings are kept for each owner, with a maximum number and age', async () => {
    const rankings = new Rankings(store, answers, { rankings: 3, ms: 3_000 });
    await rankings.page(query(1), 'a');
    await rankings.page(query(1), 'a');
    assert.equal(rankings.size, 1, 'one of a query');
    await rankings.page(query(1), 'b');
    await rankings.page(query(1, 'pump'), 'a');
    await rankings.page(query(1, 'liquid'), 'a');
    assert.equal(rankings.size, 3, 'the oldest is removed first');
    await until(() => rankings.size === 0, 'all pins are released without a request');
    await rankings.page(query(1), 'a');
    rankings.close();
    assert.equal(rankings.size, 0);
  });

  it('rankings of one state share its pin; with many states the oldest is released', async () => {
    const pins = new Pins(store, 2);
    const generation = () => {
      store.refresh();
      return store.manifest().generation;
    };
    const first = pins.take(generation())!;
    assert.equal(pins.take(generation()), first);
    assert.equal(pins.size, 1);
    assert.equal(pins.take(generation() - 1), undefined, 'a removed state cannot be pinned');
    pins.leave(first);
    assert.equal(first.released, false, 'the state is still in use');
    const commit = () => change(store, () => {});
    commit();
    const second = pins.take(generation())!;
    commit();
    const third = pins.take(generation())!;
    assert.deepEqual(
      [first, second, third].map(({ released }) => released),
      [true, false, false],
    );
    assert.equal(pins.size, 2);
    for (const pinned of [first, second, third]) pins.leave(pinned);
    assert.equal(pins.size, 0);
    assert.ok(second.released && third.released);
  });

  it('a first page is searched again if a commit comes before its state can be pinned', async () => {
    let commits = 0;
    const shown: unknown[] = [];
    const changing = new Proxy(answers, {
      get(target, name) {
        if (name !== 'ask') return Reflect.get(target, name, target);
        return async (question: Question, options: AskOptions) => {
          const answer = await target.ask(question, options);
          if (question.kind === 'analytics') shown.push(answer);
          if (commits-- > 0) change(store, () => {});
          return answer;
        };
      },
    });
    const rankings = new Rankings(store, changing);
    commits = 2;
    const { json } = await rankings.page(query(1), 'a');
    assert.equal(shown.length, 3);
    assert.equal(json, (shown[2] as { json: Uint8Array }).json);
    await rankings.page(query(2), 'a');
    assert.equal(shown.length, 3, 'the later page is of the pinned state');
    rankings.close();
    // A server without time for another search gives the answer that it has.
    const busy = new Proxy(answers, {
      get(target, name) {
        if (name !== 'ask') return Reflect.get(target, name, target);
        return async (question: Question, options: AskOptions) => {
          if (shown.length > 3) throw new Error('overloaded');
          const answer = await target.ask(question, options);
          shown.push(answer);
          change(store, () => {});
          return answer;
        };
      },
    });
    const late = new Rankings(store, busy);
    const page = await late.page(query(1), 'a');
    assert.equal(page.json, (shown[3] as { json: Uint8Array }).json);
    late.close();
  });

  it('the ranking of a single page is not kept', async () => {
    const rankings = new Rankings(store, answers);
    await rankings.page({ ...query(1), pageSize: 12 }, 'a');
    assert.equal(rankings.size, 0);
    await rankings.page({ ...query(1), pageSize: 11 }, 'a');
    assert.equal(rankings.size, 1);
    // Later pages are not those of an older state.
    await rankings.page({ ...query(1), pageSize: 12 }, 'a');
    assert.equal(rankings.size, 0);
    rankings.close();
  });
});
