/** The page for those who see it otherwise: by keyboard, on a phone, with a screen reader, on a slow line. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, it } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { noSharp } from '../drawings/images.js';
import { noBrowser } from '../house/browser.js';
import { becomesTrue, QUESTION, Site } from './site.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const QUERY = encodeURIComponent(QUESTION);
const PHONE = { width: 375, height: 740 };

/** Each view, with what is there when it is complete. */
const VIEWS = {
  start: ['', '.holdings dl'],
  results: [`#/?query=${QUERY}&countries=KR&must_terms=%EC%A0%84%ED%95%B4%EC%A7%88`, '.result'],
  mistake: ['#/?query=battery&ipc_codes=ZZ', '.field-complaint'],
  nothing: ['#/?query=battery&applicant=Nobodyatall', '.excluded'],
  statistics: [`#/?query=${QUERY}&view=statistics`, '.years canvas'],
  patent: [`#/patent/US20210353120A1?query=${QUERY}`, '.drawing img'],
  titles: [`#/?query=${encodeURIComponent('一种茶叶采摘装置')}&countries=CN&countries=US`, '.badge.warn'],
  titleOnly: ['#/patent/CN112345678A', '.title-only'],
  missing: ['#/patent/US1', '.note'],
  unknown: ['#/nothing', '#content a'],
} as const;

const WEIGHT_MAX_BYTES = 200_000;

describe('the page', { skip: noBrowser || noSharp }, () => {
  let site: Site;
  before(async () => {
    site = await Site.open();
  });
  after(() => site?.close());

  const see = async (view: keyof typeof VIEWS, options: BrowserContextOptions = {}) => {
    const [hash, sign] = VIEWS[view];
    const visit = await site.visit(hash, options);
    await visit.page.locator(sign).first().waitFor();
    return visit.page;
  };

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const view of Object.keys(VIEWS) as (keyof typeof VIEWS)[]) {
      it(`${view}: axe finds nothing serious (${colorScheme})`, async () => {
        const page = await see(view, { colorScheme });
        if (view === 'results') {
          await page.getByText('Why it is here').first().click();
          await page.getByText('How the order is computed').first().click();
          await page.getByText('What the bars mean').click();
          // A change that is not applied yet.
          await page.getByLabel('United States').check();
        }
        assert.deepEqual(await faultsOf(page), []);
        await page.context().close();
      });
    }
  }

  it('fits a phone, without scrolling sideways, with targets that a finger hits', async () => {
    for (const view of Object.keys(VIEWS) as (keyof typeof VIEWS)[]) {
      const page = await see(view, { viewport: PHONE, hasTouch: true, isMobile: true });
      const [wide, seen] = await page.evaluate<[number, number]>(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
      );
      assert.equal(wide, seen, view);
      assert.deepEqual(await faultsOf(page), [], view);
      await page.context().close();
    }
    const page = await see('results', { viewport: PHONE, hasTouch: true, isMobile: true });
    assert.equal(await page.getByLabel('United States').isVisible(), false, 'filters are folded');
    await page.getByRole('button', { name: 'Filters' }).tap();
    await page.getByLabel('United States').tap();
    await page.getByRole('button', { name: 'Apply filters' }).tap();
    await page.locator('.chip', { hasText: 'United States' }).waitFor();
  });

  it('works by keyboard only, and the focus is always seen', async () => {
    const page = await see('start');
    await tabTo(page, 'Skip to the content');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Question');
    await page.keyboard.type('sulfide solid electrolyte battery');
    await page.keyboard.press('Enter');
    await page.locator('.result').first().waitFor();
    await tabTo(page, 'United States');
    await page.keyboard.press('Space');
    await tabTo(page, 'Apply filters');
    await page.keyboard.press('Enter');
    await page.locator('.chip', { hasText: 'United States' }).waitFor();
    await page.locator('.answered:not(.waiting) .result').first().waitFor();
    await tabTo(page, 'Solid electrolyte of');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /Solid electrolyte/ }).waitFor();
    await becomesTrue(page, 'document.activeElement.tagName === "H1"');
    await tabTo(page, 'Claims');
    await page.keyboard.press('Enter');
    await becomesTrue(page, 'document.activeElement.id === "part-claims"');
    await page.goBack();
    await page.locator('.result').first().waitFor();
    await becomesTrue(page, 'document.activeElement.closest(".result") !== null');
    await tabTo(page, 'Statistics');
    await page.keyboard.press('Enter');
    await page.locator('.years canvas').waitFor();
    await tabTo(page, 'As a table');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('.chip', { hasText: 'Filed from' }).waitFor();
  });

  it(`loads less than ${WEIGHT_MAX_BYTES / 1000} KB for a search`, async (t) => {
    const page = await see('results');
    const files = await page.evaluate<{ name: string; transferSize: number; decodedBodySize: number }[]>(
      `['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type))
        .map(({ name, transferSize, decodedBodySize }) => ({ name, transferSize, decodedBodySize }))`,
    );
    const own = files.filter(({ name }) => /\/(page\/[^/]+)?(#.*)?$/.test(name));
    assert.equal(own.length >= 3, true, JSON.stringify(files));
    const weight = own.reduce((sum, file) => sum + file.decodedBodySize, 0);
    const sent = own.reduce((sum, file) => sum + file.transferSize, 0);
    t.diagnostic(`${weight} bytes, ${sent} sent`);
    assert.ok(weight > 10_000 && weight < WEIGHT_MAX_BYTES, `${weight} bytes`);
  });

  for (const locale of ['en-US', 'ko-KR', 'ja-JP', 'zh-CN']) {
    it(`paints at once: the question box, before any answer of the server (${locale})`, async (t) => {
      const context = await site.browser.newContext({ locale });
      const page = await context.newPage();
      // No answer but the page itself: the first paint must not wait for one.
      await page.route(/\/(session|api\/)/, () => {});
      await page.goto(site.url());
      await page.locator('#question').waitFor();
      const paint = `performance.getEntriesByName('first-contentful-paint')[0]`;
      await becomesTrue(page, `${paint} !== undefined`);
      t.diagnostic(
        `first contentful paint after ${Math.round(await page.evaluate<number>(`${paint}.startTime`))} ms`,
      );
      // The browser asks for the texts with the other parts, and not after they have run.
      const begins = await page.evaluate<boolean[]>(`(() => {
        const files = performance.getEntriesByType('resource');
        const script = files.find(({ name }) => /\\/page-[^/]*\\.js$/.test(name));
        return files.filter(({ name }) => /part-(ko|ja|zh)-/.test(name)).slice(0, 1)
          .map(({ startTime }) => startTime < script.responseEnd);
      })()`);
      assert.deepEqual(begins, locale === 'en-US' ? [] : [true]);
      await context.close();
    });
  }
});

