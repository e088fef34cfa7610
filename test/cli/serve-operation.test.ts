/** `priorart serve` for an operator: metrics, reload of settings, an index that grows under load, drain. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { CLI, FIXTURES, invented, launch, priorart, writeLines } from '../crash/folder.js';
import { A, B, identityFiles } from '../http/certificates.js';
import { secure } from '../http/raw.js';
import { until } from '../until.js';

/** A server in a separate process, and the lines of its log. */
class Served {
  readonly lines: Record<string, unknown>[] = [];
  readonly process: ReturnType<typeof launch>;
  #rest = '';

  constructor(...args: string[]) {
    this.process = launch(CLI, ['serve', '--port', '0', '--workers', '1', ...args]);
    this.process.child.stdout!.on('data', (text: string) => {
      const lines = (this.#rest + text).split('\n');
      this.#rest = lines.pop()!;
      for (const line of lines) this.lines.push(JSON.parse(line));
    });
  }

  /** The first line with this message after the first `after` lines. */
  async line(msg: string, after = 0): Promise<Record<string, unknown>> {
    const ended = this.process.ended.then((end) => {
      throw new Error(`the server ended: ${end.stderr}`);
    });
    const found = async () => {
      for (;;) {
        const all = this.lines.filter((line) => line['msg'] === msg);
        if (all[after]) return all[after];
        await sleep(20);
      }
    };
    return Promise.race([found(), ended]);
  }

  async stop(): Promise<void> {
    this.process.child.kill('SIGTERM');
    const { code, stderr } = await this.process.ended;
    assert.equal(code, 0, stderr);
  }
}

const noProc = existsSync('/proc/self/maps') ? false : 'no /proc';
/** Bit of SIGHUP, signal 1, in the mask of caught signals. */
const HANG_UP = 1n;

/** Waits until a process catches SIGHUP. It has not loaded any addon by then, so its modules are still to come. */
async function caughtEarly(pid: number): Promise<void> {
  await until(() => {
    const maps = readFileSync(`/proc/${pid}/maps`, 'utf8');
    const mask = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    if ((BigInt(`0x${mask?.[1] ?? 0}`) & HANG_UP) === 0n) return false;
    assert.doesNotMatch(maps, /\.node$/m);
    return true;
  }, 'SIGHUP is caught');
}

describe('serve, for an operator', () => {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-operate-'));
  const data = join(dir, 'data');
  let key = '';
  before(async () => {
    assert.equal((await priorart('ingest', '--data', data, FIXTURES[1]!)).code, 0);
    const made = await priorart(
      'keys',
      'create',
      '--json',
      '--account',
      'A',
      '--plan',
      'enterprise',
      '--data',
      data,
    );
    key = JSON.parse(made.stdout).secret;
  });
  after(() => rmSync(dir, { recursive: true }));

  const search = (url: string, headers: Record<string, string> = {}) =>
    fetch(`${url}/api/v1/search/semantic`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      body: '{"query": "전지", "top_k": 2}',
    });

  it('metrics have a separate port, and trace ids reach the log and the answer', async (t) => {
    const served = new Served('--data', data, '--metrics-port', '0');
    t.after(() => served.stop());
    const { url, metrics_port: port } = await served.line('listening');
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const answer = await search(String(url), { traceparent: `00-${trace}-00f067aa0ba902b7-01` });
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('traceparent') ?? '', new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
    const line = await served.line('request');
    assert.deepEqual(
      [line['trace_id'], line['parent_span_id'], line['endpoint'], line['request_id']],
      [trace, '00f067aa0ba902b7', 'semantic', answer.headers.get('x-request-id')],
    );
    assert.doesNotMatch(JSON.stringify(served.lines), new RegExp(`${key}|전지`));
    const read = await fetch(`http://127.0.0.1:${port}/metrics`);
    assert.match(read.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    const text = await read.text();
    assert.match(text, /http_server_request_duration_seconds_count\{.*http_route="semantic".*\} 1\n/);
    for (const stage of ['embed', 'filter', 'knn', 'rerank', 'fetch']) {
      assert.match(text, new RegExp(`stage_duration_seconds_count{stage="${stage}"} [1-9]`));
    }
    const analytics = await fetch(`${url}/api/v1/search/semantic-analytics`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: '{"query": "전지"}',
    });
    assert.equal(analytics.status, 200);
    const since = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const times = (page: string, stage: string) =>
      Number(new RegExp(`stage_duration_seconds_count{stage="${stage}"} (\\d+)\n`).exec(page)?.[1]);
    for (const stage of ['embed', 'filter', 'knn', 'fetch'])
      assert.equal(times(since, stage) - times(text, stage), 1, `${stage} of statistics`);
    assert.equal(times(since, 'rerank'), times(text, 'rerank'));
    assert.match(text, /priorart_segment_scans_total\{scan="exact"\} [1-9]/);
    assert.match(text, /priorart_index_documents [1-9]/);
    assert.match(text, /priorart_pool_workers 1\n/);
    assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200);
    assert.equal((await fetch(`http://127.0.0.1:${port}/api/v1/stats/coverage`)).status, 404);
    assert.equal((await fetch(`${url}/metrics`)).ok, false);
    await served.stop();
  });

