/** Two servers on one cluster, each with a folder of its own: keys, quotas, the log of requests and sessions hold across both. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
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

/** Ids of the requests on a page of the log. */
const idsOf = ({ lines }: { lines: { request_id: string }[] }) => lines.map((line) => line.request_id);

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
  /** Asks the administration of a server. @param body that of a POST */
  const administration = async (server: Serving, path: string, body?: object) => {
    const folder = server === servers[0] ? 'a' : 'b';
    const secret = readFileSync(join(root, folder, 'access/admin-secret'), 'utf8').trim();
    const answer = await fetch(`${server.url}/admin/api/v1${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return JSON.parse(text);
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

  test('the log and the usage are those of both servers, and a kill loses no line before the last ones', async () => {
    const { secret, id } = await newKey('Logged');
    await untilAll(secret, 422);
    const [a, b] = servers as [Serving, Serving];
    /** The log, newest first, as a server shows it. */
    const log = () => administration(b, `/keys/${id}/logs?limit=1000`);
    const logged = async () => idsOf(await log());
    const counted = async () => {
      const { usage }: { usage: { requests: number }[] } = await administration(b, `/usage?key=${id}`);
      return usage.reduce((sum, { requests }) => sum + requests, 0);
    };
    const idOf = async (server: Serving) => (await ask(server, secret, '')).headers.get('x-request-id')!;
    const isLogged = (request: string) =>
      until(async () => (await logged()).includes(request), `${request} is in the log`);
    const asked: string[] = [];
    for (let n = 0; n < 40; n++) asked.push(await idOf(servers[n % 2]!));
    for (const server of servers) await isLogged(await idOf(server));
    const { lines }: { lines: { request_id: string; time: string }[] } = await log();
    const times = lines.map(({ time }) => time);
    assert.deepEqual(times, times.toSorted().toReversed(), 'lines of both servers, newest first');
    // Each server states the times of its own lines, so two lines of one millisecond may come in any order.
    const found = idsOf({ lines });
    for (const server of [0, 1]) {
      const its = asked.filter((_, n) => n % 2 === server);
      assert.deepEqual(
        found.filter((one) => its.includes(one)),
        its.toReversed(),
        'all lines of a server, in its order',
      );
    }
    assert.equal(await counted(), found.length, 'usage is the sum');
    assert.deepEqual(
      idsOf(await command('logs', id, '--limit', '1000')),
      await logged(),
      'as commands show it',
    );
    // The lines that are written before the kill stay; later ones may be lost.
    const before = await Promise.all(Array.from({ length: 20 }, () => idOf(a)));
    await isLogged(await idOf(a));
    const late = await Promise.all(Array.from({ length: 5 }, () => idOf(a)));
    await a.end('SIGKILL');
    await isLogged(await idOf(b));
    const after = await logged();
    assert.deepEqual(
      before.filter((one) => !after.includes(one)),
      [],
    );
    const lost = late.filter((one) => !after.includes(one));
    assert.equal(await counted(), after.length, `${lost.length} of the last five are lost`);
    servers = [await start('a'), b];
    await untilAll(secret, 422);
  });

  test('while the cluster takes no lines, requests are answered, and their lines are written later', async () => {
    const { secret, id } = await newKey('Closed');
    await untilAll(secret, 422);
    const change = async (action: '_close' | '_open') => {
      const answer = await fetch(`${cluster.urls[0]}/${index}-log-1/${action}`, { method: 'POST' });
      assert.equal(answer.status, 200, await answer.text());
    };
    const [a, b] = servers as [Serving, Serving];
    const lines = async () => idsOf(await administration(b, `/keys/${id}/logs?limit=1000`));
    const first = (await ask(a, secret)).headers.get('x-request-id');
    await until(async () => (await lines()).includes(first!), 'the log is written');
    await change('_close');
    const ids: string[] = [];
    for (let n = 0; n < 10; n++) {
      const answer = await ask(servers[n % 2]!, secret);
      assert.equal(answer.status, 200);
      ids.push(answer.headers.get('x-request-id')!);
    }
    await change('_open');
    await until(async () => {
      const found = await lines();
      return ids.every((one) => found.includes(one));
    }, 'all lines are written');
    const found = await lines();
    assert.equal(new Set(found).size, found.length, 'each once');
  });

  test('who signs in on one server is signed in on the other, and signs out on both', async () => {
    const password = 'correct horse battery staple';
    const { account, secret } = await newKey('Signed in');
    await untilAll(secret, 422);
    const [a, b] = servers as [Serving, Serving];
    const page = { 'x-priorart-page': '1', 'content-type': 'application/json' };
    await administration(a, `/accounts/${account}/password`, { password });
    const kindOn = async ({ url }: Serving, cookie: string) => {
      const answer = await fetch(`${url}/session`, { headers: { ...page, cookie } });
      return ((await answer.json()) as { kind: string }).kind;
    };
    let cookie = '';
    await until(async () => {
      const body = JSON.stringify({ account: 'Signed in', password });
      const answer = await fetch(`${a.url}/session`, { method: 'POST', headers: page, body });
      cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0]!;
      return answer.status === 200;
    }, 'the first server knows the password');
    await until(async () => (await kindOn(b, cookie)) === 'account', 'the other server knows the session');
    const left = await fetch(`${b.url}/session`, { method: 'DELETE', headers: { ...page, cookie } });
    assert.equal(left.status, 200);
    assert.equal(await kindOn(b, cookie), 'none');
    await until(async () => (await kindOn(a, cookie)) === 'none', 'the session has ended on both');
  });
});
