/** Texts that could break the page: markup stays text, long words do not widen it, and names do not turn what is behind them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { noSharp } from '../drawings/images.js';
import { noBrowser } from '../house/browser.js';
import { ATTACKER, ATTACKS, AWKWARD, becomesTrue, Site } from './site.js';

/** What an attack that succeeds leaves behind, and elements that only an attack makes. */
async function traces(page: Page): Promise<unknown> {
  return page.evaluate(`({
    attacked: window.attacked,
    elements: [...document.querySelectorAll('img[src="x"], #page script, svg[onload], [href^="javascript:"], [onerror]')]
      .map((element) => element.outerHTML),
  })`);
}

const NONE = { attacked: undefined, elements: [] };

describe('texts with markup', { skip: noBrowser || noSharp }, () => {
  let site: Site;
  before(async () => {
    site = await Site.open();
  });
  after(() => site?.close());

  it('of a patent stay text in the results, the reasons, the patent and the statistics', async () => {
    const query = encodeURIComponent('an attack on a page');
    const { page, complaints } = await site.visit(
      `#/?query=${query}&publication_number=${ATTACKER.patent_id}`,
    );
    const result = page.locator('.result').first();
    await result.waitFor();
    const shown = await result.textContent();
    for (const attack of ATTACKS) assert.ok(shown!.includes(attack), attack);
    await page.getByText('Why it is here').first().click();
    assert.deepEqual(await traces(page), NONE);

    await page.goto(site.url(`#/patent/${ATTACKER.patent_id}`));
    await page.getByRole('heading', { level: 1, name: 'Attack' }).waitFor();
    const whole = await page.locator('.patent').textContent();
    for (const attack of ATTACKS) {
      const times = whole!.split(attack).length - 1;
      assert.ok(
        times >= 6,
        `${attack}: title, applicant, abstract, claims, heading and paragraph, got ${times}`,
      );
    }
    assert.deepEqual(await traces(page), NONE);

    await page.goto(site.url('#/?view=statistics&query=an%20attack%20on%20a%20page'));
    await page.locator('.bars', { hasText: 'Attacker' }).waitFor();
    assert.deepEqual(await traces(page), NONE);
    assert.deepEqual(complaints, []);
  });

  it('in every field of a search stay text, from the address and typed', async () => {
    for (const attack of ATTACKS) {
      const parameters = new URLSearchParams({
        query: attack,
        applicant: attack,
        inventor: attack,
        as_of: attack,
        family_id: attack,
      });
      for (const name of ['like', 'must_terms', 'ipc_codes', 'kind_codes']) parameters.append(name, attack);
      const { page } = await site.visit(`#/?${parameters}`);
      await page.locator('[role=alert], .result, .note').first().waitFor();
      assert.deepEqual(await traces(page), NONE, attack);
      await page.goto(site.url());
      await page.getByLabel('Question').fill(attack);
      await page.getByLabel('Question').press('Enter');
      await page.locator('.result, .note').first().waitFor();
      assert.deepEqual(await traces(page), NONE, attack);
      await page.goto(site.url(`#/patent/${encodeURIComponent(attack)}`));
      await page.locator('.note').first().waitFor();
      assert.deepEqual(await traces(page), NONE, attack);
      await page.context().close();
    }
  });

  it('would do something without the care that the page takes: the test can fail', async () => {
    const { page } = await site.visit();
    // In a page without the policy of this one.
    await page.goto('about:blank');
    await page.setContent(`<div id="page">${ATTACKS.join(' ')}</div>`);
    await becomesTrue(page, 'window.attacked !== undefined');
    const { elements } = (await traces(page)) as { elements: string[] };
    assert.ok(elements.length >= 3, String(elements));
  });
});

describe('names and references that are hard to show', { skip: noBrowser || noSharp }, () => {
  let site: Site;
  before(async () => {
    site = await Site.open();
  });
  after(() => site?.close());

  it('stay within their panels, on a phone, too', async () => {
    for (const width of [320, 1280]) {
      const { page } = await site.visit(`#/patent/${AWKWARD.patent_id}`, {
        viewport: { width, height: 900 },
      });
      await page.locator('.citations', { hasText: 'https://example.org' }).waitFor();
      const beyond = await page.evaluate<string[]>(`(() => {
        const right = (element) => element.closest('.panel')?.getBoundingClientRect().right ?? innerWidth;
        const places = (element) => {
          const range = document.createRange();
          range.selectNodeContents(element);
          return [...range.getClientRects()];
        };
        return [...document.querySelectorAll('.patent h1, .patent .result-line > *, .panel *')]
          .filter((element) => places(element).some((place) => place.right > right(element)))
          .map((element) => element.textContent.slice(0, 40));
      })()`);
      assert.deepEqual(beyond, [], `${width} px`);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
      await page.context().close();
    }
  });

  it('turn no other name, in the head of a patent and in the list', async () => {
    const { page } = await site.visit(`#/patent/${AWKWARD.patent_id}`);
    const isForwards = (selector: string) =>
      page.evaluate<boolean>(`(() => {
        const place = (text, at) => {
          const range = document.createRange();
          range.setStart(text, at);
          range.setEnd(text, at + 1);
          return range.getBoundingClientRect().left;
        };
        const walker = document.createTreeWalker(document.querySelector('${selector}'), NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
          const at = walker.currentNode.data.indexOf('Beta');
          if (at >= 0) return place(walker.currentNode, at) < place(walker.currentNode, at + 1);
        }
      })()`);
    await page.locator('.patent-head', { hasText: 'Beta Traps' }).waitFor();
    assert.equal(await isForwards('.patent-head'), true);
    await page.goto(site.url(`#/?query=mousetrap&publication_number=${AWKWARD.patent_id}`));
    await page.locator('.result-applicant', { hasText: 'Beta Traps' }).waitFor();
    assert.equal(await isForwards('.result-applicant'), true);
  });
});
