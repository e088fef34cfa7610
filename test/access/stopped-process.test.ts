/**
 * A process that is stopped (SIGSTOP, debugger, paused container) while it holds a lock of the access store: other
 * servers continue, and a request that needs the lock gets 503 after a bounded wait.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { RequestLog } from '../../src/access/request-log.js';
import { LOCK_WAIT_MS } from '../../src/limits.js';
import { ADAPTERS } from '../adapters.js';
import { until } from '../until.js';
import { accountWithKey, type ServerProcess, search, serverProcess } from './servers.js';

const LIVEZ_MS = 100;
const ROUNDS = 5;
const RANDOM_STOPS = Number(process.env['PRIORART_STOPS'] ?? 10);

class LockHolder {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(dir: string): Promise<LockHolder> {
    const child = fork(fileURLToPath(new URL('./lock-holder.js', import.meta.url)), [dir]);
    await once(child, 'message');
    return new LockHolder(child);
  }

  /** Resolves when the process is stopped and holds the lock. */
  async stopWith(file: string): Promise<void> {
    this.#child.send(file);
    // The state in `pid (name) state …`.
    const state = () => readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8').replace(/^.*\) /s, '')[0];
    await until(() => state() === 'T', 'it is stopped');
  }

  async continue(): Promise<void> {
    const continued = once(this.#child, 'message');
    this.#child.kill('SIGCONT');
    await continued;
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }
}

/** Times of GET /livez, sequentially during some work, ms. */
async function livezDuring<T>(url: string, work: Promise<T>): Promise<{ result: T; times: number[] }> {
  const times: number[] = [];
  let isDone = false;
  const result = work.finally(() => {
    isDone = true;
  });
  while (!isDone || times.length < 20) {
    const begun = performance.now();
    const answer = await fetch(`${url}/livez`, { signal: AbortSignal.timeout(30_000) });
    assert.equal(answer.status, 200);
    times.push(performance.now() - begun);
    await sleep(2);
  }
  return { result: await result, times };
}

/** Single requests take longer on a busy machine. All are answered while the lock is held, so none waits for it. */
function assertFast(t: TestContext, times: readonly number[]): void {
  const median = tellTimes(t, times);
  assert.ok(median < LIVEZ_MS, `median ${median} ms`);
}

/** @returns the median */
function tellTimes(t: TestContext, times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  const [median, slowest] = [sorted[sorted.length >> 1]!, sorted.at(-1)!];
  t.diagnostic(`/livez: median ${median.toFixed(1)} ms, slowest ${slowest.toFixed(1)} ms of ${times.length}`);
  return median;
}

const skip = process.platform === 'linux' ? false : 'reads /proc';