  it('a new state of the index is opened without refused requests', async () => {
    const served = new Served('--data', data, '--rate-limit', '1000000');
    const { url } = await served.line('listening');
    const more = join(dir, 'more.jsonl');
    writeLines(more, invented(40));
    const totals = async () => {
      const { total, index } = (await (await fetch(`${url}/api/v1/stats/coverage`)).json()) as {
        total: number;
        index: { generation: number };
      };
      return { total, generation: index.generation };
    };
    const first = await totals();
    let [stop, answered] = [false, 0];
    const client = async () => {
      while (!stop) {
        const answer = await search(String(url));
        assert.equal(answer.status, 200, await answer.clone().text());
        await answer.arrayBuffer();
        answered++;
      }
    };
    const clients = [client(), client(), client()];
    assert.equal((await priorart('ingest', '--data', data, more)).code, 0);
    stop = true;
    await Promise.all(clients);
    assert.ok(answered > 3, `expected more than 3 answers: ${answered}`);
    let last = first;
    await until(async () => {
      last = await totals();
      return last.total !== first.total;
    }, 'the new documents are found');
    assert.equal(last.total, first.total + 40);
    assert.ok(
      last.generation > first.generation,
      `expected a generation after ${first.generation}: ${last.generation}`,
    );
    await served.stop();
  });

  it('signals while its modules are loaded: SIGHUP does not end it, SIGTERM does', {
    skip: noProc,
  }, async () => {
    for (const signal of ['SIGHUP', 'SIGTERM'] as const) {
      const served = new Served('--data', data);
      await caughtEarly(served.process.child.pid!);
      served.process.child.kill(signal);
      if (signal === 'SIGHUP') await served.line('listening');
      else await served.process.ended;
      await served.stop();
      assert.equal(served.lines.length > 0, signal === 'SIGHUP');
    }
  });

  it('SIGHUP reloads certificate and settings; invalid ones leave the previous ones in use', async (t) => {
    const files = identityFiles(A);
    t.after(() => files.remove());
    const file = join(dir, 'settings.json');
    const names = { 'tls-cert': files.certFile, 'tls-key': files.keyFile };
    const write = (more: object) => writeFileSync(file, JSON.stringify({ ...names, ...more }));
    write({});
    const served = new Served('--data', data, '--settings', file);
    const { url } = await served.line('listening');
    assert.match(String(url), /^https:/);
    const port = Number(new URL(String(url)).port);
    const before = await secure(port, A.cert);
    files.write(B);
    write({ 'log-level': 'debug' });
    served.process.child.kill('SIGHUP');
    await served.line('settings read again');
    const renewed = await secure(port, B.cert);
    assert.equal(await renewed.ask('/livez'), '{"status":"ok"}');
    assert.equal(await before.ask('/livez'), '{"status":"ok"}');
    // Requests of health are logged at debug.
    assert.equal((await served.line('request'))['endpoint'], 'none');
    await served.line('request', 1);
    write({ 'log-level': 'loud' });
    served.process.child.kill('SIGHUP');
    assert.match(
      JSON.stringify(await served.line('settings could not be read; the old values stay in force')),
      /loud/,
    );
    write({ 'trust-proxy': 'x' });
    served.process.child.kill('SIGHUP');
    const refused = await served.line('settings could not be read; the old values stay in force', 1);
    const { message } = refused['err'] as { message: string };
    assert.ok(message.startsWith(`the settings file ${file}, trust-proxy: got "x"; expected`), message);
    assert.equal(await renewed.ask('/livez'), '{"status":"ok"}');
    for (const one of [before, renewed]) one.end();
    await served.stop();
  });

  it('changed settings that need a restart are reported', async (t) => {
    const file = join(dir, 'changed.json');
    const write = (settings: object) => writeFileSync(file, JSON.stringify(settings));
    // A list, which is read into a new array each time.
    const nodes = { 'opensearch-nodes': 'http://127.0.0.1:9,http://127.0.0.1:10' };
    write({ 'rate-limit': 60, 'log-level': 'info', ...nodes });
    const served = new Served('--data', data, '--settings', file);
    t.after(() => served.stop());
    await served.line('listening');
    write({ 'rate-limit': 70, 'log-level': 'debug', workers: 3, ...nodes });
    served.process.child.kill('SIGHUP');
    const msg = 'changed settings need a restart; the old values stay in force';
    const { level, settings } = await served.line(msg);
    // --workers was given on the command line, which takes precedence.
    assert.deepEqual([level, settings], ['warn', ['rate-limit']]);
    write({ 'rate-limit': 60, 'log-level': 'debug', 'opensearch-nodes': 'http://127.0.0.1:9' });
    served.process.child.kill('SIGHUP');
    assert.deepEqual((await served.line(msg, 1))['settings'], ['opensearch-nodes']);
  });

