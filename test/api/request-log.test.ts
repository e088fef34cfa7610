/** The log of requests, usage and plans of the specification and the decisions, over the administration's endpoints. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { PLAN_QUOTA } from '../../src/limits.js';
import { ANALYTICS, COVERAGE, DETAILS, onEachAdapter, SEMANTIC, Service } from './service.js';

const SECRET = 'the secret of this test';

onEachAdapter('5.6 request logs and usage, per key', (adapter) => {
  let service: Service;
  let otherKey: { id: string; secret: string };
  before(async () => {
    service = await Service.start(adapter, 10_000, {}, { adminSecret: SECRET });
    const account = await service.access.createAccount({ name: 'Other', plan: 'basic' });
    otherKey = await service.access.createKey({ account: account.id, environment: 'test', name: 'other' });
  });
  after(() => service.stop());

  const admin = (path: string) =>
    service.call(`/admin/api/v1${path}`, { headers: { authorization: `Bearer ${SECRET}` } });

  it('DECISIONS request log; SPEC 5.6 request logs per key: time, id, endpoint, status, duration, results, client', async () => {
    const from = Date.now();
    await service.post(SEMANTIC, { query: 'a secret plan', top_k: 7 }, { 'x-request-id': 'first' });
    await service.post(ANALYTICS, { query: 'a secret plan', page_size: 3 }, { 'x-request-id': 'second' });
    await service.post(DETAILS, { patent_ids: ['a', 'b'] }, { 'x-request-id': 'third' });
    await service.post(SEMANTIC, { query: '' }, { 'x-request-id': 'fourth' });
    await service.post(SEMANTIC, { query: 'x' }, { 'x-api-key': otherKey.secret, 'x-request-id': 'others' });
    await service.call(COVERAGE);
    const { status, json, text } = await admin(`/keys/${service.keyId}/logs`);
    assert.equal(status, 200);
    const shown = json.lines.map((line: Record<string, unknown>) => {
      const { time, ms, ...rest } = line;
      const at = Date.parse(String(time));
      assert.ok(at >= from && at <= Date.now(), String(time));
      assert.ok(Number(ms) >= 0, `expected a duration in ms: ${ms}`);
      return rest;
    });
    const client = '127.0.0.1';
    assert.deepEqual(shown, [
      { request_id: 'fourth', endpoint: 'semantic', status: 422, error_code: 'invalid_request', client },
      { request_id: 'third', endpoint: 'details', status: 200, client, result_count: 2 },
      { request_id: 'second', endpoint: 'semantic-analytics', status: 200, client, result_count: 3 },
      { request_id: 'first', endpoint: 'semantic', status: 200, client, result_count: 7 },
    ]);
    // A query is stored only if the operator enables it.
    assert.doesNotMatch(text, /secret plan/);
    assert.doesNotMatch(service.logLines.join(''), /secret plan/);
    const page = await admin(`/keys/${service.keyId}/logs?limit=3`);
    const rest = await admin(`/keys/${service.keyId}/logs?limit=3&cursor=${page.json.next}`);
    assert.deepEqual([...page.json.lines, ...rest.json.lines], json.lines);
  });

  it('SPEC 5.6 usage per key: calls by day and endpoint', async () => {
    const { json } = await admin(`/usage?key=${otherKey.id}`);
    const [row, ...more] = json.usage;
    assert.deepEqual(more, []);
    assert.deepEqual(
      [row.key, row.endpoint, row.requests, row.ok, row.client_errors, row.server_errors],
      [otherKey.id, 'semantic', 1, 1, 0, 0],
    );
    assert.match(row.day, /^\d{4}-\d\d-\d\d$/);
    // A filter is never ignored silently: with an account, the key has to be one of that account.
    const { account } = (await admin('/keys')).json.keys.find(
      (key: { id: string }) => key.id === otherKey.id,
    );
    assert.deepEqual((await admin(`/usage?account=${account}&key=${otherKey.id}`)).json.usage, json.usage);
    const twin = await service.access.createAccount({ name: 'Without calls', plan: 'free' });
    assert.deepEqual((await admin(`/usage?account=${twin.id}&key=${otherKey.id}`)).json.usage, []);
    assert.equal((await admin(`/usage?account=acc_unknown&key=${otherKey.id}`)).status, 404);
  });

  it('DECISIONS plans: Free 30, Basic 300, Pro 1,000, Enterprise custom; SPEC 2.7 each key belongs to one', async () => {
    const { json } = await admin('/plans');
    assert.deepEqual(json.plans, [
      { plan: 'free', monthly_quota: 30, custom: false },
      { plan: 'basic', monthly_quota: 300, custom: false },
      { plan: 'pro', monthly_quota: 1_000, custom: false },
      { plan: 'enterprise', monthly_quota: PLAN_QUOTA.enterprise, custom: true },
    ]);
    const keys = (await admin('/keys')).json.keys as { id: string; account: string }[];
    const accounts = (await admin('/accounts')).json.accounts as { id: string; plan: string }[];
    const { account } = keys.find(({ id }) => id === otherKey.id)!;
    assert.equal(accounts.find(({ id }) => id === account)?.plan, 'basic');
  });
});
