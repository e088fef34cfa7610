/** What a patent searcher has to see on the page: what is left out, what the figures mean, what a filter does. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { noSharp } from '../drawings/images.js';
import { noBrowser } from '../house/browser.js';
import { ASKED, becomesTrue, parametersOf, QUESTION, Site, shownResults, TITLED } from './site.js';

describe('a patent searcher', { skip: noBrowser || noSharp }, () => {
  let site: Site;
  before(async () => {
    site = await Site.open();
  });
  after(() => site?.close());

  it('sees which kinds are left out, and includes them with one click', async () => {
    const { page, complaints } = await site.visit(ASKED);
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
    const { page } = await site.visit(`${ASKED}&countries=KR&collapse=none`);
    const first = shownResults(page).first();
    await first.waitFor();
    const link = (name: string) => first.getByRole('link', { name }).getAttribute('href');
    const id = (await link('More like this'))!.match(/like=(\w+)/)![1]!;
    const number = (await first.locator('.number').textContent())!;
    assert.match((await link('More like this'))!, /countries=KR/);
    await first.getByRole('link', { name: 'Prior art for this' }).click();
    await page.locator('.examples .chip', { hasText: number }).waitFor();
    await page.locator('.chip', { hasText: `Published before: ${number}` }).waitFor();
    await page.locator('.chip', { hasText: 'Korea' }).waitFor();
    assert.equal(parametersOf(page).get('collapse'), 'none');
    await shownResults(page).first().waitFor();
    // The patent page has the same ways.
    await page.goto(site.url(`#/patent/${id}?query=${encodeURIComponent(QUESTION)}&countries=KR`));
    await page.getByRole('link', { name: 'Prior art for this' }).click();
    await page.locator('.chip', { hasText: `Published before: ${number}` }).waitFor();
    assert.deepEqual(parametersOf(page).getAll('countries'), ['KR']);
  });

  it('is not offered what was published before a patent without a date', async () => {
    const { page } = await site.visit();
    for (const [path, held] of [
      ['search/semantic', 'results'],
      ['patents/details', 'patents'],
    ] as const) {
      await page.route(`**/api/v1/${path}`, async (route) => {
        const response = await route.fetch();
        const answer = await response.json();
        for (const one of answer[held]) {
          delete one.filing_date;
          delete one.metadata?.filing_date;
          delete one.bibliography?.priority_date;
        }
        await route.fulfill({ response, json: answer });
      });
    }
    await page.goto(site.url(ASKED));
    const result = shownResults(page).first();
    await result.getByRole('link', { name: 'More like this' }).waitFor();
    const before = page.getByRole('link', { name: /Prior art for this|Published before it/ });
    assert.equal(await before.count(), 0);
    await result.locator('h2 a').click();
    await page.locator('.patent-head').getByRole('link', { name: 'More like this' }).waitFor();
    assert.equal(await before.count(), 0);
  });

  it('learns what a bar means without a mouse, on the list and of a result', async () => {
    const { page } = await site.visit(ASKED, { hasTouch: true });
    await page.getByText('What the bars mean').tap();
    await page.locator('.bars-help[open]', { hasText: 'From 0.5 on (the line)' }).waitFor();
    const why = page.locator('.why').first();
    await why.getByText('Why it is here').tap();
    const similarity = await page.locator('.similarity-value').first().textContent();
    await why.getByText(`Its nearest passage has a similarity of ${similarity} to the question.`).waitFor();
    await why.getByText('From 0.5 on (the line)').waitFor();
  });

  it('reads first which words were found and which not; the sum is folded away', async () => {
    const { page } = await site.visit(`#/?query=${encodeURIComponent('sulfide electrolyte of a zeppelin')}`);
    const why = page.locator('.why', { hasText: 'Words of the question in its passages' }).first();
    await why.locator('summary').first().click();
    assert.match((await why.locator('.found').textContent())!, /electrolyte in \d+ documents of the index/);
    assert.deepEqual(await why.locator('.missing li').allTextContents(), ['zeppelin']);
    const sum = why.getByText(/^Passages .* = /);
    assert.equal(await sum.isVisible(), false);
    await why.getByText('How the order is computed').click();
    assert.equal(await sum.isVisible(), true);
  });

  it('sees how many results there are, and how many are clear once that is known', async () => {
    const { page } = await site.visit();
    let searches = 0;
    page.on('request', (request) => {
      if (request.url().includes('/api/v1/search/')) searches++;
    });
    await page.goto(site.url(ASKED));
    await page.getByRole('status').getByText('First 20 results', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Count those at 0.5 or above' }).click();
    const counted = await page.getByText(/patents with a similarity of at least 0.5/).textContent();
    await page.getByRole('link', { name: 'Results', exact: true }).click();
    await page.getByText(`First 20 results · ${/\d+/.exec(counted!)![0]} at 0.5 or above`).waitFor();
    assert.equal(searches, 2, 'the list and the statistics; the count costs no further search');
    await page.goto(site.url(`${ASKED}&applicant=Northern&countries=US`));
    await page.getByText(/^\d results · \d at 0.5 or above$/).waitFor();
  });

  it('sees a class counted as a whole, whatever the similarities are', async () => {
    const { page } = await site.visit('#/?query=H01M%2010/0562');
    await page.getByRole('status').getByText('First 20 results', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Count the patents of the class' }).click();
    const counted = await page.getByText(/^\d+ patents of the class · counted exactly$/).textContent();
    await page.getByRole('link', { name: 'Results', exact: true }).click();
    await page.getByText(`First 20 results · ${/\d+/.exec(counted!)![0]} in the class`).waitFor();
  });

  it('sees whether the number of patents in the statistics is exact, in the language of the page', async () => {
    for (const [locale, exact, approximate] of [
      [
        'en-US',
        /^\d+ patents with .* · counted exactly$/,
        /^\d+ patents with .* · approximate: up to 1 % that/,
      ],
      ['ko-KR', /\d+건 · 정확한 수$/, /\d+건 · 근사치: .*1 %/],
      ['ja-JP', /\d+ 件 · 正確な件数$/, /\d+ 件 · 概数：.*1 %/],
      ['zh-CN', /\d+ 件.* · 精确计数$/, /\d+ 件.* · 近似值：.*1 %/],
    ] as const) {
      const { page } = await site.visit(`${ASKED}&view=statistics`, { locale });
      await page.getByRole('status').getByText(exact).waitFor();
      await page.route('**/api/v1/search/semantic-analytics', async (route) => {
        const answer = await route.fetch();
        const body = await answer.json();
        const explanation = { ...body.explanation, exact: false };
        await route.fulfill({ response: answer, json: { ...body, explanation } });
      });
      await page.reload();
      await page.getByRole('status').getByText(approximate).waitFor();
      await page.context().close();
    }
  });

  it('sees how many patents of the statistics have no date of the kind that is counted', async () => {
    const { page } = await site.visit(`${ASKED}&view=statistics&countries=KR&countries=US`);
    await page.locator('.years-table').waitFor();
    assert.equal(await page.getByText('in no year').count(), 0);
    // No battery has a grant date.
    await page.getByLabel('Count years by').selectOption('grant');
    await page.getByText(/^\d+ patents have no grant date and count in no year\.$/).waitFor();
  });

  it('sees a line where similarity falls below 0.5, or a mark at each result if the order differs', async () => {
    const { page } = await site.visit();
    const show = async (similarities: number[], address: string) => {
      await page.route('**/api/v1/search/semantic', async (route) => {
        const answer = await route.fetch();
        const body = await answer.json();
        const results = similarities.map((similarity_score, at) => ({
          ...body.results[at],
          similarity_score,
        }));
        await route.fulfill({ response: answer, json: { ...body, results } });
      });
      await page.goto(site.url(`${ASKED}&${address}`));
      await page.locator(`.answered:not(.waiting) .result:nth-of-type(${similarities.length})`).waitFor();
      await page.unroute('**/api/v1/search/semantic');
    };
    const line = page.locator('.cut + .result .similarity-value');
    await show([0.9, 0.6, 0.4, 0.3], 'countries=KR');
    assert.equal(await line.textContent(), '0.40');
    assert.equal(await page.locator('.badge.low').count(), 0);
    await page.goto(site.url());
    await show([0.9, 0.4, 0.6, 0.3], 'countries=US');
    assert.equal(await page.locator('.cut').count(), 0);
    const marked = page.locator('.result:has(.badge.low) .similarity-value');
    assert.deepEqual(await marked.allTextContents(), ['0.40', '0.30']);
  });

  it('is warned of a publication that has only a title', async () => {
    const [bare, whole] = TITLED.map(({ patent_id }) => patent_id);
    const { page } = await site.visit(
      `#/?query=${encodeURIComponent('一种茶叶采摘装置')}&countries=CN&collapse=none`,
    );
    await shownResults(page).first().waitFor();
    const badge = (id: string) =>
      page.locator(`.result:has([href*="${id}"]) .badge`, { hasText: 'title only' });
    assert.equal(await badge(bare!).count(), 1);
    assert.equal(await badge(whole!).count(), 0);
    await page.goto(site.url(`#/patent/${bare}`));
    await page.getByText('The index holds only the title').waitFor();
    assert.equal(await page.getByText('The index holds no text of this part').count(), 0);
    assert.equal(await page.getByText('The index holds no drawings of this publication').count(), 1);
    await page.goto(site.url(`#/patent/${whole}`));
    await page.getByText('The index holds no text of this part').first().waitFor();
    assert.equal(await page.getByText('The index holds only the title').count(), 0);
  });

  it('sees that a filter is not applied yet, and the buttons cover no field', async () => {
    const { page } = await site.visit(ASKED, { viewport: { width: 1280, height: 500 } });
    await shownResults(page).first().waitFor();
    await page.getByLabel('United States').check();
    await page.getByText('Not applied yet').waitFor();
    assert.equal(
      await page.evaluate(
        'scrollY === 0 && document.querySelector(".filters-end").getBoundingClientRect().bottom <= innerHeight',
      ),
      true,
      'the button is in view',
    );
    const closed = page.locator('.filter-group:not([open]) > summary');
    while ((await closed.count()) > 0) await closed.first().click();
    const covered = await page.evaluate<string[]>(`(() => {
      const end = document.querySelector('.filters-end');
      return [...document.querySelectorAll('.filters input, .filters select')].filter((field) => {
        field.scrollIntoView({ block: 'nearest' });
        return field.getBoundingClientRect().bottom > end.getBoundingClientRect().top + 1;
      }).map((field) => field.id);
    })()`);
    assert.deepEqual(covered, []);
    await page.getByRole('button', { name: 'Apply filters' }).click();
    await page.locator('.chip', { hasText: 'United States' }).waitFor();
    assert.equal(await page.getByText('Not applied yet').count(), 0);
  });

  it('sees all classes that are suggested, above the bar of the buttons', async () => {
    for (const viewport of [
      { width: 1280, height: 900 },
      { width: 1280, height: 500 },
      { width: 375, height: 700 },
    ]) {
      const { page } = await site.visit(ASKED, { viewport });
      await shownResults(page).first().waitFor();
      const toggle = page.locator('.filters-toggle');
      if (await toggle.isVisible()) await toggle.click();
      await page.locator('summary', { hasText: 'Classes' }).click();
      await page.getByRole('combobox', { name: 'IPC classes' }).pressSequentially('battery');
      await page.getByRole('option', { name: 'H01M' }).waitFor();
      await page.getByText('Not applied yet').waitFor();
      await becomesTrue(
        page,
        `(() => {
          const place = (selector) => document.querySelector(selector).getBoundingClientRect();
          const list = place('.suggestions:not([hidden])');
          const field = place('#field-ipc_codes');
          return list.height > 0 && list.bottom <= place('.filters-end').top && field.bottom <= list.top && field.top >= 0;
        })()`,
      );
      await page.context().close();
    }
  });

  it('leaves out one country with one click', async () => {
    const { page } = await site.visit(ASKED);
    await page.getByRole('button', { name: 'Not Korea' }).click();
    await page.getByRole('button', { name: 'Apply filters' }).click();
    await page.locator('.chips').getByText('Not Korea').waitFor();
    await shownResults(page).first().waitFor();
    const badges = await page.locator('.result .result-line .badge:first-of-type').allTextContents();
    assert.ok(!parametersOf(page).getAll('countries').includes('KR'), String(badges));
    await page.locator('.chips').getByRole('button', { name: 'Remove Not Korea' }).click();
    await page.locator('.chips').getByText('Not Korea').waitFor({ state: 'detached' });
  });

  it('sees on a phone how many filters are in use', async () => {
    const { page } = await site.visit(`${ASKED}&countries=KR&countries=US&applicant=Northern`, {
      viewport: { width: 375, height: 740 },
    });
    await page.getByRole('button', { name: 'Filters (2)', exact: true }).waitFor();
  });

  it('removes an applicant with the way in which its name was compared', async () => {
    const { page } = await site.visit(
      `${ASKED}&applicant=Northern%20Cells&applicant_match=exact&applicant_expand=true`,
    );
    await page.getByRole('button', { name: 'Remove Applicant (is exactly): Northern Cells' }).click();
    await page.locator('.chips').getByText('Northern Cells').waitFor({ state: 'detached' });
    assert.deepEqual([...parametersOf(page).keys()], ['query']);
  });

  it('chooses between the priority date and the filing date of a patent', async () => {
    const id = 'US20130310001A1';
    const { page, complaints } = await site.visit(`${ASKED}&as_of=${id}`);
    const chip = page.locator('.chips .chip');
    await chip.getByText('Published before: US 2013/0310001 A1 (its priority date 2012-05-01)').waitFor();
    await chip.getByRole('link', { name: 'use its filing date 2013-03-02' }).click();
    await chip.getByText('Published before: 2013-03-02', { exact: true }).waitFor();
    assert.equal(parametersOf(page).get('as_of'), '2013-03-02');
    // With the patent as the example, the page knows whose date it is.
    await page.goto(site.url(`#/?like=${id}&as_of=2013-03-02`));
    await chip.getByText('2013-03-02 (filing date of US 2013/0310001 A1)').waitFor();
    await chip.getByRole('link', { name: 'use its priority date 2012-05-01' }).click();
    await chip.getByText('(its priority date 2012-05-01)').waitFor();
    assert.equal(parametersOf(page).get('as_of'), id);
    // Without an earlier priority there is nothing to choose.
    await page.goto(site.url(`${ASKED}&as_of=KR1020120110000A`));
    await chip.getByText('(its priority date 2012-03-01)').waitFor();
    assert.equal(await chip.getByRole('link').count(), 0);
    assert.deepEqual(complaints, []);
  });

  it('writes the day of prior art as the office prints it', async () => {
    const { page, complaints } = await site.visit(ASKED);
    await page.locator('summary', { hasText: 'Prior art date' }).click();
    await page.getByRole('textbox', { name: 'Published before' }).fill('2015.3.15');
    await page.keyboard.press('Enter');
    await page.locator('.chip', { hasText: 'Published before: 2015-03-15' }).waitFor();
    await shownResults(page).first().waitFor();
    assert.equal(parametersOf(page).get('as_of'), '2015-03-15');
    assert.equal(await page.getByText('Not applied yet').count(), 0);
    assert.deepEqual(complaints, []);
  });

  it('sees no other member of the family among what is like a patent', async () => {
    const [example, member] = ['US20130310001A1', 'US20150310003A1'];
    const linkOf = (id: string) => page.locator(`.result h2 a[href*="${id}"]`);
    const { page } = await site.visit(`#/?like=${example}&countries=US&top_k=50&collapse=application`);
    await linkOf(member).waitFor();
    await page.goto(site.url(`#/?like=${example}&countries=US&top_k=50`));
    await linkOf(member).waitFor({ state: 'detached' });
    await shownResults(page).first().waitFor();
    assert.equal(await linkOf(member).count(), 0);
    await page.getByText('Why it is here').first().click();
    await page
      .getByText(/^Its nearest passage has a similarity of .* to the examples\./)
      .first()
      .waitFor();
    // The patent page has the member, by the number that its office prints.
    await page.goto(site.url(`#/patent/${example}`));
    await page.locator('.data').getByRole('link', { name: 'US 2015/0310003 A1' }).first().waitFor();
  });

  it('finds "Published before" among what leaves nothing, and searches without it', async () => {
    const { page } = await site.visit(`${ASKED}&as_of=1950-01-01`);
    const row = page.locator('.excluded li', { hasText: 'Published before' });
    await row.getByRole('link', { name: 'Search without: Published before' }).click();
    await shownResults(page).first().waitFor();
    assert.equal(parametersOf(page).has('as_of'), false);
  });

  it('types at once, and sees whose searches are counted and what costs one', async () => {
    const { page } = await site.visit('', { locale: 'ko-KR' });
    await becomesTrue(page, 'document.activeElement.id === "question"');
    await page.keyboard.type('황화물 고체 전해질');
    await page.keyboard.press('Enter');
    await shownResults(page).first().waitFor();
    await page
      .locator('.frame-account', { hasText: /계정 Demonstration · 이번 달 검색 .*회 중 \d+회 사용/ })
      .waitFor();
    await page.getByRole('link', { name: '통계 · 검색 1회로 계산됩니다.' }).waitFor();
    await page.goto(site.url('#/dashboard'));
    await page.getByText('운영자가 로그인하여 계정에서 설정합니다').waitFor();
    assert.equal(await page.getByText('priorart accounts password').isVisible(), false);
  });

  it('reads numbers as offices print them, and that a grant is published as a grant', async () => {
    const { page } = await site.visit(`#/patent/US11217824B2?query=${encodeURIComponent(QUESTION)}`, {
      locale: 'ko-KR',
    });
    await page.locator('.patent-head .number', { hasText: 'US 11,217,824 B2' }).waitFor();
    await page.locator('.data dt', { hasText: '등록공고일' }).waitFor();
  });

  it('reads on a phone who is charged, and how much is used', async () => {
    const { page } = await site.visit('', { viewport: { width: 320, height: 700 } });
    const short = page.locator('.frame-account-short');
    await short.filter({ hasText: /^Demonstration[\d,]+ \/ [\d,]+$/ }).waitFor();
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320);
    await page.setViewportSize({ width: 1280, height: 700 });
    await short.waitFor({ state: 'hidden' });
    await page.getByText(/Account Demonstration · .* searches this month/).waitFor();
  });

  it('finds each view by its title', async () => {
    const { page } = await site.visit('#/patent/US11217824B2');
    const isCalled = (title: string) => becomesTrue(page, `document.title === ${JSON.stringify(title)}`);
    const patent = await page.getByRole('heading', { level: 1 }).textContent();
    await isCalled(`US11217824B2 ${patent} – priorart`);
    for (const [hash, title] of [
      ['#/patent/US99999999B2', 'US99999999B2 is not in the index – priorart'],
      ['#/dashboard', 'Dashboard – priorart'],
      ['#/nowhere', 'There is no such page. – priorart'],
      ['#/?like=US11217824B2', 'Like US 11,217,824 B2 – priorart'],
      ['#/?query=battery', 'battery – priorart'],
      ['#/?query=battery&view=statistics', 'battery – Statistics – priorart'],
      ['#/', 'priorart'],
    ] as const) {
      await page.goto(site.url(hash));
      await isCalled(title);
      const direct = await site.visit(hash);
      await becomesTrue(direct.page, `document.title === ${JSON.stringify(title)}`);
      await direct.page.context().close();
    }
  });

  it('prints a list and a patent in light colours, whole, and without what leads elsewhere', async () => {
    const { page } = await site.visit(ASKED);
    await page.getByLabel('Colours').selectOption('Dark');
    const [question, passage, heading] = [
      page.locator('#question'),
      page.locator('.passage-text').first(),
      page.locator('.patent-text h2').first(),
    ];
    await passage.waitFor();
    await page.emulateMedia({ media: 'print' });
    const colour = 'getComputedStyle(document.body).color';
    assert.equal(await page.evaluate(colour), 'rgb(26, 34, 48)');
    assert.ok(await question.isVisible(), 'the question is printed');
    const left = (): Promise<string[]> =>
      page.evaluate(`[...document.querySelectorAll('button, select, nav, input, .filters')]
        .filter((element) => element.checkVisibility() && !element.matches('.drawing'))
        .map((element) => element.outerHTML.slice(0, 80))`);
    assert.deepEqual(await left(), []);
    const cut = await page.evaluate<number>(`[...document.querySelectorAll('.passage-text')]
      .filter((text) => text.scrollHeight > text.clientHeight + 1).length`);
    assert.equal(cut, 0, 'passages are whole');
    await page.goto(site.url('#/patent/US20210353120A1'));
    await heading.waitFor();
    assert.deepEqual(await left(), []);
    assert.ok(await page.locator('.drawing img').isVisible());
    assert.equal(await page.evaluate(colour), 'rgb(26, 34, 48)');
  });

  it('prints plots in light colours, too', async () => {
    const { page } = await site.visit(`${ASKED}&view=statistics`);
    await page.getByLabel('Colours').selectOption('Dark');
    await page.locator('.years canvas').waitFor();
    // Pixels of labels in the colour of the light and of the dark theme.
    const labels = `(() => {
      const canvas = document.querySelector('.years canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const isAt = (at, colour) => data[at + 3] === 255 && colour.every((part, n) => data[at + n] === part);
      const found = [0, 0];
      for (let at = 0; at < data.length; at += 4) {
        if (isAt(at, [77, 90, 107])) found[0]++;
        if (isAt(at, [169, 180, 195])) found[1]++;
      }
      return found.map((count) => count > 0).join();
    })()`;
    await becomesTrue(page, `${labels} === 'false,true'`);
    await page.evaluate(`addEventListener('beforeprint', () => {
      queueMicrotask(() => { window.printed = ${labels}; });
    })`);
    await page.pdf();
    assert.equal(await page.evaluate('window.printed'), 'true,false');
    await becomesTrue(page, `${labels} === 'false,true'`);
  });

  it('has tabs without a gap between them, in which a click would do nothing', async () => {
    const { page } = await site.visit(ASKED);
    for (const tabs of ['.views a', '.frame-header nav a']) {
      await page.locator(tabs).first().waitFor();
      const edges = await page.locator(tabs).evaluateAll((links) =>
        links.map((link) => {
          const { left, right } = link.getBoundingClientRect();
          return [left, right];
        }),
      );
      for (const [at, [left]] of edges.slice(1).entries()) {
        assert.ok(Math.abs(left! - edges[at]![1]!) < 1, `${tabs}: ${JSON.stringify(edges)}`);
      }
    }
  });
});
