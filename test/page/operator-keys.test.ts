/** What an operator does with keys and the log: find a key, try a new one, revoke all of an account, share the filters. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { RequestLog } from '../../src/access/request-log.js';
import { noBrowser } from '../house/browser.js';
import { until } from '../until.js';
import { DashboardSite } from './dashboard-site.js';

describe('keys and the log of the operator', { skip: noBrowser }, () => {
  let site: DashboardSite;
  before(async () => {
    site = await DashboardSite.open();
  });
  after(() => site?.close());

  it('finds a key by the first characters of its secret', async () => {
    const { access } = site.service;
    const { id } = await access.createAccount({ name: 'Leaky', plan: 'free' });
    const make = (name: string) => access.createKey({ account: id, environment: 'production', name });
    const [one] = [await make('one'), await make('two')];
    const page = await site.asOperator('#/dashboard/keys');
    const rows = page.locator('.key-row');
    await rows.first().waitFor();
    const all = await rows.count();
    const find = page.getByLabel(/^Find a key/);
    for (const asked of [one!.secret.slice(0, 15), one!.secret, one!.id]) {
      await find.fill(asked);
      await page.getByText(`1 of ${all}`, { exact: true }).waitFor();
      await rows.getByRole('strong').getByText('one', { exact: true }).waitFor();
    }
    assert.equal(await rows.getByText(`${one!.secret.slice(0, 15)}…`).count(), 1);
    assert.equal(await page.getByText(one!.secret).count(), 0, 'the page does not know the secret');
    assert.equal(page.url().includes('psk_live'), false);
    assert.deepEqual(await site.seriousOf(page), []);
    await find.fill('leaky');
    await page.getByText(`2 of ${all}`, { exact: true }).waitFor();
    await find.fill('');
    assert.equal(await rows.count(), all);
  });

  it('gets a line of curl with a new key, which works', async () => {
    await site.service.access.createAccount({ name: 'Curly', plan: 'free' });
    const page = await site.asOperator('#/dashboard/keys');
    await page.locator('select[name="account"]').selectOption({ label: 'Curly' });
    await page.getByLabel('Name', { exact: true }).fill('first');
    await page.getByRole('button', { name: 'Create a key' }).click();
    const line = (await page.locator('.new-key pre').textContent())!;
    const secret = (await page.locator('.new-key code').textContent())!;
    const [, address] = /^curl -s (\S+) /.exec(line)!;
    const [, key] = /"X-API-Key: (\w+)"/.exec(line)!;
    const [, body] = /-d '(.*)'$/s.exec(line)!;
    assert.equal(key, secret);
    const answer = await fetch(address!, {
      method: 'POST',
      headers: { 'x-api-key': key!, 'content-type': 'application/json' },
      body: body!,
    });
    assert.equal(answer.status, 200, await answer.text());
    await page.getByRole('button', { name: 'Copy the line' }).waitFor();
    assert.deepEqual(await site.seriousOf(page), []);
  });

  it('reads which names an environment may have, and is not sent to the server with another', async () => {
    await site.service.access.createAccount({ name: 'Upper', plan: 'free' });
    const page = await site.asOperator('#/dashboard/keys');
    await page.locator('select[name="account"]').selectOption({ label: 'Upper' });
    await page.getByLabel('Name', { exact: true }).fill('nightly');
    const environment = page.getByLabel('Environment');
    await page.getByText('a to z, 0 to 9, - and _').waitFor();
    for (const wrong of ['Batch', '-batch', 'a b', 'x'.repeat(33)]) {
      await environment.fill(wrong);
      const isWrong = 'document.querySelector(\'[name="environment"]\').validity.patternMismatch';
      assert.equal(await page.evaluate(isWrong), true, wrong);
    }
    await page.getByRole('button', { name: 'Create a key' }).click();
    assert.equal(await page.locator('.new-key').count(), 0);
    await environment.fill('batch-2');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.locator('.new-key').waitFor();
    assert.deepEqual(site.faultsOf(page), []);
  });

  it('sees whether a key was used meanwhile, before it is revoked', async () => {
    const { access } = site.service;
    const { id } = await access.createAccount({ name: 'Lost', plan: 'basic' });
    const { secret } = await access.createKey({ account: id, environment: 'production', name: 'lost' });
    const page = await site.asOperator(`#/dashboard/keys?account=${id}`);
    const row = page.locator('.key-row', { hasText: 'lost' });
    await row.getByText('not in the log of requests').waitFor();
    assert.equal((await site.service.search({ query: 'q' }, { 'x-api-key': secret })).status, 200);
    await until(async () => {
      // The log is written once in a while.
      await row.getByRole('button', { name: 'Revoke lost' }).click();
      await row.getByRole('button', { name: 'Cancel' }).click();
      return (await row.getByText('last used').count()) === 1;
    }, 'the row says when it was used');
  });

  it('revokes all keys of an account in one step, after a confirmation', async () => {
    const { access } = site.service;
    const { id } = await access.createAccount({ name: 'Closed', plan: 'basic' });
    const other = await access.createAccount({ name: 'Open', plan: 'basic' });
    const keyOf = (account: string) => access.createKey({ account, environment: 'production', name: 'k' });
    const keys = [await keyOf(id), await keyOf(id), await keyOf(other.id)];
    await access.makePageKey(id);
    const statuses = () =>
      Promise.all(
        keys.map(async ({ secret }) => {
          const answer = await site.service.search({ query: 'q' }, { 'x-api-key': secret });
          return answer.status;
        }),
      );
    const page = await site.asOperator('#/dashboard/accounts');
    const card = page.locator('.key-row', { hasText: 'Closed' });
    await card.locator('summary').click();
    await card.getByRole('button', { name: 'Revoke all its keys' }).click();
    await card.getByText('Revoke all keys of “Closed”?').waitFor();
    assert.deepEqual(await statuses(), [200, 200, 200], 'only after the confirmation');
    await card.getByRole('button', { name: 'Yes, revoke all' }).click();
    await card.getByText('Its keys are revoked.').waitFor();
    assert.deepEqual(await statuses(), [403, 403, 200]);
    assert.equal(access.verifyId(`page_${id.slice(4)}`).ok, true, 'the page goes on');
    assert.deepEqual(await site.seriousOf(page), []);
  });

  it('reads what the code of a refusal means, and shares the filters of the log by the address', async () => {
    const { access, accessFolder } = site.service;
    const { id } = await access.createAccount({ name: 'Logged', plan: 'free' });
    const key = await access.createKey({ account: id, environment: 'production', name: 'l' });
    const log = RequestLog.ofFolder(accessFolder);
    const line = { key: key.id, time: Date.now(), endpoint: 'semantic', ms: 5, client: '192.0.2.1' };
    log.add({ ...line, status: 200, requestId: 'fine' });
    log.add({ ...line, status: 422, requestId: 'wrong', code: 'invalid_request' });
    await log.close();
    const page = await site.asOperator(`#/dashboard/log?account=${id}`);
    const row = (name: string) => page.getByRole('row', { name });
    await row('wrong').getByText('a field is missing, unknown, of a wrong type or out of range').waitFor();
    const filter = (name: string) =>
      page.locator('.dashboard-filters label', { hasText: name }).locator('select');
    assert.equal(await filter('Account').inputValue(), id, 'the address chose the account');
    await filter('Status').selectOption('422');
    await row('fine').waitFor({ state: 'detached' });
    const hash = new URL(page.url()).hash;
    assert.deepEqual([...new URLSearchParams(hash.split('?')[1])].sort(), [
      ['account', id],
      ['status', '422'],
    ]);
    await page.goBack();
    await row('fine').waitFor();
    const shared = await site.asOperator(hash);
    await shared.getByRole('row', { name: 'wrong' }).waitFor();
    assert.equal(await shared.getByRole('row', { name: 'fine' }).count(), 0);
    assert.deepEqual(await site.seriousOf(shared), []);
  });

  it('sees refusals by maintenance apart from failures', async () => {
    const { service } = site;
    await service.access.setMaintenance(true, 5);
    assert.equal((await service.search({ query: 'q' })).status, 503);
    await service.access.setMaintenance(false);
    assert.equal((await service.search({ query: 'q' })).status, 200);
    const page = await site.asOperator('#/dashboard/health');
    const table = page.locator('.scrolled table').first();
    await table.getByRole('columnheader', { name: 'Maintenance (503)' }).waitFor();
    const cells = await table
      .getByRole('row', { name: /^Search / })
      .getByRole('cell')
      .allTextContents();
    assert.deepEqual(cells.slice(2, 4), ['0', '1'], 'failed, in maintenance');
  });
});
