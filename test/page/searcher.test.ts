/** What a patent searcher has to see on the page: what is left out, what the figures mean, what a filter does. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { noSharp } from '../drawings/images.js';
import { noBrowser } from '../house/browser.js';
import { Site } from './site.js';

const QUESTION = encodeURIComponent('황화물 고체 전해질을 포함하는 리튬 이차전지');
const shownResults = (page: Page) => page.locator('.answered:not(.waiting) .result');

describe('a patent searcher', { skip: noBrowser || noSharp }, () => {
  let site: Site;
  before(async () => {
    site = await Site.open();
  });
  after(() => site?.close());

  /** The parameters of the search that the page shows. */
  const parametersOf = (page: Page) =>
    new URL(`http://page/${new URL(page.url()).hash.slice(2)}`).searchParams;

  it('sees which kinds are left out, and includes them with one click', async () => {
    const { page, complaints } = await site.visit(`#/?query=${QUESTION}`);
    const models = page.locator('.left-out', { hasText: /Utility models left out \(\d+\)/ });
    const designs = page.locator('.left-out', { hasText: /Designs left out \(\d+\)/ });
    await models.getByRole('button').click();
    await page.locator('.chip', { hasText: 'Include utility models' }).waitFor();
    assert.equal(await models.count(), 0);
    await designs.getByRole('button').click();
    await page.locator('.chip', { hasText: 'Kind codes: ' }).waitFor();
    assert.equal(await page.locator('.left-out').count(), 0);
    const kinds = parametersOf(page).getAll('kind_codes');
    for (const kind of ['A1', 'B2', 'S1', 'U']) assert.ok(kinds.includes(kind), String(kinds));
    await shownResults(page).first().waitFor();
    assert.deepEqual(complaints, []);
  });

  it('gets from a result to what is like it, and to prior art for it, within the same filters', async () => {
    const { page } = await site.visit(`#/?query=${QUESTION}&countries=KR&collapse=none`);
    const first = shownResults(page).first();
    await first.waitFor();
    const link = (name: string) => first.getByRole('link', { name }).getAttribute('href');
    const number = (await link('More like this'))!.match(/like=(\w+)/)![1]!;
    assert.match((await link('More like this'))!, /countries=KR/);
    await first.getByRole('link', { name: 'Prior art for this' }).click();
    await page.locator('.examples .chip', { hasText: number }).waitFor();
    await page.locator('.chip', { hasText: `Published before: ${number}` }).waitFor();
    await page.locator('.chip', { hasText: 'Korea' }).waitFor();
    assert.equal(parametersOf(page).get('collapse'), 'none');
    await shownResults(page).first().waitFor();
    // The patent page has the same ways.
    await page.goto(site.url(`#/patent/${number}?query=${QUESTION}&countries=KR`));
    await page.getByRole('link', { name: 'Prior art for this' }).click();
    await page.locator('.chip', { hasText: `Published before: ${number}` }).waitFor();
    assert.deepEqual(parametersOf(page).getAll('countries'), ['KR']);
  });
});
