/** What an operator finds in usage, the request log, and under clients of MCP. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { RequestLog } from '../../src/access/request-log.js';
import { makeNamesake } from '../access/namesake.js';
import { MemoryEngine } from '../api/service.js';
import { noBrowser } from '../house/browser.js';
import { DashboardSite } from './dashboard-site.js';

describe('usage and the log of the operator', { skip: noBrowser }, () => {
  let site: DashboardSite;
  let engine: MemoryEngine;
  before(async () => {
    engine = new MemoryEngine();
    site = await DashboardSite.open({ engine });
  });
  after(() => site?.close());

  it('tells in the log whose key a call had, and why it was refused', async () => {
    const { access, accessFolder } = site.service;
    const log = RequestLog.ofFolder(accessFolder);
    const keys: string[] = [];
    for (const name of ['North', 'South']) {
      const { id } = await access.createAccount({ name, plan: 'free' });
      const key = await access.createKey({ account: id, environment: 'production', name: 'server' });
      keys.push(key.id);
      const line = { key: key.id, time: Date.now(), endpoint: 'semantic', ms: 5, client: '192.0.2.1' };
      log.add({ ...line, status: 200, requestId: `ok-${name}` });
      log.add({ ...line, status: 429, requestId: `minute-${name}`, code: 'rate_limited' });
      log.add({ ...line, status: 429, requestId: `month-${name}`, code: 'quota_exceeded' });
      log.add({ ...line, status: 403, requestId: `revoked-${name}`, code: 'key_deactivated' });
    }
    await log.close();
    const page = await site.asOperator('#/dashboard/log');
    const row = (id: string) => page.getByRole('row', { name: id });
    await row('minute-North').getByText('429 minute').waitFor();
    await row('month-South').getByText('429 month').waitFor();
    await row('ok-North').getByRole('cell', { name: 'North', exact: true }).waitFor();
    await row('ok-South').getByRole('cell', { name: 'South', exact: true }).waitFor();
    await row('ok-South').getByRole('cell', { name: 'Search', exact: true }).waitFor();
    const filter = (name: string) =>
      page.locator('.dashboard-filters label', { hasText: name }).locator('select');
    await filter('Account').selectOption({ label: 'North' });
    await row('ok-South').waitFor({ state: 'detached' });
    assert.deepEqual(await filter('Key').locator('option').allTextContents(), ['Any', `server (${keys[0]})`]);
    await filter('Key').selectOption(keys[0]!);
    await filter('Status').selectOption('429');
    await row('ok-North').waitFor({ state: 'detached' });
    await row('month-North').waitFor();
    assert.equal(await row('revoked-North').count(), 0);
    // A key of another account does not stay chosen.
    await filter('Account').selectOption({ label: 'South' });
    await row('month-South').waitFor();
    assert.equal(await filter('Key').inputValue(), '');
    assert.deepEqual(await site.seriousOf(page), []);
  });

  it('tells accounts and keys of the same name apart in usage and the log, and reads what is left', async () => {
    const { access, accessFolder } = site.service;
    const log = RequestLog.ofFolder(accessFolder);
    const accounts: string[] = [];
    const keys: string[] = [];
    for (const names of [['one', 'one'], ['one']]) {
      const { id } = makeNamesake(accessFolder, 'Double');
      accounts.push(id);
      for (const name of names) {
        const key = await access.createKey({ account: id, environment: 'production', name });
        keys.push(key.id);
        const line = { key: key.id, time: Date.now(), endpoint: 'semantic', ms: 5, client: '192.0.2.1' };
        log.add({ ...line, status: 200, requestId: `double-${keys.length}` });
      }
    }
    await log.close();
    const labels = accounts.map((id) => `Double (${id})`);
    const page = await site.asOperator('#/dashboard/usage');
    await page.getByText('As a table').click();
    const row = (key: string) => page.locator(`tr:has(td[title="${key}"])`);
    const cells = async (key: string) => (await row(key).locator('td').allTextContents()).slice(0, 2);
    await row(keys[0]!).waitFor();
    assert.deepEqual(await cells(keys[0]!), [labels[0], `one (${keys[0]})`]);
    assert.deepEqual(await cells(keys[1]!), [labels[0], `one (${keys[1]})`]);
    assert.deepEqual(await cells(keys[2]!), [labels[1], 'one'], 'the only one of its account');
    const options = async (name: string) => {
      const filter = page.locator('.dashboard-filters label', { hasText: name }).locator('select');
      await filter.waitFor();
      return (await filter.locator('option').allTextContents()).filter((text) => /Double/.test(text));
    };
    const owned = [`one (${keys[0]}) · ${labels[0]}`, `one (${keys[1]}) · ${labels[0]}`];
    assert.deepEqual(await options('Key'), [...owned, `one (${keys[2]}) · ${labels[1]}`]);
    assert.deepEqual(await site.seriousOf(page), []);
    await page.getByRole('link', { name: 'Request log' }).click();
    await page.getByRole('row', { name: 'double-1' }).waitFor();
    assert.deepEqual(await options('Account'), labels);
    assert.deepEqual(await options('Key'), [...owned, `one (${keys[2]}) · ${labels[1]}`]);
    const logged = page.getByRole('row', { name: 'double-2' });
    await logged.getByRole('cell', { name: labels[0]!, exact: true }).waitFor();
    await logged.getByRole('cell', { name: `one (${keys[1]})`, exact: true }).waitFor();
  });

  it('reads which calls are not in the log, and they are not', async () => {
    const { service } = site;
    const page = await site.asOperator('#/dashboard/log');
    const text = 'Calls without a known key, and calls during maintenance or before the server is ready';
    await page.getByText(text).waitFor();
    const { id, secret } = await service.access.createKey({
      ...{ account: service.access.accounts()[0]!.id, environment: 'production', name: 'logged' },
    });
    const headers = { 'x-api-key': secret };
    const statuses = [];
    statuses.push((await service.search({ query: 'q' }, { 'x-api-key': 'pk_unknown' })).status);
    await service.access.setMaintenance(true, 5);
    statuses.push((await service.search({ query: 'q' }, headers)).status);
    await service.access.setMaintenance(false);
    statuses.push((await service.search({ query: 'q' }, headers)).status);
    engine.missing = ['the pool is starting'];
    statuses.push((await service.search({ query: 'q' }, headers)).status);
    engine.missing = [];
    statuses.push((await service.search({ query: 'q', top_k: 0 }, headers)).status);
    assert.deepEqual(statuses, [401, 503, 200, 503, 422]);
    await page.reload();
    const filter = (name: string) =>
      page.locator('.dashboard-filters label', { hasText: name }).locator('select');
    await filter('Key').selectOption(id);
    await page.getByText('2 lines').waitFor();
    assert.deepEqual(await page.locator('.log-line td:nth-child(2)').allTextContents(), [
      ...['422 invalid_request', '200'],
    ]);
    const offered = await filter('Status').locator('option').allTextContents();
    assert.equal(offered.includes('401'), false);
  });

  it('sees a nearly used quota in the colour of a warning, with what is left', async () => {
    const { access } = site.service;
    for (const [name, monthlyQuota] of [
      ['Fresh', 10],
      ['Empty', 0],
    ] as const)
      await access.createAccount({ name, plan: 'enterprise', monthlyQuota });
    const page = await site.asOperator('#/dashboard/usage');
    const quota = (name: string) => page.locator('.quota', { has: page.getByText(name, { exact: true }) });
    await quota('Fresh').getByText('10 left').waitFor();
    await quota('Empty').getByText('0 left').waitFor();
    const warned = (name: string) => quota(name).locator('meter.warn').count();
    assert.deepEqual([await warned('Fresh'), await warned('Empty')], [0, 1]);
    assert.deepEqual(await site.seriousOf(page), []);
    // From 90 % on.
    const used = await access.createAccount({ name: 'Used', plan: 'enterprise', monthlyQuota: 10 });
    const { secret } = await access.createKey({ account: used.id, environment: 'production', name: 'x' });
    for (const [searches, isWarned] of [
      [8, 0],
      [1, 1],
    ] as const) {
      for (let n = 0; n < searches; n++)
        assert.equal((await site.service.search({ query: 'q' }, { 'x-api-key': secret })).status, 200);
      await page.reload();
      await quota('Used')
        .getByText(isWarned ? '1 left' : '2 left')
        .waitFor();
      assert.equal(await warned('Used'), isWarned);
    }
  });

  it('reads how clients of LLMs have access if accounts cannot sign in for them, and by which keys', async () => {
    const { access, accessFolder } = site.service;
    const log = RequestLog.ofFolder(accessFolder);
    const ids: string[] = [];
    for (const name of ['East', 'West']) {
      const account = await access.createAccount({ name, plan: 'free' });
      const { id } = await access.createKey({
        account: account.id,
        environment: 'production',
        name: 'agent',
      });
      ids.push(id);
      const line = { key: id, time: Date.now(), endpoint: 'mcp.search_patents', ms: 5, client: '192.0.2.1' };
      log.add({ ...line, status: 200, requestId: `agent-${name}` });
    }
    await log.close();
    const page = await site.asOperator('#/dashboard/mcp');
    await page.getByText('This server has no sign-in for clients of LLMs: they use API keys.').waitFor();
    await page.getByText('Tool calls of the last 30 days').waitFor();
    for (const id of ids) await page.getByRole('cell', { name: `agent (${id})` }).waitFor();
    assert.deepEqual(await site.seriousOf(page), []);
  });
});
