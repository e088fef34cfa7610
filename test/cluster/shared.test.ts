/** Two servers on one cluster, each with a folder of its own: keys and quotas hold across both. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { open } from '../../src/engine.js';
import { FIXTURES, priorart } from '../crash/folder.js';
import { type Serving, serving } from '../serving.js';
import { until } from '../until.js';
import { missingForCluster, type StartedCluster, startedCluster } from './started.js';

const skip = await missingForCluster();
const QUOTA = 30;
const PATH = '/api/v1/search/semantic';

describe('two servers on one cluster', { skip }, () => {
  const root = mkdtempSync(join(tmpdir(), 'priorart-shared-'));
  const index = `shared-${process.pid}`;
  let cluster: StartedCluster;
  let options: string[];
  let servers: Serving[] = [];

  const address = () => ({ nodes: cluster.urls, index, knnEngine: 'lucene', replicas: 0 }) as const;
  const command = async (...args: string[]) => {
    const { code, stdout, stderr } = await priorart(
      ...args,
      ...options,
      '--data',
      join(root, 'cli'),
      '--json',
    );
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const started: Serving[] = [];
  const start = async (name: string) => {
    const server = await serving([...options, '--data', join(root, name), '--rate-limit', '1000000']);
    started.push(server);
    return server;
  };
  const ask = async ({ url }: Serving, secret: string, query = 'a battery cell') => {
    const answer = await fetch(url + PATH, {
      method: 'POST',
      headers: { 'x-api-key': secret, 'content-type': 'application/json' },
      body: JSON.stringify({ query, top_k: 3 }),
    });
    await answer.arrayBuffer();
    return answer;
  };
  /** Until all servers answer a search without a question, which costs nothing, with a status: 422 if they know the key. */
  const untilAll = (secret: string, wanted: number) =>
    until(async () => {
      const answers = await Promise.all(servers.map((server) => ask(server, secret, '')));
      return answers.every(({ status }) => status === wanted);
    }, `all servers answer with ${wanted}`);
  const newKey = (account: string) => command('keys', 'create', '--account', account, '--plan', 'free');
  const usedBy = async (account: string) => {
    const accounts: { name: string; used: number }[] = await command('accounts', 'list');
    return accounts.find(({ name }) => name === account)!.used;
  };

  before(async () => {
    cluster = await startedCluster(1);
    const engine = await open({ engine: 'opensearch', ...address() }, { create: true });
    await engine.ingest(FIXTURES.at(-1)!);
    await engine.close();
    options = ['--engine', 'opensearch', '--opensearch-nodes', cluster.urls.join(',')];
    options.push('--opensearch-index', index, '--opensearch-replicas', '0');
    servers = await Promise.all([start('a'), start('b')]);
  });
  after(async () => {
    for (const server of started) await server.end('SIGTERM');
    await cluster?.remove();
    rmSync(root, { recursive: true, force: true });
  });

  test('a quota of 30 searches is exactly 30 across both', async () => {
    const { secret } = await newKey('Thirty');
    await untilAll(secret, 422);
    const answers = await Promise.all(
      Array.from({ length: 2 * QUOTA }, (_, n) => ask(servers[n % 2]!, secret, `a battery cell, ${n}`)),
    );
    const counts = new Map<number, number>();
    for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
    assert.deepEqual(Object.fromEntries(counts), { 200: QUOTA, 429: QUOTA });
    const lefts = answers.map(({ headers }) => /"month";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
    assert.ok(lefts.includes('0'), 'the headers show what is left on all servers');
    for (const server of servers) assert.equal((await ask(server, secret)).status, 429);
    assert.equal(await usedBy('Thirty'), QUOTA);
  });

  test('a key that was revoked by the command line is refused by both', async () => {
    const { secret, id } = await newKey('Revoked');
    await untilAll(secret, 422);
    await command('keys', 'revoke', id);
    await untilAll(secret, 403);
  });

  test('a server that is killed under load loses no search of the quota, and none is given twice', async () => {
    const { secret } = await newKey('Killed');
    const [a, b] = servers as [Serving, Serving];
    await untilAll(secret, 422);
    let answered = 0;
    let broken = 0;
    const client = async (server: Serving) => {
      for (;;) {
        const status = await ask(server, secret).then(
          (answer) => answer.status,
          () => 0,
        );
        if (status === 200) answered++;
        if (status !== 200) return status;
      }
    };
    const clients = [a, a, a, b].map(client);
    await until(() => answered >= QUOTA / 3, 'a third of the quota is used');
    await a.end('SIGKILL');
    for (const status of await Promise.all(clients)) {
      if (status === 0) broken++;
      else assert.equal(status, 429);
    }
    // The places of the killed server are free after ten seconds.
    await until(async () => {
      const { status } = await ask(b, secret);
      if (status === 200) answered++;
      else assert.equal(status, 429);
      return (await usedBy('Killed')) === QUOTA;
    }, 'the whole quota is used');
    assert.ok(answered <= QUOTA && answered + broken >= QUOTA, `${answered} answered, ${broken} cut off`);
    servers = [await start('a'), b];
    assert.equal((await ask(servers[0]!, secret)).status, 429, 'the server that comes back knows it');
  });

  test('while the cluster does not give accounts and quotas, calls are answered 503', async () => {
    const { secret } = await newKey('Unavailable');
    await untilAll(secret, 422);
    const change = async (action: '_close' | '_open') => {
      const answer = await fetch(`${cluster.urls[0]}/${index}-access/${action}`, { method: 'POST' });
      assert.equal(answer.status, 200, await answer.text());
    };
    for (const server of servers) assert.equal((await ask(server, secret)).status, 200);
    await change('_close');
    for (const server of servers) assert.equal((await ask(server, secret)).status, 503);
    await untilAll(secret, 503);
    await change('_open');
    await untilAll(secret, 422);
    for (let n = 2; n < QUOTA; n++) assert.equal((await ask(servers[n % 2]!, secret)).status, 200);
    for (const server of servers) assert.equal((await ask(server, secret)).status, 429);
  });
});
