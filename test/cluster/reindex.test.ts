/** Moving to another index: searches and writes go on, and nothing is lost. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ClusterClient } from '../../src/cluster/client.js';
import { readMeta } from '../../src/cluster/meta.js';
import { reindex } from '../../src/cluster/reindex.js';
import { settingsOf } from '../../src/cluster/settings.js';
import { type Engine, open } from '../../src/engine.js';
import { isPriorartError } from '../../src/errors.js';
import { FIXTURES, questions } from '../crash/folder.js';
import { writeOtherModel } from '../embed/other-model.js';
import { until } from '../until.js';
import { proxyOf } from './proxy.js';
import { missingForCluster, type StartedCluster, startedCluster } from './started.js';

const EXACT = { exact: true } as const;

describe('reindexing', { skip: await missingForCluster() }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'priorart-reindex-'));
  let cluster: StartedCluster;
  before(async () => {
    cluster = await startedCluster();
  });
  after(async () => {
    await cluster?.remove();
    rmSync(folder, { recursive: true });
  });

  const addressOf = (index: string, nodes = cluster.urls) =>
    ({ nodes, index, knnEngine: 'lucene', replicas: 0, shards: 1 }) as const;

  async function filled(): Promise<{ engine: Engine; index: string }> {
    const index = `reindex-${randomUUID()}`;
    const engine = await open({ engine: 'opensearch', ...addressOf(index) }, { create: true });
    for (const source of FIXTURES) await engine.ingest(source);
    return { engine, index };
  }

  const written = (n: number, title = `Wombat lift number ${n}`) => ({
    patent_id: `US${30_000_000 + n}A1`,
    country: 'US',
    number: String(30_000_000 + n),
    kind_code: 'A1',
    title,
  });

  const ids = async (engine: Engine) => {
    const found: string[] = [];
    for await (const { patent_id } of engine.patents()) found.push(patent_id);
    return found;
  };

  const answersOf = (engine: Engine) =>
    Promise.all(
      questions(20).map(async (query) => {
        const { results } = await engine.search(
          { query, top_k: 20, countries: ['KR'] },
          { ...EXACT, rerank: false },
        );
        return results.map(({ patent_id, similarity_score }) => `${patent_id} ${similarity_score}`);
      }),
    );

  async function current(index: string) {
    const client = await ClusterClient.open(settingsOf(addressOf(index)));
    try {
      return (await readMeta(client))!;
    } finally {
      await client.close();
    }
  }

  test('what a correction took the place of, and a killed program left behind, is not copied', async () => {
    const index = `reindex-${randomUUID()}`;
    const proxy = await proxyOf(cluster.urls[0]!);
    const engine = await open({ engine: 'opensearch', ...addressOf(index, [proxy.url]) }, { create: true });
    try {
      let document = '';
      proxy.fault(({ path, body }) => {
        if (path.startsWith('/_bulk')) document ||= body.split('\n')[1]!;
        return undefined;
      });
      const first = written(1);
      const correction = {
        ...written(1, 'A corrected wombat lift'),
        patent_id: 'US30000001A9',
        kind_code: 'A9',
        corrects: [first.patent_id],
      };
      for (const record of [first, correction]) await engine.ingest([record] as never);
      const left = await fetch(`${cluster.urls[0]}/${index}-1/_doc/left?refresh=true`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: document,
      });
      assert.equal(left.status, 201);
      assert.deepEqual(await ids(engine), [first.patent_id, correction.patent_id]);
      // Both are found for the time being, with the texts of each.
      const asked = { query: 'wombat lift', collapse: 'none' } as const;
      const { results } = await engine.search(asked, EXACT);
      assert.deepEqual(new Set(results.map(({ title }) => title)), new Set([first.title, correction.title]));
      const counted = await engine.analyze({ ...asked, min_score: 0 });
      assert.equal(counted.total_matched, 2);
      const summary = await reindex(addressOf(index));
      assert.equal(summary.documents, 1);
      // The engine looks for a different index once per second or so.
      await until(async () => (await ids(engine)).join() === correction.patent_id, 'the new index is read');
    } finally {
      await engine.close();
      proxy.close();
    }
  });

  test('other shards: no search fails, no write is lost, while others search and write', async () => {
    const { engine, index } = await filled();
    try {
      const expected = await answersOf(engine);
      const [stored, deleted] = [new Map<string, string>(), new Set<string>()];
      let isOver = false;
      const write = async () => {
        for (let n = 0; !isOver; n++) {
          const record = written(n);
          await engine.ingest([record] as never);
          stored.set(record.patent_id, record.title);
          if (n % 3 === 1) {
            const again = written(n - 1, `Another title of ${n - 1}`);
            await engine.ingest([again] as never);
            stored.set(again.patent_id, again.title);
          }
          if (n % 4 === 3) {
            const { patent_id } = written(n - 3);
            await engine.delete(patent_id);
            stored.delete(patent_id);
            deleted.add(patent_id);
          }
        }
      };
      let answers = 0;
      const search = async () => {
        while (!isOver) {
          assert.deepEqual(await answersOf(engine), expected);
          answers += 1;
        }
      };
      const load = Promise.all([write(), search()]);
      load.catch(() => {});
      const summary = await reindex({ ...addressOf(index), shards: 2 });
      const before = [answers, stored.size];
      while (answers < before[0]! + 2 || stored.size < before[1]! + 2) {
        await Promise.race([new Promise((resolve) => setTimeout(resolve, 50)), load]);
      }
      isOver = true;
      await load;
      assert.deepEqual([summary.from, summary.to], [`${index}-1`, `${index}-2`]);
      assert.equal((await current(index)).index, `${index}-2`);
      const there = new Map<string, string | undefined>();
      for await (const { patent_id, title } of engine.patents()) there.set(patent_id, title);
      for (const [id, title] of stored) assert.equal(there.get(id), title, id);
      for (const id of deleted) assert.ok(!there.has(id), id);
      const block = await fetch(`${cluster.urls[0]}/${index}-1/_doc/x`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      assert.equal(block.status, 403, 'the old index takes no writes');
    } finally {
      await engine.close();
    }
  });

  test('a reindex stops after another reindex has moved the alias, and later writes stay', async () => {
    const { engine, index } = await filled();
    const proxy = await proxyOf(cluster.urls[0]!);
    try {
      let other: Promise<unknown> | undefined;
      // The other one does all its work before the last step of this one.
      proxy.fault(({ path }) => {
        if (!path.includes('/_block/')) return undefined;
        other ??= reindex(addressOf(index)).then(() => engine.ingest([written(7)] as never));
        return other.then(() => undefined);
      });
      const late = reindex(addressOf(index, [proxy.url]), { deleteOld: true });
      await assert.rejects(late, /another reindex has moved .* to .*-2, and this one stops/);
      await other;
      assert.equal((await current(index)).index, `${index}-2`);
      assert.ok((await ids(engine)).includes(written(7).patent_id));
      assert.equal((await engine.ingest([written(8)] as never)).ingested, 1);
    } finally {
      proxy.close();
      await engine.close();
    }
  });

  test('an unfinished index of other settings is not taken over', async () => {
    const { engine, index } = await filled();
    const proxy = await proxyOf(cluster.urls[0]!);
    try {
      proxy.fault(({ path }) => (path.startsWith('/_aliases') ? { status: 503, body: {} } : undefined));
      await assert.rejects(reindex(addressOf(index, [proxy.url])));
      await assert.rejects(
        reindex({ ...addressOf(index), shards: 2 }),
        (error) =>
          isPriorartError(error) && /has 1 shards instead of 2\. Finish that first/.test(error.message),
      );
      assert.equal((await reindex(addressOf(index))).to, `${index}-2`);
    } finally {
      proxy.close();
      await engine.close();
    }
  });

  test('a file with a long path enters the ledger', async () => {
    const { engine, index } = await filled();
    try {
      const dir = join(folder, '가'.repeat(80), '나'.repeat(80));
      mkdirSync(dir, { recursive: true });
      const path = join(dir, 'a.jsonl');
      assert.ok(Buffer.byteLength(path) > 512);
      writeFileSync(path, JSON.stringify(written(9)));
      assert.equal((await engine.ingest(path)).ingested, 1);
      assert.equal((await engine.ingest(path, { onlyNew: true })).known_files, 1);
      assert.equal((await current(index)).index, `${index}-1`);
    } finally {
      await engine.close();
    }
  });

  test('an index of a form that this version cannot read is refused', async () => {
    const { engine, index } = await filled();
    await engine.close();
    const mapping = `${cluster.urls[0]}/${index}-1/_mapping`;
    const told = (await (await fetch(mapping)).json()) as Record<string, { mappings: { _meta: object } }>;
    const [{ mappings }] = Object.values(told) as [{ mappings: { _meta: object } }];
    const changed = await fetch(mapping, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ _meta: { ...mappings._meta, form: 2 } }),
    });
    assert.equal(changed.status, 200);
    const isRefused = (error: unknown) =>
      isPriorartError(error) &&
      error.code === 'data_version' &&
      /has form 2; .*new index/.test(error.message);
    await assert.rejects(open({ engine: 'opensearch', ...addressOf(index) }), isRefused);
    await assert.rejects(reindex(addressOf(index)), isRefused);
  });

  test('another model: the answers are those of a new index of that model', async () => {
    const { engine, index } = await filled();
    const models = join(folder, 'half.json');
    await writeOtherModel(join(folder, 'half.bin'), 'half', 128);
    writeFileSync(models, JSON.stringify({ embedder: { kind: 'static', file: './half.bin' } }));
    const fresh = await open(
      { engine: 'opensearch', ...addressOf(`reindex-${randomUUID()}`) },
      { create: true, models },
    );
    try {
      for (const source of FIXTURES) await fresh.ingest(source);
      const before = await answersOf(engine);
      const summary = await reindex(addressOf(index), { models, deleteOld: true });
      assert.equal(summary.documents, (await ids(fresh)).length);
      const expected = await answersOf(fresh);
      assert.notDeepEqual(before, expected);
      // The engine that was open all the time follows, within a second.
      let now = await answersOf(engine);
      for (let tries = 0; tries < 100 && JSON.stringify(now) === JSON.stringify(before); tries++) {
        now = await answersOf(engine);
      }
      assert.deepEqual(now, expected);
      assert.equal((await engine.ingest([written(1)] as never)).ingested, 1);
      assert.equal((await fetch(`${cluster.urls[0]}/${index}-1`)).status, 404, 'the old index is deleted');
    } finally {
      await Promise.all([engine.close(), fresh.close()]);
    }
  });

  test('a move that is stopped goes on, with what changed meanwhile, and leaves no block', async () => {
    const { engine, index } = await filled();
    const proxy = await proxyOf(cluster.urls[0]!);
    try {
      // The last step fails: the index takes no writes at that moment.
      proxy.fault(({ path }) => (path.startsWith('/_aliases') ? { status: 503, body: {} } : undefined));
      const stopped = reindex(addressOf(index, [proxy.url]));
      await assert.rejects(stopped, (error) => isPriorartError(error) && error.code === 'unavailable');
      const [first] = await ids(engine);
      await engine.ingest([written(2)] as never);
      await engine.delete(first!);
      const { copied, removed } = await reindex(addressOf(index));
      assert.deepEqual([copied, removed], [1, 1]);
      const now = await ids(engine);
      assert.ok(now.includes(written(2).patent_id) && !now.includes(first!));
    } finally {
      proxy.close();
      await engine.close();
    }
  });

  test('a block of writes that a shard has not heard keeps the old index, and leaves no block', async () => {
    const { engine, index } = await filled();
    const proxy = await proxyOf(cluster.urls[0]!);
    try {
      const body = { acknowledged: true, shards_acknowledged: false, indices: [] };
      proxy.fault(({ path }) => (path.includes('/_block/') ? { status: 200, body } : undefined));
      await assert.rejects(
        reindex({ ...addressOf(index, [proxy.url]) }, { deleteOld: true }),
        (error) => isPriorartError(error) && /refuses writes/.test(error.message),
      );
      assert.equal((await current(index)).index, `${index}-1`);
      assert.equal((await engine.ingest([written(3)] as never)).ingested, 1);
    } finally {
      proxy.close();
      await engine.close();
    }
  });

  test('a move that was killed while the index took no writes goes on', async () => {
    const { engine, index } = await filled();
    try {
      const block = { method: 'PUT' };
      const first = await fetch(`${cluster.urls[0]}/${index}-1/_block/write`, block);
      assert.equal(first.status, 200);
      const { to } = await reindex(addressOf(index), { deleteOld: true });
      assert.equal((await current(index)).index, to);
    } finally {
      await engine.close();
    }
  });

  test('a write that reaches the cluster after its index was deleted is done in the new one', async () => {
    const { engine, index } = await filled();
    await engine.close();
    const proxy = await proxyOf(cluster.urls[0]!);
    const writing = await open({ engine: 'opensearch', ...addressOf(index, [proxy.url]) });
    const autoCreate = async (value: false | null) => {
      const changed = await fetch(`${cluster.urls[0]}/_cluster/settings`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ persistent: { 'action.auto_create_index': value } }),
      });
      assert.equal(changed.status, 200);
    };
    /** The first write arrives when the index has been moved, and the old one deleted. */
    const late = () => {
      let moved: Promise<unknown> | undefined;
      proxy.fault(async ({ path, body }) => {
        if (!path.startsWith('/_bulk') || body.includes('-drawings"') || moved) return undefined;
        moved = reindex(addressOf(index), { deleteOld: true });
        await moved;
        return undefined;
      });
    };
    const isThere = async (number: number) => (await fetch(`${cluster.urls[0]}/${index}-${number}`)).ok;
    try {
      late();
      assert.equal((await writing.ingest([written(4)] as never)).ingested, 1);
      assert.ok((await ids(writing)).includes(written(4).patent_id));
      assert.deepEqual([await isThere(1), await isThere(2)], [false, true]);
      await autoCreate(false);
      late();
      const { ingested, failed } = await writing.ingest([written(5)] as never);
      assert.deepEqual([ingested, failed], [1, []]);
      assert.ok((await ids(writing)).includes(written(5).patent_id));
      late();
      const { deleted } = await writing.delete(written(5).patent_id);
      assert.deepEqual(deleted, [written(5).patent_id]);
      assert.ok(!(await ids(writing)).includes(written(5).patent_id));
      assert.equal((await current(index)).index, `${index}-4`);
    } finally {
      await autoCreate(null);
      proxy.close();
      await writing.close();
    }
  });
});