for (const adapter of ADAPTERS) {
  describe(`a server beside a stopped process that has a lock (${adapter})`, { skip }, () => {
    /** Requests while each file is locked, with their expected status. */
    const asked: Record<string, [path: string, status: number][]> = {
      'counters.db': [
        ['search', 503],
        ['/readyz', 503],
        ['GET /accounts', 200],
      ],
      'keys.db': [
        ['search', 200],
        ['/readyz', 200],
        ['GET /accounts', 200],
        ['POST /accounts', 503],
      ],
      'log.db': [
        ['search', 200],
        ['/readyz', 200],
        ['GET /keys/KEY/logs', 200],
      ],
    };
    for (const [file, calls] of Object.entries(asked)) {
      it(`requests without the lock succeed, others get 503 in time, and all succeed after SIGCONT: ${file}`, async (t) => {
        const { dir, store, account, key, remove } = await accountWithKey('enterprise');
        const server = await serverProcess(dir, { adapter });
        const holder = await LockHolder.start(dir);
        const authorization = `Bearer ${readFileSync(join(dir, 'admin-secret'), 'utf8').trim()}`;
        const ask = async (what: string): Promise<Response> => {
          if (what === 'search') return search(server.url, key.secret);
          if (what.startsWith('/')) return fetch(server.url + what);
          const [method, path] = what.replace('KEY', key.id).split(' ') as [string, string];
          const body = JSON.stringify({ name: randomUUID(), plan: 'free' });
          const headers = { authorization, 'content-type': 'application/json' };
          const sent = method === 'POST' ? { body } : {};
          return fetch(`${server.url}/admin/api/v1${path}`, { method, headers, ...sent });
        };
        const times: number[] = [];
        let answered = 1;
        try {
          assert.equal((await ask('search')).status, 200);
          await until(
            async () => (await ask('GET /keys/KEY/logs').then((page) => page.text())).includes('semantic'),
            'the log is written',
          );
          for (let round = 0; round < ROUNDS; round++) {
            await holder.stopWith(file);
            const begun = performance.now();
            const all = Promise.all(calls.map(([what]) => ask(what)));
            const during = await livezDuring(server.url, all);
            const took = performance.now() - begun;
            times.push(...during.times);
            for (const [i, answer] of during.result.entries()) {
              const [what, status] = calls[i]!;
              assert.equal(answer.status, status, what);
              if (status === 503)
                assert.ok(
                  Number(answer.headers.get('retry-after')) >= 1,
                  `expected Retry-After of at least 1 s: ${answer.headers.get('retry-after')}`,
                );
              if (what === 'search' && status === 200) answered++;
            }
            assert.ok(took < 10 * LOCK_WAIT_MS, `answers after ${took} ms`);
            await holder.continue();
            for (const [what] of calls) assert.ok((await ask(what)).ok, `${what} when it goes on`);
            answered++;
          }
        } finally {
          holder.end();
          await server.stop();
        }
        assertFast(t, times);
        assert.equal(
          store.quotaUsed(account).used,
          answered,
          'what was answered 200 is counted, and nothing else',
        );
        const log = RequestLog.ofFolder(dir);
        const refused = file === 'counters.db' ? ROUNDS : 0;
        const { lines } = await log.page(key.id, 1_000);
        assert.equal(lines.length, answered + refused, 'no line of the log is lost');
        await log.close();
        await remove();
      });
    }
  });
}

describe('two servers of which one is stopped at any moment', { skip }, () => {
  it('the running one answers, counts correctly and continues', async (t) => {
    const { dir, store, account, key, remove } = await accountWithKey('enterprise');
    const servers = await Promise.all([serverProcess(dir), serverProcess(dir, { adapter: 'node' })]);
    let [answered, refused, isDone] = [0, 0, false];
    const client = async ({ url }: ServerProcess) => {
      while (!isDone) {
        const answer = await search(url, key.secret);
        if (answer.status === 200) answered++;
        else {
          assert.equal(answer.status, 503);
          refused++;
        }
      }
    };
    const times: number[] = [];
    const clients = Promise.all(servers.flatMap((server) => Array.from({ length: 8 }, () => client(server))));
    try {
      for (let stop = 0; stop < RANDOM_STOPS; stop++) {
        const [victim, other] = stop % 2 ? [servers[1], servers[0]] : [servers[0], servers[1]];
        await sleep(Math.random() * 20);
        victim.signal('SIGSTOP');
        const before = answered + refused;
        times.push(
          ...(
            await livezDuring(
              other.url,
              until(() => answered + refused > before + 20, 'it answers'),
            )
          ).times,
        );
        victim.signal('SIGCONT');
      }
    } finally {
      for (const server of servers) server.signal('SIGCONT');
      isDone = true;
      await clients;
      await Promise.all(servers.map((server) => server.stop()));
    }
    t.diagnostic(`${RANDOM_STOPS} stops: ${answered} answers, ${refused} refused`);
    // With sixteen clients at once.
    tellTimes(t, times);
    assert.equal(store.quotaUsed(account).used, answered);
    await remove();
  });
});
