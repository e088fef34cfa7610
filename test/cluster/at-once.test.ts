/** Several programs write to a cluster at once: nothing that one of them read is lost. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { type Engine, open } from '../../src/engine.js';
import type { Patent } from '../../src/patent/record.js';
import { type FaultyNode, proxyOf } from './proxy.js';
import { missingForCluster, type StartedCluster, startedCluster } from './started.js';

const record = (number: number, kind: string, rest: object = {}): Patent =>
  ({
    patent_id: `US2020${String(number).padStart(7, '0')}${kind}`,
    title: `Quokka feeder number ${number}`,
    ...rest,
  }) as Patent;

describe('ingests into a cluster at once', { skip: await missingForCluster() }, () => {
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

  /** Two programs. */
  async function withEngines(
    work: (one: Engine, two: Engine, index: string) => Promise<void>,
  ): Promise<void> {
    proxy.fault(() => undefined);
    const index = `at-once-${randomUUID()}`;
    const address = {
      engine: 'opensearch',
      nodes: [proxy.url],
      index,
      knnEngine: 'lucene',
      replicas: 0,
    } as const;
    const engines: Engine[] = [];
    try {
      for (let n = 0; n < 2; n++) engines.push(await open(address, { create: true, workers: 0 }));
      await work(engines[0]!, engines[1]!, index);
    } finally {
      proxy.fault(() => undefined);
      for (const engine of engines) await engine.close();
    }
  }

  /** Holds the first writes back until there are as many: all programs have read what is stored, and none has written. */
  function holdWrites(count = 2): void {
    const held: (() => void)[] = [];
    proxy.fault(({ path }) => {
      if (!path.startsWith('/_bulk') || held.length >= count) return undefined;
      return new Promise((resolve) => {
        held.push(() => resolve(undefined));
        if (held.length === count) for (const goOn of held) goOn();
      });
    });
  }

  const stored = async (engine: Engine): Promise<Patent[]> => {
    const found: Patent[] = [];
    for await (const patent of engine.patents()) found.push(patent as Patent);
    return found;
  };

  const names = (patents: readonly Patent[]) =>
    patents.map(({ patent_id, corrects }) => [patent_id, ...(corrects ?? [])].map((id) => id.slice(-2)));

  test('parts of a publication become one record', async () => {
    await withEngines(async (one, two) => {
      const numbers = [1, 2, 3];
      const part = { partial: true };
      holdWrites();
      const summaries = await Promise.all([
        one.ingest(numbers.map((n) => record(n, 'A1', { ...part, abstract: 'A bowl.' }))),
        two.ingest(
          numbers.map((n) => record(n, 'A1', { ...part, claims: ['A feeder.'], applicants: ['ACME'] })),
        ),
      ]);
      for (const { failed } of summaries) assert.deepEqual(failed, []);
      const found = await stored(one);
      assert.equal(found.length, numbers.length);
      for (const { abstract, claims, applicants } of found) {
        assert.deepEqual([abstract, claims?.[0]?.text, applicants?.length], ['A bowl.', 'A feeder.', 1]);
      }
    });
  });

  test('a correction and its original that do not know each other become one document', async () => {
    await withEngines(async (one, two) => {
      holdWrites();
      await Promise.all([
        one.ingest([record(1, 'A1', { claims: ['A feeder.'] })]),
        two.ingest([record(1, 'A9', { title: 'A better feeder' })]),
      ]);
      const found = await stored(one);
      assert.deepEqual(names(found), [['A9', 'A1']]);
      assert.deepEqual([found[0]!.title, found[0]!.claims?.[0]?.text], ['A better feeder', 'A feeder.']);
    });
  });

  test('a correction and a second publication that it corrects, at once, become one document', async () => {
    await withEngines(async (one, two) => {
      await one.ingest([record(1, 'A1', { claims: ['A feeder.'] })]);
      holdWrites();
      await Promise.all([one.ingest([record(1, 'A2')]), two.ingest([record(1, 'A9')])]);
      assert.deepEqual(names(await stored(one)), [['A9', 'A1', 'A2']]);
    });
  });

  for (const last of ['A2', 'A9']) {
    test(`so they do if the program that writes ${last} is the only one that sees both`, async () => {
      await withEngines(async (one, two) => {
        await one.ingest([record(1, 'A1', { claims: ['A feeder.'] })]);
        const other = last === 'A2' ? 'A9' : 'A2';
        let otherEnds: Promise<unknown> | undefined;
        let bothHaveRead = () => {};
        const read = new Promise<void>((resolve) => {
          bothHaveRead = resolve;
        });
        proxy.fault(async ({ path, body }) => {
          if (!path.startsWith('/_bulk')) return undefined;
          if (!body.includes(`"patent_id":["US20200000001${last}"]`)) await read;
          else {
            bothHaveRead();
            await otherEnds;
          }
          return undefined;
        });
        otherEnds = one.ingest([record(1, other)]);
        await Promise.all([otherEnds, two.ingest([record(1, last)])]);
        assert.deepEqual(names(await stored(one)), [['A9', 'A1', 'A2']]);
      });
    });
  }

  test('publications of one number that are no versions of each other stay apart', async () => {
    await withEngines(async (one, two) => {
      holdWrites();
      await Promise.all([one.ingest([record(1, 'A1')]), two.ingest([record(1, 'A2')])]);
      const { failed } = await one.ingest([record(2, 'A1'), record(2, 'A2')]);
      assert.deepEqual(failed, []);
      assert.deepEqual(names(await stored(one)), [['A1'], ['A2'], ['A1'], ['A2']]);
    });
  });

  test('a publication that an earlier version has written at its own id takes part in the same way', async () => {
    await withEngines(async (one, two, index) => {
      let document = '';
      proxy.fault(({ path, body }) => {
        if (path.startsWith('/_bulk')) document ||= body.split('\n')[1]!;
        return undefined;
      });
      await one.ingest([record(1, 'A1', { claims: ['A feeder.'] })]);
      await one.delete(['US20200000001A1']);
      const written = await fetch(`${cluster.urls[0]}/${index}-1/_doc/US20200000001A1?refresh=true`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: document,
      });
      assert.equal(written.status, 201);
      holdWrites();
      await Promise.all([
        one.ingest([record(1, 'A1', { partial: true, family_id: '77' })]),
        two.ingest([record(1, 'A9')]),
      ]);
      const found = await stored(one);
      assert.deepEqual(names(found), [['A9', 'A1']]);
      assert.deepEqual([found[0]!.family_id, found[0]!.claims?.[0]?.text], ['77', 'A feeder.']);
    });
  });

  test('a publication that is deleted before its part is written does not come back', async () => {
    await withEngines(async (one, two) => {
      await one.ingest([record(1, 'A1', { abstract: 'To be deleted.' })]);
      let deleted: Promise<unknown> | undefined;
      proxy.fault(async ({ path, body }) => {
        if (!path.startsWith('/_bulk') || !body.includes('"if_seq_no"') || deleted) return undefined;
        deleted = two.delete(['US20200000001A1']);
        assert.deepEqual(await deleted, { deleted: ['US20200000001A1'], not_found: [] });
        return undefined;
      });
      const { failed } = await one.ingest([record(1, 'A1', { partial: true, family_id: '77' })]);
      assert.ok(deleted);
      assert.deepEqual(failed, []);
      const [found, ...others] = await stored(one);
      assert.deepEqual([found!.abstract, found!.family_id, others.length], [undefined, '77', 0]);
    });
  });
});
