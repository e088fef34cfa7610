/** The page in a real browser, as a person who searches. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { noSharp } from '../drawings/images.js';
import { noBrowser } from '../house/browser.js';
import { until } from '../until.js';
import { ASKED, becomesTrue, QUESTION, Site } from './site.js';

const shownResults = (page: Page) => page.locator('.result');

describe('a person who searches', { skip: noBrowser || noSharp }, () => {
  let site: Site;
  before(async () => {
    site = await Site.open();
  });
  after(() => site?.close());

  it('goes from a first visit to a question, a filter, a patent, a plot and a shared address', async () => {
    const { page, complaints, foreign } = await site.visit();
    await page.getByRole('heading', { name: 'Search patents by meaning' }).waitFor();
    await page.getByLabel('Question').fill(QUESTION);
    await page.getByLabel('Question').press('Enter');
    await shownResults(page).first().waitFor();
    assert.equal(await shownResults(page).count(), 20);
    assert.ok((await page.locator('.result mark').count()) > 5, 'words of the question are marked');

    await page.getByLabel('United States').check();
    await page.getByRole('button', { name: 'Apply filters' }).click();
    await page.locator('.chip', { hasText: 'United States' }).waitFor();
    await page.locator('.answered:not(.waiting)').waitFor();
    const badges = await page.locator('.result .result-line .badge').allTextContents();
    assert.ok(badges.length > 0 && badges.every((badge) => badge.startsWith('US')), String(badges));

    await shownResults(page)
      .getByRole('link', { name: /^Solid electrolyte/ })
      .first()
      .click();
    await page.getByRole('heading', { level: 1, name: /^Solid electrolyte/ }).waitFor();
    assert.equal(await page.locator('.claim.independent .claim').count(), 1, 'claim 2 stands under claim 1');
    await page.getByRole('link', { name: 'Back to the results' }).click();
    await shownResults(page).first().waitFor();

    await page.getByRole('link', { name: 'Statistics' }).click();
    await page.locator('.years canvas').waitFor();
    const before = await page.getByText(/patents with a similarity of at least 0.5/).textContent();
    await clickFirstBar(page);
    await page.locator('.chip', { hasText: 'Filed' }).waitFor();
    await page.locator('.answered:not(.waiting)').waitFor();
    const after = await page.getByText(/with a similarity of at least 0.5/).textContent();
    assert.notEqual(after, before, 'a click on a year narrows the search');

    const shared = await site.visit(new URL(page.url()).hash);
    await shared.page.getByText(after!).waitFor();
    assert.deepEqual(
      await shared.page.locator('.chip').allTextContents(),
      await page.locator('.chip').allTextContents(),
    );
    assert.deepEqual([...complaints, ...shared.complaints], []);
    assert.deepEqual([...foreign, ...shared.foreign], []);
  });

  it('loses no letter of a list, even if two are typed before the page is drawn', async () => {
    const { page } = await site.visit(`#/?query=${encodeURIComponent(QUESTION)}`);
    await shownResults(page).first().waitFor();
    for (const name of ['must_terms', 'ipc_codes']) {
      // Each letter follows at another moment of drawing the one before.
      const typed = await page.evaluate<string>(`(async () => {
        const field = document.getElementById('field-${name}');
        const drawn = () => new Promise(requestAnimationFrame);
        const wait = [() => {}, () => Promise.resolve(), drawn, () => drawn().then(() => Promise.resolve())];
        for (const [at, letter] of [...'abcdefghijklmnopqrstuvwxyz'].entries()) {
          field.value += letter;
          field.dispatchEvent(new Event('input', { bubbles: true }));
          for (let turn = 0; turn <= at % 5; turn += 1) await wait[at % 4]();
        }
        for (let frame = 0; frame < 5; frame += 1) await drawn();
        return field.value;
      })()`);
      assert.equal(typed, 'abcdefghijklmnopqrstuvwxyz', name);
    }
  });

  it('finds a class by words and by its code, with the keyboard alone', async () => {
    const { page, complaints } = await site.visit(`#/?query=${encodeURIComponent(QUESTION)}`);
    await shownResults(page).first().waitFor();
    await page.locator('summary', { hasText: 'Classes' }).press('Enter');
    const field = page.getByRole('combobox', { name: 'IPC classes' });
    await field.focus();
    await page.keyboard.type('battery');
    const list = page.getByRole('listbox', { name: 'IPC classes' });
    await list.getByRole('option').first().waitFor();
    assert.equal(await field.getAttribute('aria-expanded'), 'true');
    await page.keyboard.press('ArrowDown');
    const active = page.locator(`#${await field.getAttribute('aria-activedescendant')}`);
    assert.equal(await active.textContent(), 'H01M Batteries, fuel cells');
    assert.equal(await active.getAttribute('aria-selected'), 'true');
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'hidden' });
    assert.equal(await field.inputValue(), 'battery', 'Escape leaves the text');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    assert.equal(await field.inputValue(), 'H01M, ');
    await page.keyboard.type('semicond');
    await list.getByRole('option', { name: 'H01L' }).click();
    assert.equal(await field.inputValue(), 'H01M, H01L, ');
    await page.keyboard.press('Enter');
    await page.locator('.chip', { hasText: 'IPC classes: H01M Batteries, fuel cells' }).waitFor();
    await page.locator('.answered:not(.waiting) .result').first().waitFor();
    assert.deepEqual(new URLSearchParams(page.url().split('?')[1]).getAll('ipc_codes'), ['H01M', 'H01L']);
    assert.deepEqual(complaints, []);
  });

  it('takes what is typed right after a choice at the end of the field', async () => {
    const { page } = await site.visit(`#/?query=${encodeURIComponent(QUESTION)}`);
    await shownResults(page).first().waitFor();
    await page.locator('summary', { hasText: 'Classes' }).press('Enter');
    const field = page.getByRole('combobox', { name: 'IPC classes' });
    await field.focus();
    await page.keyboard.type('battery');
    await page.getByRole('listbox', { name: 'IPC classes' }).getByRole('option').first().waitFor();
    await page.keyboard.press('ArrowDown');
    // Both letters come before the page is drawn with the choice; the browser puts them where the caret is.
    await page.evaluate(`(async () => {
      const field = document.getElementById('field-ipc_codes');
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
      document.execCommand('insertText', false, 's');
      for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
      document.execCommand('insertText', false, 'e');
    })()`);
    assert.equal(await field.inputValue(), 'H01M, se');
  });

  it('loads the texts and the titles of classes of its language alone, and titles only with codes', async () => {
    const { page } = await site.visit('', { locale: 'ko-KR' });
    // Views change by the part of the address behind `#`, so the document stays the same.
    const languages = () =>
      page.evaluate<string[]>(`performance.getEntriesByType('resource')
        .flatMap(({ name }) => /part-(en|ko|ja|zh)-/.exec(name)?.[1] ?? [])`);
    await page.goto(site.url(`#/?query=${encodeURIComponent(QUESTION)}`));
    await shownResults(page).first().waitFor();
    assert.deepEqual(await languages(), ['ko'], 'the texts');
    await page.goto(site.url(`#/?query=${encodeURIComponent(QUESTION)}&view=statistics`));
    await page.getByText('H01M 전지, 연료전지').waitFor();
    await page.goto(site.url('#/patent/US20210353120A1'));
    await page.locator('.subclasses .soft').first().waitFor();
    assert.deepEqual(await languages(), ['ko', 'ko'], 'and the titles');
  });

  it('goes from a patent to its inventor, class, family and citations', async () => {
    const hash = '#/patent/US20130310001A1';
    const { page, complaints } = await site.visit(hash);
    const data = page.locator('section', { hasText: 'Bibliographic data' });
    await data.getByText('KR 1020120000001').waitFor();
    await data.getByText('H01M Batteries, fuel cells').first().waitFor();
    assert.equal(await data.getByText('KIM Chulsoo').count(), 1);

    const cited = page.locator('section', { hasText: 'Citations (12)' });
    assert.equal(await cited.locator('li').first().getByRole('link').textContent(), 'US 2015/0310003 A1');
    await cited.getByText('DE 4321 A1').waitFor();
    assert.equal(await cited.getByText('Berlin 1999').count(), 0);
    await cited.getByRole('button', { name: 'Show all 12' }).click();
    await cited.getByText('Example, A.: Batteries. Berlin 1999').waitFor();
    assert.equal(await cited.getByRole('link').count(), 1, 'what the index lacks is no link');

    await data.getByRole('link', { name: 'US 2015/0310003 A1' }).click();
    await page.locator('.patent-head', { hasText: 'US 2015/0310003 A1' }).waitFor();
    await page.goBack();
    await data.getByRole('link', { name: 'Ada Example' }).click();
    await page.locator('.chip', { hasText: 'Inventor: Ada Example' }).waitFor();
    await page.locator('.answered:not(.waiting)').waitFor();

    await page.goto(site.url(`${hash}?query=battery`));
    await page.getByRole('link', { name: 'Y02E 60/10' }).click();
    await page.locator('.chip', { hasText: 'CPC classes: Y02E 60/10 Clean energy' }).waitFor();
    await page.locator('.chip').and(page.locator(':not(.examples .chip)')).first().waitFor();
    assert.equal(await page.getByLabel('Question').inputValue(), 'battery', 'the search is narrowed');
    await page.locator('.result .number', { hasText: 'US 2013/0310001 A1' }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it('turns the drawings of a patent with the keys of arrows', async () => {
    const { page, complaints } = await site.visit('#/patent/US20210353120A1');
    const image = page.locator('.drawing img');
    await image.waitFor();
    await becomesTrue(page, 'document.querySelector(".drawing img").naturalWidth > 0');
    const first = await image.getAttribute('src');
    await page.locator('.drawing').focus();
    await page.keyboard.press('ArrowRight');
    await becomesTrue(
      page,
      `document.querySelector('.drawing img').getAttribute('src') !== ${JSON.stringify(first)}`,
    );
    await page.keyboard.press('Enter');
    await page.locator('dialog[open] img').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    assert.equal(await page.evaluate('document.activeElement.className'), 'drawing');
    assert.deepEqual(complaints, []);
  });

  it('comes back to the result that it left', async () => {
    const { page } = await site.visit(`#/?query=${encodeURIComponent(QUESTION)}`);
    await shownResults(page).first().waitFor();
    const last = shownResults(page).last().getByRole('link').first();
    await last.scrollIntoViewIfNeeded();
    const place = await page.evaluate<number>('scrollY');
    assert.ok(place > 500, String(place));
    await last.click();
    await page.getByRole('link', { name: 'Back to the results' }).waitFor();
    await becomesTrue(page, 'scrollY === 0');
    await page.goBack();
    await shownResults(page).first().waitFor();
    await becomesTrue(page, `Math.abs(scrollY - ${place}) < 2`);
    await page.goForward();
    await page.getByRole('link', { name: 'Back to the results' }).click();
    await shownResults(page).first().waitFor();
    await becomesTrue(page, `Math.abs(scrollY - ${place}) < 2`);
  });

  it('gets from a result to patents like it, and to those published before it', async () => {
    const { page } = await site.visit(`#/?query=${encodeURIComponent(QUESTION)}`);
    const first = shownResults(page).first();
    const id = await first.locator('.number').textContent();
    await first.getByRole('link', { name: 'More like this' }).click();
    await page.locator('.examples .chip', { hasText: id! }).waitFor();
    await page.locator('.answered:not(.waiting) .result').first().waitFor();
    assert.ok(
      !(await page.locator('.result .number').allTextContents()).includes(id!),
      'not the example itself',
    );
    await page.goBack();
    await page.locator('.answered:not(.waiting)').waitFor();
    await shownResults(page).first().getByRole('link', { name: 'Published before it' }).click();
    await page.locator('.chip', { hasText: `Published before: ${id}` }).waitFor();
  });

  it('sees a mistake at its field, and what to do if nothing is found', async () => {
    const { page } = await site.visit('#/?query=battery&ipc_codes=ZZ');
    await page.getByLabel('IPC classes').and(page.locator('[aria-invalid=true]')).waitFor();
    await page.locator('#ipc_codes-complaint', { hasText: '“ZZ” is not a class' }).waitFor();
    await page.getByRole('alert').getByRole('button', { name: 'IPC classes' }).click();
    assert.equal(await page.evaluate('document.activeElement.id'), 'field-ipc_codes');
    await page.goto(site.url('#/?query=battery&applicant=Nobodyatall'));
    await page.getByText('Nothing was found with these filters').waitFor();
    await page.getByRole('link', { name: 'Search without: Applicant' }).click();
    await shownResults(page).first().waitFor();
    await page.goto(site.url('#/?query=battery&doc_type=grant&applicant=Nobodyatall'));
    await page.getByText('Nothing was found with these filters').waitFor();
    assert.equal(
      await page
        .locator('.excluded')
        .getByRole('link', { name: /utility models/ })
        .count(),
      0,
    );
    await page.goto(site.url('#/patent/US1'));
    await page.getByText('US1 is not in the index').waitFor();
  });

  it('says that nothing is clearly about a question', async () => {
    const { page } = await site.visit(
      '#/?query=sonnets%20of%20medieval%20monks%20about%20garden%20birds&countries=KR',
    );
    await page.getByText('Nothing in the index is clearly about this question').waitFor();
    // A number or a class that the index does not have is named.
    const far = page.getByText('is clearly about this question');
    for (const [question, said] of [
      ['US 99999999 B2', 'The index does not have US 99999999 B2'],
      ['B99Z 1/00', 'The index has nothing under the class B99Z 1/00'],
    ] as const) {
      const address = `#/?query=${encodeURIComponent(question)}`;
      await page.goto(site.url(address));
      await page.getByText(said).waitFor();
      await page.getByText('Patents whose texts hold it come first').waitFor();
      assert.equal(await far.count(), 0);
      assert.equal(await page.getByRole('link', { name: /^Count/ }).count(), 0, 'nothing can be counted');
      await page.goto(site.url(`${address}&view=statistics`));
      await page.getByRole('status').getByText(said).waitFor();
    }
  });

  it('takes the results along as CSV and JSON, and the search as code', async () => {
    const { page } = await site.visit(`#/?query=${encodeURIComponent(QUESTION)}`);
    const file = async (name: string) => {
      const waiting = page.waitForEvent('download');
      await page.getByRole('button', { name }).click();
      return readFileSync(await (await waiting).path(), 'utf8');
    };
    let calls = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/patents/details')) calls++;
    });
    const csv = await file('Download the results as CSV');
    assert.equal(calls, 1, 'what the list lacks comes at once');
    assert.equal(csv.trimEnd().split('\r\n').length, 21);
    assert.equal(JSON.parse(await file('Download the results as JSON')).results.length, 20);
    await page.getByRole('button', { name: 'This search as code' }).click();
    const [curl, code] = await page.locator('dialog[open] pre').allTextContents();
    assert.match(curl!, /^curl -s http:\/\/127\.0\.0\.1:\d+\/api\/v1\/search\/semantic /);
    assert.ok(code!.includes(QUESTION));
  });

  it('gets a line of curl without the query string of the page', async () => {
    const { page } = await site.visit(`?utm_source=mail&x=1${ASKED}`);
    await page.getByRole('button', { name: 'This search as code' }).click();
    const curl = await page.locator('dialog[open] pre').first().textContent();
    assert.match(curl!, /^curl -s http:\/\/127\.0\.0\.1:\d+\/api\/v1\/search\/semantic /);
    await page.context().close();
  });

  it('closes what a field of classes suggests when Enter searches, and forgets an unknown word with the field', async () => {
    const { page } = await site.visit(ASKED);
    await shownResults(page).first().waitFor();
    await page.locator('summary', { hasText: 'Classes' }).press('Enter');
    const field = page.getByRole('combobox', { name: 'IPC classes' });
    await field.focus();
    await page.keyboard.type('H01');
    const list = page.getByRole('listbox', { name: 'IPC classes' });
    await list.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await list.waitFor({ state: 'hidden' });
    await field.fill('zeppelinium');
    const unknown = page.getByText('No class has “zeppelinium”');
    await unknown.waitFor();
    await field.fill('');
    await unknown.waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('saves inventors, priority date and CPC, or says that it could not', async () => {
    const { page } = await site.visit(
      `#/?query=${encodeURIComponent(QUESTION)}&publication_number=US20130310001A1`,
    );
    await shownResults(page).first().waitFor();
    const details = '**/api/v1/patents/details';
    await page.route(details, (route) => route.fulfill({ status: 500, json: { detail: 'a fault' } }));
    await page.getByRole('button', { name: 'Download the results as CSV' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('The file could not be made').waitFor();
    await alert.getByText('a fault').waitFor();
    await page.unroute(details);
    const waiting = page.waitForEvent('download');
    await alert.getByRole('button', { name: 'Try again' }).click();
    const [names, line] = readFileSync(await (await waiting).path(), 'utf8').split('\r\n');
    const cell = (name: string) => line!.split(',')[names!.split(',').indexOf(name)];
    assert.equal(cell('inventors'), 'Ada Example; 김철수');
    assert.equal(cell('priority_date'), '2012-05-01');
    assert.equal(cell('cpc_codes'), 'H01M 10/0562; Y02E 60/10');
    await alert.waitFor({ state: 'detached' });
  });

  it('keeps a question that is too long, and says so before any request', async () => {
    const { page, complaints } = await site.visit();
    let calls = 0;
    await page.route('**/api/v1/search/**', (route) => {
      calls++;
      return route.continue();
    });
    const box = page.getByLabel('Question');
    await page.evaluate(`document.addEventListener('copy', (event) => {
      event.clipboardData.setData('text/plain', 'solid electrolyte '.repeat(806).trim());
      event.preventDefault();
    })`);
    await box.fill('x');
    await box.press('Control+A');
    await box.press('Control+C');
    await box.press('Control+V');
    assert.equal((await box.inputValue()).length, 14_507, 'nothing is cut off');
    await page.getByText('The question has 14,507 characters. At most 10,000 are possible.').waitFor();
    await box.press('Enter');
    await page.getByRole('button', { name: 'Search' }).click();
    await becomesTrue(page, 'document.activeElement.id === "question"');
    assert.equal(new URL(page.url()).hash, '');
    assert.equal(calls, 0);
    await box.fill(QUESTION);
    await page.locator('.field-complaint').waitFor({ state: 'detached' });
    await box.press('Enter');
    await shownResults(page).first().waitFor();
    assert.equal(calls, 1);
    assert.deepEqual(complaints, []);
  });

  it('copies from a dialog on plain HTTP, and reads if it failed', async () => {
    const { page } = await site.visit();
    // Such a page has no clipboard. The address of this machine has one.
    await page.addInitScript(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
    await page.goto(site.url(`#/?query=${encodeURIComponent(QUESTION)}`));
    await page.reload();
    await page.getByRole('button', { name: 'This search as code' }).click();
    const dialog = page.locator('dialog[open]');
    const copy = dialog.locator('.code-head .button').last();
    await copy.click();
    await dialog.getByText('Copied').waitFor();
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Copied');
    const code = (await dialog.locator('pre').last().textContent())!;
    assert.ok(code.includes('\n'));
    await page.keyboard.press('Escape');
    const box = page.getByLabel('Question');
    await box.fill('');
    await box.press('Control+V');
    assert.equal(await box.inputValue(), code, 'with its lines');
    await page.evaluate('document.execCommand = () => false');
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Copying failed').waitFor();
  });

  it('goes on typing after Enter, on the first page and beside results', async () => {
    const { page } = await site.visit();
    const held: (() => void)[] = [];
    await page.route('**/api/v1/search/semantic', async (route) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await route.continue();
    });
    // The page may say that it waits before its request is here.
    const letGo = async () => {
      await until(() => held.length > 0, 'a request is held');
      held.shift()!();
    };
    const box = page.getByLabel('Question');
    const isInBox = 'document.activeElement.id === "question"';
    await box.pressSequentially('solid electrolyte');
    await page.keyboard.press('Enter');
    await page.keyboard.type(' one');
    await page.locator('.answered.waiting').waitFor();
    await page.keyboard.type(' two');
    assert.equal(await box.inputValue(), 'solid electrolyte one two');
    await letGo();
    await page.locator('.answered:not(.waiting) .result').first().waitFor();
    assert.equal(await page.evaluate(isInBox), true, 'the results take no focus');
    await page.keyboard.press('Enter');
    await page.keyboard.type(' three');
    await page.locator('.answered.waiting').waitFor();
    assert.equal(await page.evaluate(isInBox), true, 'nor do the old ones');
    await page.keyboard.type(' four');
    await letGo();
    await page.locator('.answered:not(.waiting) .result').first().waitFor();
    assert.equal(await page.evaluate(isInBox), true);
    assert.equal(await box.inputValue(), 'solid electrolyte one two three four');
    // An example has no field: the heading of its results gets the focus when they are there.
    await page.goto(site.url());
    await page.locator('.start-examples a').first().click();
    await page.locator('.answered.waiting').waitFor();
    await letGo();
    await becomesTrue(page, 'document.activeElement.id === "answer-heading"');
  });

  it('ends a composition of Safari with Enter, without a search', async () => {
    const { page } = await site.visit();
    const box = page.getByLabel('Question');
    await box.fill('고체 전해질');
    // Safari ends the composition before this key.
    const isTaken = `!document.activeElement.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true }))`;
    assert.equal(await page.evaluate(isTaken), false);
    assert.equal(new URL(page.url()).hash, '');
    await page.goto(site.url(`#/?query=${encodeURIComponent(QUESTION)}`));
    await page.locator('summary', { hasText: 'Classes' }).press('Enter');
    const classes = page.getByRole('combobox', { name: 'IPC classes' });
    await classes.pressSequentially('battery');
    await page.getByRole('listbox', { name: 'IPC classes' }).getByRole('option').first().waitFor();
    await classes.press('ArrowDown');
    assert.equal(await page.evaluate(isTaken), false);
    assert.equal(await classes.inputValue(), 'battery');
  });

  it('is back at the result that it left, with the focus, too', async () => {
    const { page } = await site.visit(`#/?query=${encodeURIComponent(QUESTION)}`);
    await shownResults(page).first().waitFor();
    assert.equal(await page.evaluate('document.activeElement === document.body'), true, 'a first answer');
    const link = shownResults(page).nth(3).getByRole('link').first();
    const title = await link.textContent();
    await link.press('Enter');
    await page.getByRole('link', { name: 'Back to the results' }).waitFor();
    await page.goBack();
    await shownResults(page).first().waitFor();
    await becomesTrue(page, `document.activeElement.textContent === ${JSON.stringify(title)}`);
    await page.getByRole('link', { name: 'Statistics' }).click();
    await page.locator('.years canvas').waitFor();
  });

  it('chooses language and colours, which are kept', async () => {
    const { page } = await site.visit('', { locale: 'ko-KR' });
    await page.getByRole('heading', { name: '의미로 찾는 특허 검색' }).waitFor();
    assert.equal(await page.evaluate('document.documentElement.lang'), 'ko');
    for (const [code, heading] of [
      ['ja', '意味で探す特許検索'],
      ['zh', '按含义检索专利'],
      ['en', 'Search patents by meaning'],
    ]) {
      await page.locator('.frame-choices select').first().selectOption(code!);
      await page.getByRole('heading', { name: heading! }).waitFor();
    }
    const ground = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
    const light = await ground();
    await page.locator('.frame-choices select').last().selectOption('dark');
    assert.notEqual(await ground(), light);
    await page.reload();
    await page.getByRole('heading', { name: 'Search patents by meaning' }).waitFor();
    assert.notEqual(await ground(), light);
  });
});

/** Clicks the bar of the first year, the leftmost of the plot. */
async function clickFirstBar(page: Page): Promise<void> {
  const plot = page.locator('.years .u-over');
  const { width, height } = (await plot.boundingBox())!;
  for (let x = 4; x < width; x += 8) {
    await plot.hover({ position: { x, y: height - 4 } });
    if (await page.locator('.years .on-bar').count()) {
      await plot.click({ position: { x, y: height - 4 } });
      return;
    }
  }
  assert.fail('the plot has no bar');
}
