/** What is lost or refused between an engine and its cluster leaves no write undone, and nothing behind. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { ClusterClient } from '../../src/cluster/client.js';
import { settingsOf } from '../../src/cluster/settings.js';
import { type Engine, open } from '../../src/engine.js';
import { isPriorartError } from '../../src/errors.js';
import type { Patent } from '../../src/patent/record.js';
import { until } from '../until.js';
import { type FaultyNode, proxyOf } from './proxy.js';
import { missingForCluster, type StartedCluster, startedCluster } from './started.js';

const record = (number: number, kind: string, rest: Partial<Patent> = {}): Patent =>
  ({
    patent_id: `US2020${String(number).padStart(7, '0')}${kind}`,
    country: 'US',
    number: `2020${String(number).padStart(7, '0')}`,
    kind_code: kind,
    title: `Quokka feeder number ${number}`,
    abstract: `A feeder for quokkas, of the kind ${number}.`,
    ...rest,
  }) as Patent;

describe('faults between an engine and its cluster', { skip: await missingForCluster() }, () => {
  let cluster: StartedCluster;
  let proxy: FaultyNode;
  before(async () => {
    cluster = await startedCluster();
    proxy = await proxyOf(cluster.urls[0]!);
  });
  after(async () => {
    proxy?.close();
    await cluster?.remove();
  });

  async function withEngine<T>(work: (engine: Engine, index: string) => Promise<T>): Promise<T> {
    proxy.fault(() => undefined);
    const index = `faults-${randomUUID()}`;
    const address = { engine: 'opensearch', nodes: [proxy.url], index, timeoutMs: 5_000 } as const;
    const engine = await open({ ...address, knnEngine: 'lucene', replicas: 0 }, { create: true });
    try {
      return await work(engine, index);
    } finally {
      proxy.fault(() => undefined);
      await engine.close();
    }
  }

  const ids = async (engine: Engine): Promise<string[]> => {
    const found: string[] = [];
    for await (const { patent_id } of engine.patents()) found.push(patent_id);
    return found;
  };

  const ask = async (path: string) => (await fetch(cluster.urls[0] + path)).json() as Promise<unknown>;

  test('a correction takes the place of a publication in one write', async () => {
    await withEngine(async (engine) => {
      const [first, correction] = [record(1, 'A1'), record(1, 'A9', { corrects: ['US20200000001A1'] })];
      await engine.ingest([first]);
      let writes = 0;
      const stop = new AbortController();
      // After the first write, this program is as good as killed.
      proxy.fault(({ path }) => {
        if (!path.startsWith('/_bulk')) return writes === 0 ? undefined : 'cut';
        writes += 1;
        if (writes === 1) return undefined;
        stop.abort();
        return 'cut';
      });
      await engine.ingest([correction], { signal: stop.signal }).catch(() => {});
      proxy.fault(() => undefined);
      await engine.ingest([correction]);
      assert.deepEqual(await ids(engine), ['US20200000001A9']);
      assert.equal((await engine.get(['US20200000001A1']))[0]?.patent_id, 'US20200000001A9');
      const { results } = await engine.search({ query: 'Quokka feeder number 1' });
      assert.deepEqual(
        results.map(({ patent_id }) => patent_id),
        ['US20200000001A9'],
      );
      // The corrected publication does not come back.
      const { unchanged } = await engine.ingest([first]);
      assert.equal(unchanged, 1);
      assert.deepEqual(await engine.delete(['US20200000001A9']), {
        deleted: ['US20200000001A9'],
        not_found: [],
      });
      assert.deepEqual(await ids(engine), []);
    });
  });

  test('what an earlier version left behind is removed by the next ingest', async () => {
    await withEngine(async (engine, index) => {
      const [first, correction] = [record(2, 'A1'), record(2, 'A9', { corrects: ['US20200000002A1'] })];
      let document = '';
      proxy.fault(({ path, body }) => {
        if (path.startsWith('/_bulk')) document ||= body.split('\n')[1]!;
        return undefined;
      });
      await engine.ingest([first]);
      await engine.ingest([correction]);
      const left = await fetch(`${cluster.urls[0]}/${index}-1/_doc/left?refresh=true`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: document,
      });
      assert.equal(left.status, 201);
      assert.deepEqual(await ids(engine), ['US20200000002A1', 'US20200000002A9']);
      await engine.ingest([correction, first]);
      assert.deepEqual(await ids(engine), ['US20200000002A9']);
    });
  });

  test('a write whose answer is lost is done once', async () => {
    await withEngine(async (engine) => {
      let lost = 0;
      proxy.fault(({ path }) => (path.startsWith('/_bulk') && lost++ === 0 ? 'lose' : undefined));
      const records = [record(3, 'A1'), record(4, 'A1')];
      const { failed } = await engine.ingest(records);
      assert.ok(lost > 0);
      assert.deepEqual(failed, []);
      assert.deepEqual(
        await ids(engine),
        records.map(({ patent_id }) => patent_id),
      );
    });
  });

  test('a cluster that refuses whole requests because it is busy is asked again', async () => {
    await withEngine(async (engine) => {
      let busy = 0;
      const body = { error: { type: 'rejected_execution_exception', reason: 'indexing pressure' } };
      proxy.fault(({ path }) =>
        path.startsWith('/_bulk') && busy++ < 2 ? { status: 429, body } : undefined,
      );
      await engine.ingest([record(5, 'A1')]);
      assert.ok(busy > 2);
      assert.equal((await ids(engine)).length, 1);
    });
  });

  test('an ingest waits for nodes that take no requests for a moment', async () => {
    await withEngine(async (engine) => {
      let asked = 0;
      const body = { error: 'no healthy upstream' };
      // The client sends each request four times at once.
      proxy.fault(({ path }) => {
        if (!path.startsWith('/_bulk') || asked++ >= 8) return undefined;
        return asked <= 4 ? { status: 503, body } : 'cut';
      });
      assert.equal((await engine.ingest([record(19, 'A1')])).ingested, 1);
      assert.ok(asked > 8);
    });
  });

  test('a publication that the cluster refuses is a failure, and the others are stored', async () => {
    await withEngine(async (engine) => {
      const item = { create: { status: 400, error: { type: 'mapper_exception', reason: 'too large' } } };
      proxy.fault(({ path, body }) =>
        path.startsWith('/_bulk') && body.includes('number 6"')
          ? { status: 200, body: { items: Array(body.split('\n').length >> 1).fill(item) } }
          : undefined,
      );
      const { failed, ingested } = await engine.ingest([record(6, 'A1')]);
      assert.equal(ingested, 0);
      assert.match(failed[0]!.reason, /too large/);
      assert.equal((await engine.ingest([record(7, 'A1')])).ingested, 1);
    });
  });

  test('after a failed request, what was written before it is found', async () => {
    await withEngine(async (engine) => {
      const item = (status: number) => ({
        create: { status, ...(status === 500 ? { error: { type: 'io', reason: 'disk' } } : {}) },
      });
      proxy.fault(({ path, body }) =>
        path.startsWith('/_bulk') && body.includes('number 9"')
          ? { status: 200, body: { items: Array(body.split('\n').length >> 1).fill(item(500)) } }
          : undefined,
      );
      // The second does not fit into the request of the first.
      const long = 'A sentence about quokkas that eat. '.repeat(60_000);
      const records = [record(8, 'A1', { abstract: long }), record(9, 'A1', { abstract: long })];
      await assert.rejects(engine.ingest(records), /disk/);
      proxy.fault(() => undefined);
      assert.deepEqual(await ids(engine), [record(8, 'A1').patent_id]);
    });
  });

  test('a refresh that fails for a shard is no success', async () => {
    await withEngine(async (engine) => {
      const body = {
        _shards: { total: 1, successful: 0, failed: 1, failures: [{ reason: { reason: 'gone' } }] },
      };
      proxy.fault(({ path }) => (path.endsWith('/_refresh') ? { status: 200, body } : undefined));
      await assert.rejects(engine.ingest([record(11, 'A1')]), /gone/);
    });
  });

  test('a search that is cancelled while its state is opened leaves no state open', async () => {
    await withEngine(async (engine, index) => {
      await engine.ingest([record(12, 'A1')]);
      const open = async () => {
        const { indices } = (await ask(`/${index}-1/_stats/search`)) as {
          indices: Record<string, { total: { search: { point_in_time_current: number } } }>;
        };
        return Object.values(indices)[0]!.total.search.point_in_time_current;
      };
      await until(async () => (await open()) === 0, 'no state is open');
      let opened = 0;
      proxy.fault(async ({ path, method }) => {
        if (method !== 'POST' || !path.includes('point_in_time')) return undefined;
        opened += 1;
        await new Promise((resolve) => setTimeout(resolve, 200));
        return undefined;
      });
      const stop = new AbortController();
      const search = engine.search({ query: 'quokka' }, { signal: stop.signal });
      search.catch(() => {});
      await until(() => opened === 1, 'the state is asked for');
      const before = proxy.passedOn();
      stop.abort();
      await assert.rejects(search, (error) => isPriorartError(error) && error.code === 'cancelled');
      await until(() => proxy.passedOn() > before, 'the state is open');
      await engine.close();
      await until(async () => (await open()) === 0, 'no state is open after the end');
    });
  });

  test('a state that is lost during a search is opened again', async () => {
    await withEngine(async (engine) => {
      await engine.ingest([record(13, 'A1')]);
      let lost = 0;
      const body = { error: { type: 'search_context_missing_exception', reason: 'No search context' } };
      proxy.fault(({ path }) =>
        path.startsWith('/_search?') && lost++ === 0 ? { status: 404, body } : undefined,
      );
      assert.equal((await engine.search({ query: 'quokka' })).results.length, 1);
      proxy.fault(({ path }) => (path.startsWith('/_search?') ? { status: 404, body } : undefined));
      await assert.rejects(
        engine.search({ query: 'quokka' }),
        (error) => isPriorartError(error) && error.code === 'unavailable',
      );
    });
  });

  test('searches, ingests and deletions wait for shards that do not answer for a moment', async () => {
    await withEngine(async (engine) => {
      const body = { error: { type: 'search_phase_execution_exception', reason: 'Partial shards failure' } };
      const failed = new Map<string, number>();
      // Each kind of request fails three times.
      const failing = ({ path }: { path: string }) => {
        const kind = /_search|_refresh|_update/.exec(path)?.[0];
        if (kind === undefined || path.includes('point_in_time')) return undefined;
        const times = failed.get(kind) ?? 0;
        failed.set(kind, times + 1);
        return times < 3 ? { status: 500, body } : undefined;
      };
      proxy.fault(failing);
      assert.equal((await engine.ingest([record(16, 'A1')])).ingested, 1);
      assert.deepEqual([...failed.keys()].sort(), ['_refresh', '_search', '_update']);
      failed.clear();
      assert.equal((await engine.search({ query: 'quokka' })).results.length, 1);
      assert.ok(failed.get('_search')! > 3);
      failed.clear();
      assert.deepEqual((await engine.delete(['US20200000016A1'])).deleted, ['US20200000016A1']);
    });
  });

  test('searches go on while no manager is elected', async () => {
    await withEngine(async (engine) => {
      await engine.ingest([record(14, 'A1')]);
      const body = { error: { type: 'cluster_manager_not_discovered_exception', reason: 'none' } };
      // Requests that the manager answers.
      proxy.fault(({ path }) =>
        path.includes('_mapping') && !path.includes('local=true') ? { status: 503, body } : undefined,
      );
      for (const wait of [0, 1_100]) {
        await new Promise((resolve) => setTimeout(resolve, wait));
        assert.equal((await engine.search({ query: 'quokka' })).results.length, 1);
      }
    });
  });

  test('70,000 numbers can be deleted by one call', async () => {
    await withEngine(async (engine) => {
      await engine.ingest([record(15, 'A1')]);
      const numbers = Array.from({ length: 70_000 }, (_, n) => `US${9_000_000 + n}B2`);
      const { deleted, not_found } = await engine.delete([...numbers, 'US20200000015A1']);
      assert.deepEqual([deleted, not_found.length], [['US20200000015A1'], numbers.length]);
    });
  });

  test('what an earlier attempt has deleted is reported as deleted', async () => {
    await withEngine(async (engine) => {
      const [first, second] = [record(17, 'A1'), record(18, 'A1')];
      await engine.ingest([first, second]);
      let lost = 0;
      // The deletion is done, and its answer says that the node failed.
      proxy.fault(async ({ path, body }) => {
        if (!path.startsWith('/_bulk') || body.includes('-drawings"') || lost++ > 0) return undefined;
        const headers = { 'content-type': 'application/json' };
        await fetch(`${cluster.urls[0]}/_bulk?refresh=true`, { method: 'POST', headers, body });
        return { status: 500, body: { error: { type: 'io', reason: 'the node failed' } } };
      });
      const { deleted, not_found } = await engine.delete([first.patent_id, 'US1234567B2', second.patent_id]);
      assert.equal(lost, 1);
      assert.deepEqual(deleted, [first.patent_id, second.patent_id]);
      assert.deepEqual(not_found, ['US1234567B2']);
      assert.deepEqual(await ids(engine), []);
    });
  });

  test('what was deleted before the index took no writes is reported as deleted', async () => {
    await withEngine(async (engine) => {
      // More than one request deletes.
      const records = Array.from({ length: 501 }, (_, n) => record(1_000 + n, 'A1'));
      await engine.ingest(records);
      let writes = 0;
      proxy.fault(({ path, body }) => {
        if (!path.startsWith('/_bulk') || body.includes('-drawings"') || ++writes !== 2) return undefined;
        const error = { type: 'cluster_block_exception', reason: 'read-only' };
        return { status: 200, body: { items: [{ delete: { status: 403, error } }] } };
      });
      const numbers = records.map(({ patent_id }) => patent_id);
      const { deleted, not_found } = await engine.delete(numbers);
      assert.equal(writes, 3);
      assert.deepEqual([deleted, not_found], [numbers, []]);
      assert.deepEqual(await ids(engine), []);
    });
  });

  test('the credentials are in no error', async () => {
    const secret = 'hunter2-of-the-cluster';
    const address = { nodes: ['http://127.0.0.1:1'], username: 'reader', password: secret };
    const client = await ClusterClient.open(settingsOf(address));
    const error = await client.request('GET', '/').catch((reason: unknown) => reason);
    await client.close();
    const { inspect } = await import('node:util');
    const encoded = Buffer.from(`reader:${secret}`).toString('base64');
    for (const shown of [inspect(error, { depth: 20, showHidden: true }), JSON.stringify(error)]) {
      assert.ok(!shown.includes(secret) && !shown.includes(encoded), shown);
    }
  });
});
