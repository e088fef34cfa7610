/** The dashboard in a browser: an account from its sign-in to a revoked key, and the views of the operator. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { RequestLog } from '../../src/access/request-log.js';
import type { Service } from '../api/service.js';
import { noBrowser } from '../house/browser.js';
import { freePort } from '../http/free-port.js';
import { callMcp, registered, statusOf, tokensFor } from '../mcp/oauth-flow-helper.js';
import { until } from '../until.js';
import { DashboardSite, PASSWORD } from './dashboard-site.js';
import { ATTACKS, becomesTrue } from './site.js';

const LOG_ROWS = 10_000;

/** Calls the tool `search` with an access token. */
async function callSearch(service: Service, token: string): Promise<void> {
  const called = await callMcp(service, token, 'tools/call', {
    name: 'search',
    arguments: { query: 'fuel cell' },
  });
  assert.equal(called.json.result.isError, undefined);
}

describe('the dashboard', { skip: noBrowser }, () => {
  let site: DashboardSite;
  let service: Service;
  before(async () => {
    site = await DashboardSite.open(
      {},
      { port: await freePort(), requestLogQueries: 'on', oauthEmbedded: 'on' },
    );
    service = site.service;
  });
  after(() => site?.close());

  const watched = (page: Page) => ({ page, faults: site.faultsOf(page) });
  const visit = async (...at: Parameters<DashboardSite['visit']>) => watched(await site.visit(...at));
  const asAccount = async (...as: Parameters<DashboardSite['asAccount']>) =>
    watched(await site.asAccount(...as));
  const asOperator = async (...as: Parameters<DashboardSite['asOperator']>) =>
    watched(await site.asOperator(...as));
  const account = (name: string) => site.account(name);
  const seriousOf = (page: Page) => site.seriousOf(page);

  const open = (page: Page, tab: string) =>
    page
      .getByRole('navigation', { name: 'Parts of the dashboard' })
      .getByRole('link', { name: tab, exact: true })
      .click();

  it('an account signs in, creates a key, calls the API with it, sees the call, and revokes it', async () => {
    await account('Patent team');
    const { page, faults } = await asAccount('Patent team');
    await page.getByLabel('Name', { exact: true }).fill('laptop');
    await page.getByRole('button', { name: 'Create a key' }).click();
    const key = (await page.locator('.new-key code').textContent())!;
    assert.match(key, /^psk_live_\w{38}$/);
    const search = () =>
      service.search({ query: 'a question' }, { 'x-api-key': key, 'x-request-id': 'of-the-laptop' });
    assert.equal((await search()).status, 200);
    await open(page, 'Usage');
    await page.getByText('1 of 300 searches this month').first().waitFor();
    await page.locator('.day-plot canvas').waitFor();
    await page.getByText('As a table').click();
    await page.getByRole('cell', { name: 'Search', exact: true }).waitFor();
    await open(page, 'Request log');
    await page.getByRole('cell', { name: 'of-the-laptop' }).waitFor();
    await page
      .locator('.dashboard-filters label', { hasText: 'Status' })
      .locator('select')
      .selectOption('5xx');
    await page.getByText('No request fits these filters.').waitFor();
    await open(page, 'Keys');
    assert.equal(await page.getByText(key).count(), 0, 'the key is shown once');
    await page.getByRole('button', { name: 'Revoke laptop' }).click();
    await page.getByRole('button', { name: 'Yes, revoke it' }).click();
    await page.locator('.key-row .deactivated').waitFor();
    assert.equal((await search()).status, 403);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.deepEqual(faults, []);
  });

  it('an account and the operator see the clients of MCP and end their access; names of clients stay text', async () => {
    const { url: base } = service.server;
    await account('Own clients');
    await account('Other clients');
    const clientOf = async (of: string, name: string) =>
      (await tokensFor(base, await registered(base, name), of, PASSWORD)).access_token;
    const attack = ATTACKS[0];
    const token = await clientOf('Own clients', attack);
    const other = await clientOf('Other clients', 'Notebook');
    await callSearch(service, token);
    const { page, faults } = await asAccount('Own clients');
    await open(page, 'MCP clients');
    // The keys, which are shown before, have a row of that name, too.
    const row = page.locator('.key-row', { has: page.getByRole('button', { name: 'End the access' }) });
    await row.getByRole('strong').getByText(attack, { exact: true }).waitFor();
    assert.match((await row.textContent())!, /since \d{4}-\d\d-\d\dlast used \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
    assert.equal(await page.getByText('Notebook').count(), 0, 'not those of another account');
    assert.equal(
      await page
        .getByRole('row', { name: /search/ })
        .getByRole('cell')
        .last()
        .textContent(),
      '1',
    );
    await row.getByRole('button', { name: 'End the access' }).click();
    await page.getByText(`End the access of “${attack}”?`).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    assert.equal(await statusOf(base, token), 200);
    await row.getByRole('button', { name: 'End the access' }).click();
    await page.getByRole('button', { name: 'Yes, end it' }).click();
    await page.getByText('No client has access.').waitFor();
    assert.deepEqual([await statusOf(base, token), await statusOf(base, other)], [401, 200]);
    const operator = await asOperator('#/dashboard/mcp');
    const left = operator.page.locator('.key-row', { hasText: 'Notebook' });
    await left.getByText('Other clients').waitFor();
    await left.getByRole('button', { name: 'End the access' }).click();
    await operator.page.getByRole('button', { name: 'Yes, end it' }).click();
    await left.waitFor({ state: 'detached' });
    assert.equal(await statusOf(base, other), 401);
    assert.equal(await page.evaluate('window.attacked'), undefined);
    assert.deepEqual([...faults, ...operator.faults], []);
  });

  it('a damaged log is told instead of the calls of tools, and hides no client', async () => {
    const own = await DashboardSite.open({}, { port: await freePort(), oauthEmbedded: 'on' }, (folder) =>
      writeFileSync(join(folder, 'log.db'), 'damaged'.repeat(1_000)),
    );
    try {
      const { url: base } = own.service.server;
      await own.account('Damaged');
      const token = await tokensFor(base, await registered(base, 'Notebook'), 'Damaged', PASSWORD);
      const page = await own.asAccount('Damaged', '#/dashboard/mcp');
      await page.getByRole('alert').getByText('A part of the server does not answer').waitFor();
      await page.locator('.key-row', { hasText: 'Notebook' }).waitFor();
      const none = 'There were no calls in this time.';
      assert.equal(await page.getByText(none).count(), 0, 'the number of calls is unknown');
      rmSync(join(own.service.accessFolder, 'log.db'));
      await callSearch(own.service, token.access_token);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('row', { name: /search/ }).waitFor();
    } finally {
      await own.close();
    }
  });

  it('without MCP authorization, the tab of its clients says how they have access', async () => {
    const plain = await DashboardSite.open();
    try {
      await plain.account('Plain');
      const page = await plain.asAccount('Plain', '#/dashboard/mcp');
      await page.getByText('they use API keys').waitFor();
      await page.getByText('There were no calls in this time.').waitFor();
      assert.equal(await page.getByText('No client has access.').count(), 0);
    } finally {
      await plain.close();
    }
  });

  it('works by keyboard alone: sign-in, a key, its revocation', async () => {
    await account('Typist');
    const { page, faults } = await visit('#/dashboard');
    const asked = new Set<object>();
    page.on('request', (request) => asked.add(request));
    page.on('requestfinished', (request) => asked.delete(request));
    page.on('requestfailed', (request) => asked.delete(request));
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    /** Tabs to the control with a name, and checks that its focus is seen. */
    const tabTo = async (name: string) => {
      for (let tabs = 0; tabs < 60; tabs++) {
        await page.keyboard.press('Tab');
        const [found, outline] = await page.evaluate<[string, string]>(`(() => {
          const at = document.activeElement;
          return [(at.labels?.[0] ?? at).textContent.trim(), getComputedStyle(at).outlineStyle];
        })()`);
        if (!found.startsWith(name)) continue;
        assert.notEqual(outline, 'none', name);
        return;
      }
      assert.fail(`no Tab reaches ${name}`);
    };
    /** What has the focus: the first words of a control or a text. */
    const focusIs = (words: string) =>
      until(async () => {
        const found = await page.evaluate<string>(`(() => {
            const at = document.activeElement;
            return at === document.body ? '' : (at.labels?.[0] ?? at).textContent.trim();
          })()`);
        return found.startsWith(words);
      }, `the focus is on ${words}`);
    await tabTo('Name or id of the account');
    await page.keyboard.type('Typist');
    await tabTo('Password');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await focusIs('Dashboard');
    await page.getByRole('button', { name: 'Create a key' }).waitFor();
    await tabTo('Name');
    await page.keyboard.type('typed');
    await tabTo('Create a key');
    await page.keyboard.press('Enter');
    await page.locator('.new-key').waitFor();
    await page.getByRole('button', { name: 'Revoke typed' }).waitFor();
    await focusIs('Create a key');
    await tabTo('Rename typed');
    await page.keyboard.press('Enter');
    await focusIs('Name');
    await tabTo('Cancel');
    await page.keyboard.press('Enter');
    await focusIs('Rename typed');
    await tabTo('Revoke typed');
    await page.keyboard.press('Enter');
    await focusIs('Revoke “typed”');
    await tabTo('Cancel');
    await page.keyboard.press('Enter');
    await focusIs('Revoke typed');
    await page.keyboard.press('Enter');
    await focusIs('Revoke “typed”');
    await tabTo('Yes, revoke it');
    await page.keyboard.press('Enter');
    await page.locator('.key-row .deactivated').waitFor();
    await focusIs('Rename typed');
    assert.equal(await page.locator('.new-key').count(), 0, 'a revoked key is not offered any more');
    await tabTo('Sign out');
    // The focus came from outside the page, so the keys are read again. What is read when the session ends is refused, which the
    // browser reports.
    await until(async () => {
      const before = asked.size;
      await page.evaluate('new Promise((done) => setTimeout(done, 50))');
      return before === 0 && asked.size === 0;
    }, 'nothing is being asked');
    await page.keyboard.press('Enter');
    await focusIs('Sign in');
    assert.deepEqual(faults, []);
  });

  it('a wrong password and a wrong secret are told, and change nothing', async () => {
    const { page } = await visit('#/dashboard/keys');
    await page.getByLabel('Name or id of the account').fill('Unknown');
    await page.getByLabel('Password').fill('a wrong password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('the account or the password is wrong').waitFor();
    await page.getByLabel('Operator').check();
    await page.getByLabel("Administrator's secret").fill('a wrong secret');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('not the administrator’s secret').waitFor();
  });

  it('the operator creates an account with a password, which can sign in', async () => {
    const { page, faults } = await asOperator();
    await page.getByLabel('Name', { exact: true }).fill('New team');
    await page.getByRole('button', { name: 'Create an account' }).click();
    const row = page.locator('.key-row', { hasText: 'New team' });
    await row.locator('summary').click();
    await row.getByLabel('New password').fill(PASSWORD);
    await row.getByRole('button', { name: 'Set the password' }).click();
    await row.getByText('The password is set.').waitFor();
    assert.ok(await service.access.passwords.signIn('New team', PASSWORD));
    await open(page, 'Health');
    await page.getByText('Page and administration').click();
    await page.getByRole('row', { name: /admin\.accounts/ }).waitFor();
    await open(page, 'Ingests');
    await page.getByText('No file has been ingested yet').waitFor();
    assert.deepEqual(faults, []);
    await asAccount('New team');
  });

  it('attack strings in names of accounts and keys, and in paths and ids of the log, stay text', async () => {
    for (const [n, attack] of ATTACKS.entries()) {
      const made = await account(`${n} ${attack}`);
      const { secret: key } = await service.access.createKey({
        account: made.id,
        environment: 'production',
        name: attack,
      });
      await service.search({ query: attack }, { 'x-api-key': key, 'x-request-id': `attack-${n}` });
      const { page, faults } = await asAccount(made.id);
      await page.getByText(attack, { exact: true }).first().waitFor();
      for (const tab of ['Usage', 'Request log', 'Account']) await open(page, tab);
      await page.getByRole('button', { name: 'Change the password' }).waitFor();
      assert.equal(await page.evaluate('window.attacked'), undefined, attack);
      assert.deepEqual(faults, []);
      await page.context().close();
    }
    const { page } = await asOperator();
    for (const attack of ATTACKS) await page.getByText(attack).first().waitFor();
    for (const tab of ['Keys', 'Usage', 'Request log']) await open(page, tab);
    await page.getByRole('cell', { name: 'attack-0' }).waitFor();
    // The queries of the log.
    for (const attack of ATTACKS) await page.locator('.log-line td', { hasText: attack }).first().waitFor();
    assert.equal(await page.evaluate('window.attacked'), undefined);
  });

  it('a name turns nothing that is beside it', async () => {
    await account('Turning \u202e name');
    const { page } = await asOperator();
    const row = page.locator('.key-row', { hasText: 'Turning' });
    await row.waitFor();
    const isForwards = await page.evaluate<boolean>(`(() => {
      const rows = [...document.querySelectorAll('.key-row')];
      const id = rows.find((one) => one.textContent.includes('Turning')).querySelector('code').firstChild;
      const place = (at) => {
        const range = document.createRange();
        range.setStart(id, at);
        range.setEnd(id, at + 1);
        return range.getBoundingClientRect().left;
      };
      return place(0) < place(1);
    })()`);
    assert.equal(isForwards, true);
  });

  it('10,000 rows of the log scroll: only those in view are in the document', async () => {
    const many = await account('Many');
    const { id } = await service.access.createKey({
      account: many.id,
      environment: 'production',
      name: 'many',
    });
    const log = RequestLog.ofFolder(service.accessFolder);
    const time = Date.now() - 60_000;
    for (let n = 0; n < LOG_ROWS; n++)
      log.add({
        key: id,
        time: time + n,
        requestId: `row-${n}`,
        endpoint: 'semantic',
        status: 200,
        ms: 5,
        client: '192.0.2.1',
      });
    await log.close();
    const { page, faults } = await asAccount('Many', '#/dashboard/log');
    const lines = page.locator('.log-lines');
    await page.getByRole('cell', { name: `row-${LOG_ROWS - 1}`, exact: true }).waitFor();
    const last = page.getByRole('cell', { name: 'row-0', exact: true });
    await until(async () => {
      await lines.evaluate((element) => {
        element.scrollTop = element.scrollHeight;
      });
      return (await last.count()) === 1;
    }, 'the oldest row is shown');
    assert.ok((await page.locator('.log-line').count()) < 60, 'the others are not in the document');
    await becomesTrue(
      page,
      `document.querySelector('.log-lines table').getAttribute('aria-rowcount') === '${LOG_ROWS + 1}'`,
    );
    assert.deepEqual(faults, []);
  });

  it('axe finds nothing serious, and a phone does not scroll sideways', async () => {
    const { id } = await account('Seen');
    const { url: base } = service.server;
    await tokensFor(base, await registered(base, 'A'.repeat(100)), id, PASSWORD);
    for (const colorScheme of ['light', 'dark'] as const) {
      const signIn = await visit('#/dashboard', { colorScheme });
      await signIn.page.getByRole('button', { name: 'Sign in' }).waitFor();
      assert.deepEqual(await seriousOf(signIn.page), []);
      const { page } = await asAccount('Seen', '#/dashboard', { colorScheme });
      for (const tab of ['Keys', 'Usage', 'Request log', 'MCP clients', 'Account']) {
        await open(page, tab);
        await page.locator('.dashboard > section').waitFor();
        assert.deepEqual(await seriousOf(page), [], `${tab} ${colorScheme}`);
      }
      const operator = await asOperator('#/dashboard', {
        colorScheme,
        viewport: { width: 375, height: 740 },
      });
      for (const tab of ['Accounts', 'Keys', 'Usage', 'Request log', 'MCP clients', 'Ingests', 'Health']) {
        await open(operator.page, tab);
        await operator.page.locator('.dashboard > section').waitFor();
        assert.deepEqual(await seriousOf(operator.page), [], `${tab} ${colorScheme}`);
        const [wide, seen] = await operator.page.evaluate<[number, number]>(
          '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
        );
        assert.equal(wide, seen, tab);
      }
    }
  });
});
