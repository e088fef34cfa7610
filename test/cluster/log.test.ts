/** The log of requests on a cluster. Skipped with a message where the server was not downloaded. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { LoggedRequest, LogLimits } from '../../src/access/log-records.js';
import { RequestLog } from '../../src/access/request-log.js';
import { ClusterClient } from '../../src/cluster/client.js';
import { settingsOf } from '../../src/cluster/settings.js';
import { ClusterLog } from '../../src/cluster/shared-log.js';
import { allLines, logConformance, request } from '../access/log-suite.js';
import { until } from '../until.js';
import { type FaultyNode, proxyOf } from './proxy.js';
import { missingForCluster, type StartedCluster, startedCluster } from './started.js';

describe('log of requests on a cluster', { skip: await missingForCluster() }, () => {
  let cluster: StartedCluster;
  const clients: ClusterClient[] = [];
  const indexes: string[] = [];

  const connect = async (index: string, nodes: string[] = cluster.urls) => {
    const client = await ClusterClient.open(settingsOf({ nodes, index, replicas: 0, timeoutMs: 5_000 }));
    clients.push(client);
    return client;
  };
  const newIndex = () => {
    const index = `log-${randomUUID()}`;
    indexes.push(index);
    return index;
  };
  const at = async (path: string, method = 'POST') => {
    const answer = await fetch(cluster.urls[0] + path, { method });
    assert.ok(answer.ok, await answer.clone().text());
    return answer.json() as Promise<Record<string, unknown>>;
  };

  before(async () => {
    cluster = await startedCluster();
  });
  after(async () => {
    for (const client of clients) await client.close();
    // A cluster that was given keeps running.
    for (const index of indexes) await fetch(`${cluster.urls[0]}/${index}-*`, { method: 'DELETE' });
    await cluster?.remove();
  });

  logConformance(async () => {
    const client = await connect(newIndex());
    return { open: (limits: Partial<LogLimits>) => new ClusterLog(client, limits) };
  });

  describe('with faults', () => {
    let proxy: FaultyNode;
    before(async () => {
      proxy = await proxyOf(cluster.urls[0]!);
    });
    after(() => proxy.close());

    const opened = async (t: TestContext) => {
      const index = newIndex();
      const told: string[] = [];
      const store = new ClusterLog(await connect(index, [proxy.url]), {});
      const log = new RequestLog(store, { onError: (error) => told.push(String(error)) });
      t.after(async () => {
        proxy.fault(() => undefined);
        await log.close();
      });
      return { index, log, told };
    };
    /** Until all lines that were added are written. */
    const written = (log: RequestLog, count: number) =>
      until(async () => {
        await log.flush();
        return (await allLines(log, 'key_a', 1_000)).length >= count;
      }, `${count} lines are written`);
    const countOf = async (log: RequestLog) =>
      (await log.usage('2000-01-01', '2100-01-01')).reduce((sum, { requests }) => sum + requests, 0);

    it('requests and answers that are lost lose no line, and nothing is there or counted twice', async (t) => {
      const { log } = await opened(t);
      let [seed, faults] = [20, 0];
      const random = () => {
        seed = (seed * 48_271) % 2_147_483_647;
        return seed / 2_147_483_647;
      };
      proxy.fault(({ path }) => {
        if (!path.startsWith('/_bulk') || random() < 0.4) return undefined;
        faults++;
        return random() < 0.7 ? 'lose' : 'cut';
      });
      const ids: string[] = [];
      const start = Date.now() - 60_000;
      for (let n = 0; n < 200; n++) {
        ids.push(`line-${n}`);
        log.add(request({ requestId: `line-${n}`, time: start + n }));
        if (n % 5 === 0) await log.flush();
      }
      proxy.fault(() => undefined);
      await written(log, ids.length);
      const lines = await allLines(log, 'key_a', 1_000);
      assert.deepEqual(
        lines.map(({ request_id: id }) => id),
        ids.toReversed(),
      );
      assert.equal(await countOf(log), ids.length);
      assert.ok(faults > 40, `${faults} faults`);
    });

    it('entries that the cluster does not take now are written later, each once', async (t) => {
      const { index, log, told } = await opened(t);
      log.add(request());
      await log.flush();
      await at(`/${index}-log-1/_close`);
      for (let n = 0; n < 10; n++) log.add(request());
      await log.flush();
      // A removal of old lines may fail, too.
      const failures = () => told.filter((text) => text.includes('did not take'));
      assert.equal(failures().length, 1, told.join('\n'));
      assert.match(
        failures()[0]!,
        /the cluster did not take 10 entries of the log of requests: index_closed/,
      );
      await at(`/${index}-log-1/_open`);
      await written(log, 11);
      assert.equal(await countOf(log), 11);
      assert.equal(failures().length, 1);
    });

    it('a line that is refused for good is told, and stops no other', async (t) => {
      const { log, told } = await opened(t);
      // No server has such a status.
      const wrong: LoggedRequest = request({ requestId: 'wrong', status: 99_999 });
      for (const line of [request(), wrong, request()]) log.add(line);
      await log.flush();
      await written(log, 2);
      assert.match(told.join('\n'), /lines of the log of requests were refused: mapper_parsing_exception/);
      assert.equal((await allLines(log, 'key_a', 10)).length, 2);
      assert.equal(await countOf(log), 3);
    });

    it('an index that was deleted is made again, with its mapping', async (t) => {
      const { index, log } = await opened(t);
      log.add(request());
      await log.flush();
      await at(`/${index}-log-1`, 'DELETE');
      assert.deepEqual(await allLines(log, 'key_a', 10), []);
      log.add(request({ requestId: 'again' }));
      await log.flush();
      await written(log, 1);
      const mapping = await at(`/${index}-log/_mapping`, 'GET');
      assert.match(JSON.stringify(mapping), /"key":\{"type":"keyword"\}/);
    });

    it('a shard that does not answer at first, as that of a new index, is waited for', async (t) => {
      const { log } = await opened(t);
      log.add(request({ requestId: 'there' }));
      await log.flush();
      let failures = 0;
      proxy.fault(({ path }) => {
        // The client itself sends a failed request four times.
        if (!path.includes('/_search') || failures >= 6) return undefined;
        failures++;
        return {
          status: 503,
          body: { error: { type: 'search_phase_execution_exception', reason: 'a test' } },
        };
      });
      assert.equal((await log.page('key_a', 10)).lines[0]?.request_id, 'there');
      assert.equal(failures, 6);
    });

    it('reads that fail are `unavailable`, and hide no key', async (t) => {
      const { log } = await opened(t);
      log.add(request());
      await log.flush();
      proxy.fault(() => ({ status: 503, body: { error: { type: 'busy', reason: 'a test' } } }));
      const refused = { code: 'unavailable', message: /does not give the log of requests/ };
      await assert.rejects(log.page('key_a', 10), refused);
      await assert.rejects(log.usage('2000-01-01', '2100-01-01'), refused);
      const keys = [{ id: 'key_a' }];
      assert.deepEqual(await log.withLastUse(keys, ({ id }) => id), keys);
    });
  });
});
