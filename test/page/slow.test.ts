/** The page while answers are slow or fail: nothing old stands under a new name, and nothing that is shown gets lost. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { noSharp } from '../drawings/images.js';
import { noBrowser } from '../house/browser.js';
import { until } from '../until.js';
import { DashboardSite, PASSWORD } from './dashboard-site.js';
import { ASKED, becomesTrue, parametersOf, Site, shownResults } from './site.js';

const SEARCH = '**/api/v1/search/semantic';

/** Holds the requests to a path back. */
async function hold(page: Page, path: string): Promise<Route[]> {
  const held: Route[] = [];
  await page.route(path, (route) => void held.push(route));
  return held;
}

const holdsOne = (held: readonly Route[]) => until(() => held.length > 0, 'a request is held');

describe('the page of slow answers', { skip: noBrowser || noSharp }, () => {
  let site: Site;
  before(async () => {
    site = await Site.open();
  });
  after(() => site?.close());

  it('saves results with the question that they answer, also while another is awaited', async () => {
    const { page } = await site.visit(ASKED);
    await shownResults(page).first().waitFor();
    const all = await page.locator('.result').count();
    const held = await hold(page, SEARCH);
    await page.goto(site.url(`${ASKED}&countries=KR&top_k=50`));
    await holdsOne(held);
    const file = async (name: string) => {
      const waiting = page.waitForEvent('download');
      await page.getByRole('button', { name }).click();
      return readFileSync(await (await waiting).path(), 'utf8');
    };
    const { request, results } = JSON.parse(await file('Download the results as JSON'));
    assert.deepEqual([request.countries, request.top_k, results.length], [undefined, 20, all]);
    assert.ok(!(await file('Download the results as CSV')).includes('countries='));

    // An order that is chosen meanwhile is one of the new question.
    await page.getByLabel('Order').selectOption({ label: 'Newest publication' });
    await becomesTrue(page, 'location.hash.includes("sort=newest")');
    assert.deepEqual(
      [...parametersOf(page).getAll('countries'), parametersOf(page).get('top_k')],
      ['KR', '50'],
    );
    for (const route of held) await route.continue();
    await shownResults(page).first().waitFor();
    assert.equal(JSON.parse(await file('Download the results as JSON')).request.top_k, 50);
    await page.context().close();
  });

  it('counts the dates of the new question if they are chosen while it is awaited', async () => {
    const { page } = await site.visit(`${ASKED}&view=statistics`);
    await page.locator('.years canvas').waitFor();
    const held = await hold(page, '**/semantic-analytics');
    await page.goto(site.url(`${ASKED}&view=statistics&countries=KR`));
    await holdsOne(held);
    await page.locator('.panel-head select').selectOption('priority');
    await becomesTrue(page, 'location.hash.includes("date_type=priority")');
    assert.equal(parametersOf(page).get('countries'), 'KR');
    assert.equal(await page.locator('.panel-head select').inputValue(), 'priority');
    await page.context().close();
  });

  it('asks the same question again after a failure, by Enter and by the button', async () => {
    const { page } = await site.visit();
    await page.locator('.frame-account').waitFor();
    let refused = 0;
    await page.route(SEARCH, (route) => {
      refused++;
      return route.fulfill({ status: 500, json: { detail: 'no' } });
    });
    await page.goto(site.url(ASKED));
    await page.getByRole('alert').waitFor();
    await page.locator('#question').press('Enter');
    await until(() => refused === 2, 'Enter asks again');
    await page.getByRole('alert').waitFor();
    await page.unroute(SEARCH);
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await shownResults(page).first().waitFor();
    await page.context().close();
  });

  it('shows no drawing under the name of the next one', async () => {
    const { page } = await site.visit('#/patent/US20210353120A1');
    const size = 'document.querySelector(".drawing img").naturalWidth';
    await page.locator('.drawing img').waitFor();
    await becomesTrue(page, `${size} > 0`);
    const held = await hold(page, '**/api/v1/drawings/**');
    await page.locator('.drawing').focus();
    await page.keyboard.press('ArrowRight');
    await holdsOne(held);
    assert.equal(await page.evaluate(size), 0);
    for (const route of held) await route.continue();
    await becomesTrue(page, `${size} > 0`);
    await page.context().close();
  });

  it('takes “Copied” away by itself: a browser may give the button no focus that it could lose', async () => {
    const { page } = await site.visit();
    await page.clock.install();
    await page.goto(site.url(ASKED));
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Copied').waitFor();
    await page.clock.runFor(6_000);
    await page.getByRole('button', { name: 'Copy link' }).waitFor();
    await page.context().close();
  });

  it('lets a person search as a visitor after signing out', async () => {
    const { id } = await site.service.access.createAccount({ name: 'Leaving', plan: 'basic' });
    await site.service.access.passwords.set(id, PASSWORD);
    const { page } = await site.visit('#/dashboard');
    await page.getByLabel('Name or id of the account').fill('Leaving');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goto(site.url());
    await page.locator('.frame-account', { hasText: 'Demonstration' }).waitFor();
    assert.equal(await page.locator('.start .note').count(), 0);
    await page.context().close();
  });
});

