/** The commands print the same for a cluster as for a data folder with the same publications. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { migrateToCluster } from '../../src/cluster/migrate.js';
import { CLI, type Ended, FIXTURES, launch, priorart } from '../crash/folder.js';
import { type Collection, collect } from '../search/collection.js';
import { missingForCluster, type StartedCluster, startedCluster } from './started.js';

describe('commands on a cluster', { skip: await missingForCluster() }, () => {
  const index = `commands-${randomUUID()}`;
  const dir = mkdtempSync(join(tmpdir(), 'priorart-commands-'));
  let cluster: StartedCluster;
  let collection: Collection;
  before(async () => {
    cluster = await startedCluster();
    collection = await collect(FIXTURES);
    await migrateToCluster(collection.dir, { nodes: cluster.urls, index, knnEngine: 'lucene', replicas: 0 });
  });
  after(async () => {
    collection?.remove();
    rmSync(dir, { recursive: true });
    await cluster?.remove();
  });

  const ofCluster = () => [
    '--engine',
    'opensearch',
    '--opensearch-nodes',
    cluster.urls.join(','),
    '--opensearch-index',
    index,
  ];
  const onFolder = (...args: string[]): Promise<Ended> => priorart(...args, '--data', collection.dir);
  const onCluster = (...args: string[]): Promise<Ended> => priorart(...args, ...ofCluster());

  /** Both give the same output and end alike. */
  async function same(...args: string[]): Promise<string> {
    const [folder, other] = [await onFolder(...args), await onCluster(...args)];
    assert.equal(other.code, folder.code, `${args.join(' ')}: ${other.stderr}`);
    assert.equal(other.stdout, folder.stdout, args.join(' '));
    return other.stdout;
  }

  const lines = (text: string): { patent_id: string }[] =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));

  /** Both write the same lines of JSON, but for the order of fields. */
  async function sameLines(...args: string[]): Promise<{ patent_id: string }[]> {
    const [folder, other] = [await onFolder(...args), await onCluster(...args)];
    assert.equal(other.code, folder.code, `${args.join(' ')}: ${other.stderr}`);
    assert.deepEqual(lines(other.stdout), lines(folder.stdout), args.join(' '));
    return lines(other.stdout);
  }

  test('show prints records as text and JSON, and tells what is missing', async () => {
    const [first, second] = [...collection.patents.keys()];
    assert.match(await same('show', first!, second!), new RegExp(first!));
    assert.equal((await sameLines('show', first!, '--json'))[0]!.patent_id, first);
    await same('show', second!, 'US9999999999B2', '--description');
    const { code, stderr } = await onCluster('show', 'US9999999999B2');
    assert.equal(code, 1);
    assert.match(stderr, /not in the index: US9999999999B2/);
  });

  test('export writes the same records, with filters, names of an applicant and vectors', async () => {
    const all = await sameLines('export');
    assert.equal(all.length, collection.patents.size);
    await sameLines('export', '--countries', 'kr', '--doc-type', 'grant', '--vectors');
    const names = [...collection.patents.values()].flatMap(({ applicants = [] }) => applicants);
    for (const { name } of names.slice(0, 2)) {
      await sameLines('export', '--applicant', name, '--applicant-expand');
    }
    const file = join(dir, 'all.jsonl');
    const { code, stdout } = await onCluster('export', '--json', '--out', file);
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).exported, collection.patents.size);
    assert.deepEqual(lines(readFileSync(file, 'utf8')), all);
  });

  test('the number of an international publication finds the same publications', async () => {
    const named = [...collection.patents.values()].find(({ pct_publication }) => pct_publication)!;
    const search = ['search', named.pct_publication!.number, '--doc-type', 'all', '--json'];
    const idsOf = ({ stdout }: Ended) =>
      JSON.parse(stdout).results.map(({ patent_id }: { patent_id: string }) => patent_id);
    const [folder, other] = [idsOf(await onFolder(...search)), idsOf(await onCluster(...search))];
    assert.equal(other[0], folder[0]);
    await same('show', named.pct_publication!.number, '--description');
    assert.equal(collection.patents.get(other[0])?.pct_publication?.number, named.pct_publication!.number);
  });

  test('coverage prints the same counts', async () => {
    await same('coverage');
    const [folder, other] = [await onFolder('coverage', '--json'), await onCluster('coverage', '--json')];
    const counts = ({ stdout }: Ended) => {
      const { index: _, generated_at: __, ...rest } = JSON.parse(stdout);
      return rest;
    };
    assert.deepEqual(counts(other), counts(folder));
  });

  test('eval measures the same', async () => {
    const queries = join(dir, 'queries.tsv');
    writeFileSync(queries, readFileSync('fixtures/queries.tsv', 'utf8').split('\n').slice(0, 4).join('\n'));
    const files = ['--queries', queries, '--qrels', 'fixtures/qrels.txt', '--json'];
    const [folder, other] = [await onFolder('eval', ...files), await onCluster('eval', ...files)];
    assert.equal(other.code, 0, other.stderr);
    const measured = ({ stdout }: Ended) => {
      const { data: _, ...rest } = JSON.parse(stdout);
      return rest;
    };
    assert.deepEqual(measured(other), measured(folder));
  });

  test('mcp answers tools from the cluster, and prints a configuration without the password', async () => {
    const child = spawn(process.execPath, [CLI, 'mcp', ...ofCluster()], { stdio: ['pipe', 'pipe', 'pipe'] });
    const ended = once(child, 'close');
    let [stdout, stderr] = ['', ''];
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const answered = new Promise<void>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text;
        if (stdout.split('\n').length > 2) resolve();
      });
    });
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    };
    const call = { name: 'search_patents', arguments: { query: 'a battery' } };
    for (const message of [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: call },
    ]) {
      child.stdin.write(`${JSON.stringify(message)}\n`);
    }
    await Promise.race([answered, ended]);
    child.stdin.end();
    const [code] = await ended;
    assert.equal(code, 0, stderr);
    const { result } = JSON.parse(stdout.split('\n')[1]!);
    assert.ok(!result.isError && JSON.stringify(result).includes('patent_id'), stdout);

    const secret = ['--opensearch-username', 'reader', '--opensearch-password', 'hunter2-of-the-cluster'];
    const told = await onCluster('mcp', ...secret, '--print-config', 'claude-desktop');
    assert.equal(told.code, 0, told.stderr);
    const { args, env } = Object.values(JSON.parse(told.stdout).mcpServers)[0] as {
      args: string[];
      env: Record<string, string>;
    };
    assert.ok(args.includes('opensearch') && args.includes(index) && args.includes('reader'));
    assert.deepEqual(env, { PRIORART_OPENSEARCH_PASSWORD: 'YOUR_PASSWORD' });
    assert.ok(!told.stdout.includes('hunter2'));
    const both = await onCluster('mcp', '--url', 'http://127.0.0.1:1');
    assert.equal(both.code, 2);
  });

  test('reindex moves the index, and the answers stay', async () => {
    const before = await onCluster('search', 'a battery', '--exact', '--json');
    const moved = await priorart(
      'reindex',
      ...ofCluster().slice(2),
      '--opensearch-knn-engine',
      'lucene',
      '--json',
    );
    assert.equal(moved.code, 0, moved.stderr);
    const { documents, copied, to } = JSON.parse(moved.stdout);
    assert.deepEqual(
      [documents, copied, to],
      [collection.patents.size, collection.patents.size, `${index}-2`],
    );
    assert.equal((await onCluster('search', 'a battery', '--exact', '--json')).stdout, before.stdout);
  });

  test('delete removes publications, and tells what is not there', async () => {
    const [first, second] = [...collection.patents.keys()];
    const numbers = [first!, second!, 'US9999999999B2'];
    assert.match(await same('delete', ...numbers), /^Deleted .*\.$/m);
    assert.match((await onCluster('delete', 'US9999999999B2')).stderr, /not in the index: US9999999999B2/);
    await sameLines('export', '--countries', 'us');
    await same('delete', first!, '--json');
  });

  test('commands for a data folder say so', async () => {
    const { code, stderr } = await launch(CLI, ['check'], { ...process.env, PRIORART_ENGINE: 'opensearch' })
      .ended;
    assert.equal(code, 2);
    assert.match(stderr, /`check` works on a data folder only/);
    for (const [args, expected] of [
      [['embed'], /expected --models FILE with the models of the cluster/],
      [['calibrate', '--pairs', 'none'], /expected --models FILE with the models of the cluster/],
    ] as const) {
      const other = await launch(CLI, [...args], { ...process.env, PRIORART_ENGINE: 'opensearch' }).ended;
      assert.equal(other.code, 2);
      assert.match(other.stderr, expected);
    }
  });
});