/** Serious faults of WCAG 2 that axe finds. */
async function faultsOf(page: Page): Promise<string[]> {
  // The policy of the page allows no script of others; what a test evaluates is not subject to it.
  await page.evaluate(AXE);
  return page.evaluate<
    string[]
  >(`axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    .then(({ violations }) => violations
      .filter(({ impact }) => impact !== 'minor')
      .flatMap(({ id, impact, nodes }) => nodes.map(({ html, failureSummary }) => id + ' ' + impact + ' ' + html.slice(0, 160) + ' ' + failureSummary.slice(0, 300))))`);
}

/** From a result in the list, all others and the filters are on the way to a link above it. */
const TABS_MAX = 300;

/** Tabs to the control with a name, and checks that its focus is seen. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let tabs = 0; tabs < TABS_MAX; tabs++) {
    await page.keyboard.press('Tab');
    const [found, outline] = await page.evaluate<[string, string]>(`(() => {
      const at = document.activeElement;
      // Behind the last control, the focus leaves the page for a moment.
      if (at === document.body) return ['', ''];
      const label = at.getAttribute('aria-label') || at.labels?.[0]?.textContent || at.textContent;
      const style = getComputedStyle(at);
      return [label.trim(), style.outlineStyle + ' ' + style.outlineWidth];
    })()`);
    if (!found.startsWith(name)) continue;
    assert.match(outline, /^(solid|auto) [1-9]/, `the focus of ${name} is seen`);
    return;
  }
  assert.fail(`no Tab reaches ${name}`);
}