describe('the dashboard of slow answers', { skip: noBrowser }, () => {
  let site: DashboardSite;
  before(async () => {
    site = await DashboardSite.open();
  });
  after(() => site?.close());

  it('waits for figures that take longer than their timer, and says that a server does not answer any more', async () => {
    const page = await site.visit('#/dashboard/health');
    // The time limit of a request, by the clock of the test.
    await page.addInitScript(`AbortSignal.timeout = (ms) => {
      const control = new AbortController();
      setTimeout(() => control.abort(new DOMException('too late', 'TimeoutError')), ms);
      return control.signal;
    }`);
    await page.clock.install();
    await page.reload();
    await site.signInOperator(page);
    const ready = page.getByText('Ready: searches and other calls are answered.');
    await ready.waitFor();
    const held = await hold(page, '**/admin/api/v1/health');
    await page.clock.runFor(6_000);
    await holdsOne(held);
    await page.clock.runFor(12_000);
    assert.equal(held.length, 1, 'it is not asked a second time meanwhile');
    const answer = await held[0]!.fetch();
    await held[0]!.fulfill({
      json: { ...(await answer.json()), ready: false, missing: ['the pool is starting'] },
    });
    await page.getByText('the pool is starting').waitFor();

    held.length = 0;
    await page.clock.runFor(6_000);
    await holdsOne(held);
    await page.clock.runFor(25_000);
    await page.getByRole('alert').getByText('The server does not answer').waitFor();
    await page.unroute('**/admin/api/v1/health');
    await page.clock.runFor(30_000);
    await ready.waitFor();
    await page.context().close();
  });

  it('marks the calls of a key as old until those of the chosen one are read', async () => {
    await site.account('Chooser');
    const page = await site.asAccount('Chooser', '#/dashboard/usage');
    const figures = page.locator('.answered');
    await figures.waitFor();
    assert.equal(await figures.getAttribute('aria-busy'), 'false');
    const held = await hold(page, '**/account/usage**');
    await page.getByLabel('Days').selectOption('7');
    await page.locator('.answered.waiting[aria-busy=true]').waitFor();
    await holdsOne(held);
    for (const route of held) await route.continue();
    await page.locator('.answered[aria-busy=false]').waitFor();
    await page.context().close();
  });

  it('keeps the lines of the log if an older page fails, and where it was scrolled to', async () => {
    await site.account('Reader');
    const line = {
      time: '2026-01-01T00:00:00.000Z',
      endpoint: 'semantic',
      status: 200,
      ms: 1,
      client: '::1',
    };
    const lines = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ ...line, key: 'k', request_id: `r${at}` }));
    let isBroken = true;
    const page = await site.asAccount('Reader', '#/dashboard');
    await page.route('**/account/logs**', (route) => {
      if (!route.request().url().includes('cursor='))
        return route.fulfill({ json: { lines: lines(1_000), next: 'c' } });
      if (isBroken) return route.fulfill({ status: 500, json: { detail: 'no' } });
      return route.fulfill({ json: { lines: lines(500) } });
    });
    await page.getByRole('link', { name: 'Request log' }).click();
    await page.locator('.log-line').first().waitFor();
    await page.locator('.log-lines').evaluate((element) => {
      element.scrollTop = element.scrollHeight;
    });
    await page.getByRole('alert').waitFor();
    await page.getByText('r999', { exact: true }).waitFor();
    isBroken = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await becomesTrue(page, `document.querySelector('table').getAttribute('aria-rowcount') === '1501'`);
    assert.ok(await page.getByText('r999', { exact: true }).isVisible());
    await page.context().close();
  });

  it('shows an account its own keys and calls at an address of an operator', async () => {
    const { id } = await site.account('Own');
    await site.service.access.createKey({ account: id, environment: 'production', name: 'Mine' });
    const page = await site.asAccount('Own', '#/dashboard/keys?account=acc_other');
    await page.locator('.key-row', { hasText: 'Mine' }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${site.service.server.url}/#/dashboard/log?account=acc_other`);
    await page.getByText('No request fits these filters.').waitFor();
    const logs = asked.filter((address) => address.includes('/account/logs'));
    assert.ok(logs.length > 0 && logs.every((address) => !address.includes('account=')), logs.join(' '));
    assert.equal(await page.getByRole('option', { name: /Mine/ }).count(), 1);
    await page.context().close();
  });

  it('notices a sign-in in another tab', async () => {
    await site.account('Tabs');
    const waiting = await site.visit('#/dashboard');
    await waiting.getByRole('button', { name: 'Sign in' }).waitFor();
    const other = await waiting.context().newPage();
    await other.goto(`${site.service.server.url}/#/dashboard`);
    await other.getByLabel('Name or id of the account').fill('Tabs');
    await other.getByLabel('Password').fill(PASSWORD);
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.getByRole('button', { name: 'Sign out' }).waitFor();
    await waiting.evaluate('dispatchEvent(new Event("focus"))');
    await waiting.getByRole('button', { name: 'Sign out' }).waitFor();
    await waiting.context().close();
  });
});
