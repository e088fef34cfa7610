/** What the page says if something is missing, slow or refused. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { linkTo } from '../../src/page/model/address.js';
import { noSharp } from '../drawings/images.js';
import { noBrowser } from '../house/browser.js';
import { becomesTrue, Site } from './site.js';

const SEARCH = '**/api/v1/search/semantic';
const HASH = '#/?query=sulfide%20solid%20electrolyte';

/** An error as the server answers it. */
const refuse = (route: Route, status: number, code: string, headers: Record<string, string> = {}) =>
  route.fulfill({
    status,
    headers: { 'x-error-code': code, 'x-request-id': 'r-1', ...headers },
    contentType: 'application/json',
    body: JSON.stringify({ detail: `detail of ${code}` }),
  });

const PASSWORD = 'correct horse battery staple';

/** Signs in to an account in the dashboard. */
async function signIn(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name or id of the account').fill(name);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** A page at the start, to whose later requests a test may answer. */
async function atStart(site: Site): Promise<Page> {
  const { page } = await site.visit();
  await page.locator('.frame-account').waitFor();
  return page;
}

describe('the page in trouble', { skip: noBrowser || noSharp }, () => {
  let site: Site;
  before(async () => {
    site = await Site.open();
  });
  after(() => site?.close());

  it('shows that a search runs, keeps the last results meanwhile, and drops an answer that comes late', async () => {
    const page = await atStart(site);
    await page.goto(site.url(HASH));
    await page.locator('.result').first().waitFor();
    const held: Route[] = [];
    await page.route(SEARCH, (route) => void held.push(route));
    await page.goto(site.url(`${HASH}&countries=KR`));
    await page.locator('[aria-busy=true] .progress').waitFor();
    await page.getByText(/Still searching after \d+ s/).waitFor();
    assert.ok((await page.locator('.waiting .result').count()) > 0);
    await page.goto(site.url(HASH));
    await page.locator('[aria-busy=false] .result').first().waitFor();
    assert.equal(held.length, 1);
    await held[0]!.fulfill({ json: { total: 0, results: [] } }).catch(() => {});
    assert.ok((await page.locator('.result').count()) > 0);
  });

  it('says what to do: quota, overload, a fault, a server that is gone', async () => {
    const page = await atStart(site);
    const cases: [(route: Route) => Promise<void>, RegExp][] = [
      [(route) => refuse(route, 429, 'quota_exceeded'), /searches of this month are used up/],
      [(route) => refuse(route, 503, 'overloaded', { 'retry-after': '7' }), /Try again in 7 s/],
      [
        (route) => refuse(route, 500, 'internal'),
        /The search failed.*The server made an error.*Request r-1/s,
      ],
      [
        (route) => refuse(route, 503, 'unavailable', { 'retry-after': '7' }),
        /The search failed.*A part of the server does not answer. Try again in 7 s/s,
      ],
      [(route) => refuse(route, 400, 'new_code'), /The search failed.*detail of new_code/s],
      [(route) => route.abort('connectionrefused'), /The server does not answer/],
      [
        (route) => route.fulfill({ status: 502, contentType: 'text/html', body: '<html>Bad gateway' }),
        /^The search failed\s*The answer has the HTTP status 502 and no explanation/,
      ],
    ];
    for (const [answer, message] of cases) {
      await page.route(SEARCH, answer);
      await page.goto(site.url(`${HASH}&query_of=${message.source.length}`));
      await page.goto(site.url(`#/?query=electrolyte%20${message.source.length}`));
      const alert = page.getByRole('alert').filter({ hasText: message });
      await alert.waitFor();
      assert.doesNotMatch((await alert.textContent())!, /<html>/);
      await page.unroute(SEARCH);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.locator('.result').first().waitFor();
    }
  });

  it('says in the language of the page when the next searches come, and nothing of keys', async () => {
    const { page } = await site.visit('', { locale: 'ko-KR' });
    await page.locator('.frame-account').waitFor();
    const { account } = await page.evaluate<{ account: { resets_at: string } }>(
      "fetch('session', { headers: { 'X-Priorart-Page': '1' } }).then((answer) => answer.json())",
    );
    const alert = page.getByRole('alert');
    await page.route(SEARCH, (route) => refuse(route, 429, 'quota_exceeded', { 'retry-after': '99999' }));
    await page.goto(site.url(HASH));
    const day = account.resets_at.slice(0, 10);
    await alert.getByText(`이번 달 검색 횟수를 모두 썼습니다. 다음 달은 ${day}에 시작합니다.`).waitFor();
    assert.doesNotMatch((await alert.textContent())!, /detail of/);
    await page.unroute(SEARCH);
    await page.route(SEARCH, (route) => refuse(route, 429, 'rate_limited', { 'retry-after': '7' }));
    await page.getByRole('button', { name: '다시 시도' }).click();
    await alert.getByText('7초 후에 다시 시도하십시오').waitFor();
    assert.doesNotMatch((await alert.textContent())!, /detail of/);
    await page.unroute(SEARCH);
    await page.route(SEARCH, (route) => refuse(route, 403, 'forbidden'));
    await page.getByRole('button', { name: '다시 시도' }).click();
    await alert.getByText('서버가 이 작업을 허용하지 않습니다').waitFor();
    assert.doesNotMatch((await alert.textContent())!, /detail of/);
  });

  it('opens a new session of a visitor if the old one has ended', async () => {
    const page = await atStart(site);
    await page.context().clearCookies();
    await page.goto(site.url(HASH));
    await page.locator('.result').first().waitFor();
  });

  it('tells a person who was signed in that the session has ended, and searches on no other account', async () => {
    const { access } = site.service;
    const name = `Team ${Date.now()}`;
    const { id } = await access.createAccount({ name, plan: 'basic' });
    await access.passwords.set(id, PASSWORD);
    const usedByVisitors = async () => {
      const { page } = await site.visit();
      const used = await page.locator('.frame-account', { hasText: 'Demonstration' }).textContent();
      await page.context().close();
      return used;
    };
    const ended = (page: Page) =>
      page.getByRole('alert').filter({ hasText: 'Your session has ended' }).waitFor();
    const { page } = await site.visit('#/dashboard');
    await signIn(page, name);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.goto(site.url(HASH));
    await page.locator('.result').first().waitFor();
    const before = await usedByVisitors();

    // As the command line ends it.
    await access.passwords.set(id, PASSWORD);
    await page.goto(site.url(`${HASH}&countries=US`));
    await ended(page);
    assert.equal(await page.locator('.result').count(), 0);
    assert.equal(await usedByVisitors(), before);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signIn(page, name);
    await page.locator('.result').first().waitFor();
    assert.equal(
      new URL(page.url()).hash,
      `${linkTo([], new URLSearchParams(`${HASH.slice(3)}&countries=US`))}`,
    );
    await page.locator('.frame-account', { hasText: name }).waitFor();

    // Another tab signs out and searches as a visitor: the cookie of both is that of a visitor now.
    const other = await page.context().newPage();
    await other.goto(site.url('#/dashboard'));
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await other.goto(site.url());
    await other.locator('.frame-account', { hasText: 'Demonstration' }).waitFor();
    await page.evaluate('dispatchEvent(new Event("focus"))');
    await ended(page);
    await page.goto(site.url(`${HASH}&countries=JP`));
    await ended(page);
    assert.equal(await usedByVisitors(), before);
    await page.context().close();
  });

  it('leaves no hole for a drawing that does not arrive', async () => {
    const page = await atStart(site);
    let asked = 0;
    await page.route('**/api/v1/drawings/**', (route) => {
      asked++;
      return route.fulfill({ status: 404 });
    });
    await page.goto(site.url('#/?query=docking%20station%20of%20a%20robot%20cleaner'));
    await page.locator('.result').first().waitFor();
    // A drawing is asked for when it is scrolled to.
    await becomesTrue(
      page,
      `(() => {
        const thumbnail = document.querySelector('.result .thumbnail');
        thumbnail?.scrollIntoView();
        return !thumbnail;
      })()`,
    );
    assert.ok(asked > 0, 'a drawing was asked for');
  });

  it('tells a visitor without an account how to get in', async () => {
    const closed = await Site.open({ pageAccount: 'none' });
    try {
      const { page } = await closed.visit();
      await page.getByText('cannot be searched from the page yet').waitFor();
      await becomesTrue(page, 'document.activeElement.id === "question"');
      const gap =
        await page.evaluate<number>(`document.querySelector('.start > .note').getBoundingClientRect().top
        - document.activeElement.getBoundingClientRect().bottom`);
      assert.ok(gap > 4, `the outline of the question has room: ${gap} px`);
      const remedy = page.getByText('priorart serve --page-account NAME');
      assert.equal(await remedy.isVisible(), false);
      await page.getByText('For the operator').click();
      assert.equal(await remedy.isVisible(), true);
      await page.goto(closed.url(HASH));
      await page.getByRole('alert').filter({ hasText: 'Sign in to search' }).waitFor();
      const { accounts } = {
        accounts: await closed.service.access.createAccount({ name: 'Lab', plan: 'free' }),
      };
      await closed.service.access.passwords.set(accounts.id, PASSWORD);
      await page.goto(closed.url());
      await page.reload();
      await page.getByText('answers only those who have signed in').waitFor();
      await page.getByText('For the operator').click();
      await remedy.waitFor();
      await page.locator('.note').getByRole('link', { name: 'Sign in' }).waitFor();
      // The sign-in leads back to the search from which it was opened.
      const hash = linkTo([], new URLSearchParams(HASH.slice(3)));
      await page.goto(closed.url(hash));
      await page.getByRole('alert').getByRole('link', { name: 'Sign in' }).click();
      await signIn(page, 'Lab');
      await page.locator('.result').first().waitFor();
      assert.equal(new URL(page.url()).hash, hash);
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Dashboard' }).click();
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
    } finally {
      await closed.close();
    }
  });
});
