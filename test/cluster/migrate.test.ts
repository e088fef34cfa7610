/** A migration to a cluster and back gives the same answers. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ClusterClient } from '../../src/cluster/client.js';
import { readLedger } from '../../src/cluster/meta.js';
import { migrateToCluster, migrateToFolder } from '../../src/cluster/migrate.js';
import { settingsOf } from '../../src/cluster/settings.js';
import { type Engine, open } from '../../src/engine.js';
import { CLI, FIXTURES, questions } from '../crash/folder.js';
import { missingForCluster, type StartedCluster, startedCluster } from './started.js';

describe('migration', { skip: await missingForCluster() }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'priorart-migrate-'));
  const [original, copy] = [join(folder, 'original'), join(folder, 'copy')];
  let cluster: StartedCluster;
  before(async () => {
    cluster = await startedCluster();
  });
  after(async () => {
    await cluster?.remove();
    rmSync(folder, { recursive: true });
  });

  async function withEngine<T>(
    dir: string,
    work: (engine: Engine) => Promise<T>,
    create = false,
  ): Promise<T> {
    const engine = await open(dir, { create, workers: 0 });
    try {
      return await work(engine);
    } finally {
      await engine.close();
    }
  }

  test('a file that is ingested during the migration is not entered in the ledger of the target', async () => {
    const index = `migrate-${randomUUID()}`;
    const address = { nodes: cluster.urls, index, knnEngine: 'lucene', replicas: 0 } as const;
    const [source, target] = [join(folder, 'busy'), join(folder, 'busy-copy')];
    const files = ['1', '2', '3'].map((n) => join(folder, `${n}.jsonl`));
    for (const [n, path] of files.entries()) {
      writeFileSync(path, JSON.stringify({ patent_id: `US${10_000_001 + n}B2`, title: `Pump ${n}` }));
    }
    const ingest = (path: string, ...where: string[]) => {
      const { status, stderr } = spawnSync(process.execPath, [CLI, 'ingest', path, ...where], {
        encoding: 'utf8',
      });
      assert.equal(status, 0, stderr);
    };
    const paths = (records: readonly { path: string }[]) => records.map(({ path }) => path).sort();
    const onCluster = async () => {
      const client = await ClusterClient.open(settingsOf(address));
      try {
        return paths(await readLedger(client));
      } finally {
        await client.close();
      }
    };
    const inFolder = (dir: string) => withEngine(dir, async (engine) => paths(engine.sources()));

    ingest(files[0]!, '--data', source);
    await migrateToCluster(source, address, { onProgress: () => ingest(files[1]!, '--data', source) });
    assert.deepEqual(await inFolder(source), files.slice(0, 2));
    assert.deepEqual(await onCluster(), [files[0]]);
    const toCluster = ['--engine', 'opensearch', '--opensearch-nodes', cluster.urls.join(',')];
    const onProgress = () => ingest(files[2]!, ...toCluster, '--opensearch-index', index);
    await migrateToFolder(address, target, { onProgress });
    assert.deepEqual(await onCluster(), [files[0], files[2]]);
    assert.deepEqual(await inFolder(target), [files[0]]);
  });

  test('there and back, nothing is embedded again and all answers are the same', async () => {
    const address = {
      nodes: cluster.urls,
      index: `migrate-${randomUUID()}`,
      knnEngine: 'lucene',
      replicas: 0,
    } as const;
    const ingested = await withEngine(
      original,
      async (engine) => {
        for (const source of FIXTURES) await engine.ingest(source, { drawings: false });
        // A replaced version must not come back.
        const [patent] = await engine.get('KR1022419060000B1');
        await engine.ingest([{ ...patent!, title: 'A changed title' }] as never);
        return (await engine.coverage()).total;
      },
      true,
    );
    const none = { updated: 0, unchanged: 0 };
    assert.deepEqual(await migrateToCluster(original, address), {
      ...none,
      documents: ingested,
      written: ingested,
    });
    const again = { documents: ingested, written: 0, updated: 0, unchanged: ingested };
    assert.deepEqual(await migrateToCluster(original, address), again);
    assert.deepEqual(await migrateToFolder(address, copy), {
      ...none,
      documents: ingested,
      written: ingested,
    });
    assert.deepEqual(await migrateToFolder(address, copy), again);

    const answersOf = (engine: Engine) =>
      Promise.all(
        questions(40).map(async (query) => [
          await engine.search({ query, top_k: 20, include_utility_model: true }),
          (await engine.analyze({ query, min_score: 0.2 })).stats,
        ]),
      );
    const records = async (engine: Engine) => {
      const all: unknown[] = [];
      for await (const record of engine.patents({ vectors: true })) all.push(record);
      return all;
    };
    assert.deepEqual(await withEngine(copy, answersOf), await withEngine(original, answersOf));
    assert.deepEqual(await withEngine(copy, records), await withEngine(original, records));
    assert.deepEqual(
      await withEngine(copy, async (engine) => engine.sources()),
      await withEngine(original, async (engine) => engine.sources()),
    );
    // The former version of the changed publication is older than the stored one on both sides.
    for (const source of FIXTURES) {
      const { updated } = await withEngine(copy, (engine) => engine.ingest(source, { drawings: false }));
      assert.equal(updated, 0);
    }
  });
});