  it('a flag wins over an invalid variable, in the banner and its hints, too', async () => {
    const args = ['serve', '--data', data, '--port', '0', '--workers', '1'];
    const served = launch(CLI, args, { ...process.env, PRIORART_PORT: '', PRIORART_WORKERS: 'many' });
    let text = '';
    served.child.stderr!.on('data', (part: string) => (text += part));
    const early = served.ended.then(({ stderr }) => assert.ok(text.includes('Ctrl-C'), stderr));
    await Promise.race([until(() => text.includes('Ctrl-C'), 'the banner is printed'), early]);
    served.child.kill('SIGTERM');
    const { code, stderr } = await served.ended;
    assert.equal(code, 0, stderr);
  });

  it('the banner mentions existing keys only if there are any', async () => {
    const shown = async (folder: string) => {
      const served = new Served('--data', folder);
      let text = '';
      served.process.child.stderr!.on('data', (part: string) => (text += part));
      await until(() => text.includes('Ctrl-C'), 'the banner is printed');
      await served.stop();
      return text;
    };
    const first = await shown(data);
    assert.match(first, /key +existing keys still work; create another: /);
    assert.match(first, /page +http:\/\/127\.0\.0\.1:\d+\/ +\(search in a browser\)/);
    const [, secret] =
      /operator +http:\/\/127\.0\.0\.1:\d+\/#\/dashboard +\(the secret is in (.+admin-secret)\)/.exec(first)!;
    assert.ok(existsSync(secret!), `expected the file ${secret}`);
    const bare = join(dir, 'bare');
    assert.equal((await priorart('ingest', '--data', bare, FIXTURES[1]!)).code, 0);
    const before = await shown(bare);
    assert.match(before, /key +no key yet; create one: .* keys create --data .* --account NAME\n/);
    const [, early] = /\(the secret is in (.+admin-secret)\)/.exec(before)!;
    assert.ok(existsSync(early!), `expected the file ${early}`);
    const made = await priorart('keys', 'create', '--json', '--account', 'A', '--data', bare);
    const { id } = JSON.parse(made.stdout);
    assert.match(await shown(bare), /existing keys still work/);
    assert.equal((await priorart('keys', 'revoke', id, '--data', bare)).code, 0);
    assert.match(await shown(bare), /key +no key is active; create one: /);
    for (const suffix of ['-wal', '-shm']) rmSync(join(bare, 'access', `keys.db${suffix}`), { force: true });
    writeFileSync(join(bare, 'access', 'keys.db'), 'x'.repeat(8_192));
    assert.match(
      await shown(bare),
      /key +the key store in .*bare.access cannot be read; calls are answered 503/,
    );
  });

  it('a server without keys has its administration with the first key, without a restart', async (t) => {
    const bare = join(dir, 'without-keys');
    assert.equal((await priorart('ingest', '--data', bare, FIXTURES[1]!)).code, 0);
    const served = new Served('--data', bare);
    t.after(() => served.stop());
    const { url } = await served.line('listening');
    const file = join(bare, 'access', 'admin-secret');
    assert.deepEqual(
      [statSync(file).mode & 0o777, statSync(join(bare, 'access')).mode & 0o777],
      [0o600, 0o700],
    );
    const headers = { authorization: `Bearer ${readFileSync(file, 'utf8').trim()}` };
    const accounts = () => fetch(`${url}/admin/api/v1/accounts`, { headers });
    assert.equal((await accounts()).status, 503, 'there is no store yet');
    assert.equal((await priorart('keys', 'create', '--account', 'A', '--data', bare)).code, 0);
    await until(async () => (await accounts()).status === 200, 'the administration is open');
  });

  it('after SIGTERM it serves for a while, not ready, and finishes running requests', async () => {
    const served = new Served('--data', data, '--shutdown-delay-ms', '1500', '--rate-limit', '1000000');
    const { url } = await served.line('listening');
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    served.process.child.kill('SIGTERM');
    await served.line('shutting down');
    assert.equal((await fetch(`${url}/readyz`)).status, 503);
    assert.equal((await search(String(url))).status, 200);
    const { code, stderr } = await served.process.ended;
    assert.equal(code, 0, stderr);
    assert.deepEqual(served.lines.at(-1)?.['msg'], 'closed');
  });

  it('goes on if the reader of its messages goes away', async () => {
    const served = new Served('--data', data);
    served.process.child.stderr!.destroy();
    const { url } = await served.line('listening');
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    await served.stop();
    assert.deepEqual(served.lines.at(-1)?.['msg'], 'closed');
  });

  it('a second signal ends it at once, also one of another kind', async () => {
    for (const [first, second, code] of [
      ['SIGTERM', 'SIGINT', 130],
      ['SIGINT', 'SIGTERM', 143],
      ['SIGTERM', 'SIGTERM', 143],
    ] as const) {
      // Without the second signal, the server would go on for longer than the test may take.
      const served = new Served('--data', data, '--shutdown-delay-ms', '600000');
      await served.line('listening');
      served.process.child.kill(first);
      await served.line('shutting down');
      served.process.child.kill(second);
      const ended = await served.process.ended;
      assert.deepEqual([ended.code, ended.signal], [code, null], `${first}, ${second}: ${ended.stderr}`);
      assert.ok(!served.lines.some(({ msg }) => msg === 'closed'));
    }
  });
});
