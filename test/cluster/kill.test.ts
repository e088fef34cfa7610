/**
 * Three nodes, of which one is killed under load: the elected manager, then another. No answer is wrong or short, fewer than one in a
 * hundred calls fail, and in the first seconds only, the node comes back, and every acknowledged write is there.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Engine, open } from '../../src/engine.js';
import { isPriorartError } from '../../src/errors.js';
import { FIXTURES, questions } from '../crash/folder.js';
import { GIVEN, missingForCluster, type StartedCluster, startedCluster } from './started.js';

const NODES = 3;
/** Seconds after the death of a node in which calls may fail: others have to elect a manager. */
const FAILING_S = 10;
/** Share of the calls that may fail. */
const FAILING = 0.01;
/** Answers after the death of a node that the test waits for. */
const ANSWERS = 150;
/** Milliseconds between two calls of a client. */
const PAUSE_MS = 50;

const skip = GIVEN ? 'the nodes of a given cluster are not killed' : await missingForCluster();

describe('a node that is killed', { skip }, () => {
  let cluster: StartedCluster;
  let engine: Engine;
  before(async () => {
    cluster = await startedCluster(NODES);
    const address = { engine: 'opensearch', nodes: cluster.urls, index: 'kill', timeoutMs: 10_000 } as const;
    engine = await open({ ...address, knnEngine: 'lucene', shards: NODES, replicas: 1 }, { create: true });
    for (const source of FIXTURES) await engine.ingest(source);
  });
  after(async () => {
    await engine?.close();
    await cluster?.remove();
  });

  /** The answer of any node that answers. */
  async function ask<T>(path: string): Promise<T> {
    for (;;) {
      for (const url of cluster.urls) {
        const answer = await fetch(url + path, { signal: AbortSignal.timeout(10_000) }).catch(
          () => undefined,
        );
        if (answer?.ok) return (await answer.json()) as T;
      }
      await sleep(PAUSE_MS);
    }
  }

  async function kill(which: 'manager' | 'other'): Promise<void> {
    const [manager] = await ask<{ id: string }[]>('/_cat/cluster_manager?format=json');
    const { nodes } = await ask<{ nodes: Record<string, { process: { id: number } }> }>('/_nodes/process');
    const [, { process: killed }] = Object.entries(nodes).find(
      ([id]) => (id === manager!.id) === (which === 'manager'),
    )!;
    process.kill(killed.id, 'SIGKILL');
  }

  test('no answer is wrong, no write is lost, and the cluster is whole again', async (t) => {
    const asked = questions(12);
    // By similarity: lexical scores change with the publications that are written meanwhile.
    const answerTo = async (query: string) => {
      const { results } = await engine.search({ query, top_k: 20, doc_type: 'grant' }, { rerank: false });
      return results.map(({ patent_id, similarity_score }) => `${patent_id} ${similarity_score}`);
    };
    const expected = await Promise.all(asked.map(answerTo));
    const failures: { code: string; at: number; message: string }[] = [];
    const deaths: number[] = [];
    const written: string[] = [];
    let answers = 0;
    let isOver = false;
    const attempt = async (call: () => Promise<void>) => {
      const at = performance.now();
      await call().catch((error: unknown) => {
        // A wrong answer is no failure of the cluster.
        if (!isPriorartError(error)) throw error;
        failures.push({ code: error.code, at, message: error.message });
      });
      await sleep(PAUSE_MS);
    };
    const search = async (first: number) => {
      for (let n = first; !isOver; n++) {
        const at = n % asked.length;
        await attempt(async () => {
          assert.deepEqual(await answerTo(asked[at]!), expected[at]);
          answers += 1;
        });
      }
    };
    const write = async () => {
      for (let n = 0; !isOver; n++) {
        const number = String(20_000_000 + n);
        const record = {
          patent_id: `US${number}A1`,
          country: 'US',
          number,
          kind_code: 'A1',
          title: `Part ${n}`,
        };
        await attempt(async () => {
          await engine.ingest([record] as never);
          written.push(record.patent_id);
        });
      }
    };
    const load = Promise.all([search(0), search(5), write()]);
    load.catch(() => {});
    const until = async (condition: () => boolean) => {
      while (!condition()) await Promise.race([sleep(PAUSE_MS), load]);
    };
    await until(() => answers >= 20 && written.length >= 2);
    for (const which of ['manager', 'other'] as const) {
      const before = answers;
      deaths.push(performance.now());
      await kill(which);
      const quietFrom = deaths.at(-1)! + 1_000 * FAILING_S;
      await until(() => answers >= before + ANSWERS && performance.now() > quietFrom);
      await cluster.restart();
      await ask(`/_cluster/health?wait_for_status=green&wait_for_nodes=${NODES}&timeout=9s`);
    }
    isOver = true;
    await load;
    const afterDeath = (at: number) => at - deaths.findLast((death) => death <= at)!;
    for (const { at, code, message } of failures) {
      t.diagnostic(`${Math.round(afterDeath(at))} ms after a death: ${code}, ${message}`);
    }
    const calls = answers + written.length + failures.length;
    t.diagnostic(`${failures.length} of ${calls} calls failed`);
    assert.deepEqual(
      failures.filter(({ at }) => !(afterDeath(at) <= 1_000 * FAILING_S)),
      [],
    );
    assert.ok(failures.every(({ code }) => code === 'unavailable' || code === 'overloaded'));
    assert.ok(failures.length < FAILING * calls, `${failures.length} of ${calls} calls failed`);
    const there = await engine.get(written);
    assert.deepEqual(
      there.map((record) => record?.patent_id),
      written,
    );
  });
});
