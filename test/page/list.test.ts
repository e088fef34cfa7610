/** What a searcher does with the list of results: order it, hide titles, save it; and what the page says of a question. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { noSharp } from '../drawings/images.js';
import { noBrowser } from '../house/browser.js';
import { until } from '../until.js';
import { ASKED, becomesTrue, parametersOf, QUESTION, Site, shownResults, TITLED } from './site.js';

describe('the list of results', { skip: noBrowser || noSharp }, () => {
  let site: Site;
  before(async () => {
    site = await Site.open();
  });
  after(() => site?.close());

  const similarities = async (page: Page) =>
    (await page.locator('.similarity-value').allTextContents()).map(Number);
  const published = (page: Page) => page.locator('.result-line > span:last-child time').allTextContents();

  it('is ordered by similarity or by date without another search, says so, and keeps a filter that is not applied', async () => {
    const { page, complaints } = await site.visit(ASKED);
    await shownResults(page).first().waitFor();
    let searches = 0;
    page.on('request', (request) => {
      if (request.url().includes('/api/v1/search/')) searches++;
    });
    await page.getByLabel('United States').check();
    const order = page.getByLabel('Order');
    await order.focus();
    await order.selectOption('Similarity');
    await page.getByText('Only the 20 results of this list are ordered.').waitFor();
    const by = await similarities(page);
    assert.deepEqual(
      by,
      [...by].sort((a, b) => b - a),
    );
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'SELECT', 'the focus stays');
    await order.selectOption('Oldest publication');
    await until(async () => {
      const shown = await published(page);
      return shown.join() === [...shown].sort().join();
    }, 'the oldest come first');
    const days = await published(page);
    assert.equal(days.length, 20);
    assert.equal(parametersOf(page).get('sort'), 'oldest');
    await page.getByText('Not applied yet').waitFor();
    assert.equal(await page.getByLabel('United States').isChecked(), true);
    assert.equal(searches, 0);

    const shared = await site.visit(new URL(page.url()).hash);
    await shownResults(shared.page).first().waitFor();
    assert.deepEqual(await published(shared.page), days, 'the address holds the order');
    await page.getByRole('button', { name: 'Apply filters' }).click();
    await page.locator('.chip', { hasText: 'United States' }).waitFor();
    await shownResults(page).first().waitFor();
    assert.equal(parametersOf(page).get('sort'), 'oldest', 'the next search has it, too');
    assert.deepEqual([...complaints, ...shared.complaints], []);
  });

  it('hides publications that have only a title', async () => {
    const [bare, whole] = TITLED.map(({ patent_id }) => patent_id);
    const query = encodeURIComponent('一种茶叶采摘装置');
    const { page } = await site.visit(`#/?query=${query}&countries=CN&collapse=none`);
    const link = (id: string) => page.locator(`.result h2 a[href*="${id}"]`);
    await link(bare!).waitFor();
    const hide = page.getByLabel('Hide those with a title only (1)');
    await hide.check();
    await link(bare!).waitFor({ state: 'detached' });
    assert.equal(await link(whole!).count(), 1);
    assert.equal(parametersOf(page).get('titles'), 'hidden');
    const [shown, all] = [await shownResults(page).count(), (await shownResults(page).count()) + 1];
    await page
      .locator('.count', { hasText: new RegExp(`^${shown} of (?:the first )?${all} results`) })
      .waitFor();
    await hide.uncheck();
    await link(bare!).waitFor();
  });

  it('says so if all of its results have only a title and are hidden', async () => {
    const [bare] = TITLED.map(({ patent_id }) => patent_id);
    const query = encodeURIComponent('一种茶叶采摘装置');
    const { page } = await site.visit(`#/?query=${query}&publication_number=${bare}&titles=hidden`);
    const note = page.getByText('The only result has a title only, and is hidden');
    await note.waitFor();
    await page.getByLabel('Hide those with a title only (1)').uncheck();
    await shownResults(page).first().waitFor();
    assert.equal(await note.count(), 0);
  });

  it('and statistics keep filters that are not applied, and so does a filter that is removed', async () => {
    const { page } = await site.visit(`${ASKED}&countries=KR&doc_type=application`);
    await shownResults(page).first().waitFor();
    const pending = page.getByLabel('Include utility models');
    await pending.check();
    const isPending = async () => {
      await page.getByText('Not applied yet').waitFor();
      assert.equal(await pending.isChecked(), true);
    };
    await page.getByRole('link', { name: 'Statistics' }).click();
    await page.locator('.years canvas').waitFor();
    await isPending();
    await page.getByRole('button', { name: 'Remove Applications' }).click();
    await page.locator('.chips').getByText('Applications').waitFor({ state: 'detached' });
    await isPending();
    await page.getByRole('button', { name: 'Apply filters' }).click();
    await page.locator('.chip', { hasText: 'Include utility models' }).waitFor();
    assert.equal(await page.getByText('Not applied yet').count(), 0);
    // Nothing of the form outlives "Clear all".
    await page.getByLabel('Japan', { exact: true }).check();
    await page.locator('.chips').getByRole('button', { name: 'Clear all' }).click();
    await page.locator('.chips').getByText('Korea').waitFor({ state: 'detached' });
    assert.equal(await page.getByText('Not applied yet').count(), 0);
    assert.equal(await page.getByLabel('Japan', { exact: true }).isChecked(), false);
  });

  it('is saved in a file with the name of the question', async () => {
    const { page } = await site.visit(ASKED);
    await shownResults(page).first().waitFor();
    for (const kind of ['CSV', 'JSON']) {
      const waiting = page.waitForEvent('download');
      await page.getByRole('button', { name: `Download the results as ${kind}` }).click();
      const name = (await waiting).suggestedFilename();
      const ending = kind.toLowerCase();
      assert.match(
        name,
        new RegExp(`^priorart-${QUESTION.replaceAll(' ', '-')}-\\d{4}-\\d\\d-\\d\\d\\.${ending}$`),
      );
    }
  });

  it('says that a question is read as a class, if the index has documents of the class', async () => {
    const { page } = await site.visit('#/?query=h01m');
    const chip = page.locator('.chips .chip', { hasText: 'The question is read as a class' });
    await chip.getByText('The question is read as a class: H01M Batteries, fuel cells').waitFor();
    assert.equal(await chip.getByRole('button').count(), 0, 'it is no filter');
    const room = await page.evaluate<number>(`(() => {
      const text = document.createRange();
      text.selectNodeContents(document.querySelector('.chips .chip span'));
      return document.querySelector('.chips .chip').getBoundingClientRect().right - text.getBoundingClientRect().right;
    })()`);
    assert.ok(room > 4, `its text ends ${room} px before its border`);
    await page.goto(site.url('#/?query=B99Z'));
    await becomesTrue(page, 'document.title.startsWith("B99Z")');
    await page.locator('.answered:not(.waiting) .result').first().waitFor();
    assert.equal(await chip.count(), 0, 'without documents of the class, the question is a text');
    await page.goto(site.url(ASKED));
    await shownResults(page).first().waitFor();
    assert.equal(await chip.count(), 0);
  });

  it('keeps the filters of an address without a question, and says what is missing', async () => {
    const { page, complaints } = await site.visit('#/?countries=KR&ipc_codes=H01M');
    await page.getByText('The question is missing').waitFor();
    await page.locator('.chip', { hasText: 'Korea' }).waitFor();
    await page.locator('.chip', { hasText: 'IPC classes: H01M Batteries, fuel cells' }).waitFor();
    await becomesTrue(page, 'document.activeElement.id === "question"');
    await page.keyboard.type('solid electrolyte');
    await page.keyboard.press('Enter');
    await shownResults(page).first().waitFor();
    assert.deepEqual(
      ['countries', 'ipc_codes', 'query'].map((name) => parametersOf(page).get(name)),
      ['KR', 'H01M', 'solid electrolyte'],
    );
    await page.goto(site.url('#/?sort=oldest'));
    await page.getByRole('heading', { name: 'Search patents by meaning' }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it('leaves out two countries with two clicks', async () => {
    const { page } = await site.visit(ASKED);
    await shownResults(page).first().waitFor();
    for (const country of ['China', 'Japan'])
      await page.getByRole('button', { name: `Not ${country}`, exact: true }).click();
    await page.getByRole('button', { name: 'Apply filters' }).click();
    await page.locator('.chips').getByText('Not China').waitFor();
    assert.deepEqual(parametersOf(page).getAll('countries'), ['US', 'KR', 'EP']);
    await page.getByRole('button', { name: 'Remove Not Japan' }).click();
    await page.locator('.chips').getByText('Not Japan').waitFor({ state: 'detached' });
    assert.deepEqual(parametersOf(page).getAll('countries'), ['US', 'KR', 'JP', 'EP']);
  });

  it('tells of a word that no class has', async () => {
    const { page } = await site.visit(ASKED);
    await shownResults(page).first().waitFor();
    await page.locator('summary', { hasText: 'Classes' }).press('Enter');
    const field = page.getByRole('combobox', { name: 'IPC classes' });
    const unknown = page.getByText(/^No class has/);
    await field.pressSequentially('zeppelinium');
    await page.getByText('No class has “zeppelinium” in its code or title.').waitFor();
    for (const known of ['H01M 10/0525', 'battery']) {
      await field.fill(known);
      await unknown.waitFor({ state: 'detached' });
    }
    await field.fill('H01Z');
    await page.getByText('No class has “H01Z”').waitFor();
    await field.fill('H01M, ');
    await unknown.waitFor({ state: 'detached' });
  });
});
