/**
 * `priorart serve` is killed under load at ten random moments and restarted: the folder is whole, and counts are
 * within their guarantees. PRIORART_SERVE_KILLS sets the number of kills.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { RequestLog } from '../../src/access/request-log.js';
import { AccessStore } from '../../src/access/store.js';
import { serving } from '../serving.js';
import { until } from '../until.js';
import { FIXTURES, priorart, random, temporary } from './folder.js';

const KILLS = Number(process.env['PRIORART_SERVE_KILLS'] ?? 10);
const CLIENTS = 4;
const QUOTA = 1_000_000;

test('a server that is killed under load leaves a whole folder and correct counts', async (t) => {
  const data = join(temporary(t), 'data');
  assert.equal((await priorart('ingest', '--data', data, FIXTURES.at(-1)!)).code, 0);
  const store = AccessStore.open(join(data, 'access'));
  t.after(() => store.close());
  const account = await store.createAccount({ name: 'Team', plan: 'enterprise', monthlyQuota: QUOTA });
  const key = await store.createKey({ account: account.id, environment: 'live', name: 'first' });
  const next = random(7);
  const answered = new Set<string>();
  /** Request ids that were in the log, or before a line of the log, at the kill. */
  const written: string[] = [];
  let broken = 0;
  let asked = 0;

  /** Sends one search. @returns its id if it was answered 200 */
  async function ask(url: string): Promise<string | undefined> {
    const id = `request-${asked++}`;
    try {
      const answer = await fetch(`${url}/api/v1/search/semantic`, {
        method: 'POST',
        headers: { 'x-api-key': key.secret, 'content-type': 'application/json', 'x-request-id': id },
        body: JSON.stringify({ query: `a battery cell, number ${id}`, top_k: 3 }),
      });
      await answer.arrayBuffer();
      if (answer.status === 200) answered.add(id);
      else assert.equal(answer.status, 503, 'only too many concurrent requests');
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      // The search may be counted or not, because its answer never arrived.
      broken++;
    }
    return answered.has(id) ? id : undefined;
  }

  const log = RequestLog.ofFolder(join(data, 'access'));
  t.after(() => log.close());
  async function logged(): Promise<Set<string>> {
    const found = new Set<string>();
    for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
      const page = await log.page(key.id, 1_000, cursor);
      for (const line of page.lines) if (line.status === 200) found.add(line.request_id);
      cursor = page.next;
    }
    return found;
  }

  for (let kill = 0; kill < KILLS; kill++) {
    const server = await serving(['--data', data, '--workers', '1', '--rate-limit', '1000000']);
    let over = false;
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!over) await ask(server.url);
    });
    const earlier = answered.size;
    const wanted = earlier + 1 + Math.floor(next() * 80);
    await until(() => {
      server.check();
      return answered.size >= wanted;
    }, `${wanted} searches are answered`);
    if (kill % 2 === 0) {
      // Lines are written later. A line in the log implies that all earlier lines are there.
      const before = [...answered].slice(earlier);
      let mark: string | undefined;
      while (mark === undefined) mark = await ask(server.url);
      const last = mark;
      await until(async () => {
        server.check();
        return (await logged()).has(last);
      }, 'the line is written');
      written.push(...before, mark);
    }
    await sleep(next() * 30);
    over = true;
    await server.end('SIGKILL');
    await Promise.all(clients);
  }

  const server = await serving(['--data', data, '--workers', '1', '--rate-limit', '1000000']);
  while ((await ask(server.url)) === undefined);
  const { code, stdout, stderr } = await priorart('check', '--data', data);
  assert.equal(code, 0, stdout + stderr);
  await server.end('SIGTERM');

  const { used } = store.quotaUsed(account);
  assert.ok(used >= answered.size, `${used} counted of ${answered.size} that were answered`);
  assert.ok(
    used <= answered.size + broken,
    `${used} counted of ${answered.size} answered, ${broken} cut off`,
  );

  const lines = await logged();
  const calls = (await log.usage('2000-01-01', '2100-01-01')).reduce((sum, { ok }) => sum + ok, 0);
  assert.equal(calls, lines.size, 'lines and usage are written together');
  assert.ok(lines.size <= used, 'the log has only counted searches');
  assert.deepEqual(
    written.filter((id) => !lines.has(id)),
    [],
    'written lines survive a kill',
  );
});
