/** The reference in a real browser: it loads without errors, fits the screen, and its examples work. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openDrawings } from '../../src/drawings/open.js';
import { type Engine, open } from '../../src/index.js';
import { loadConfig } from '../../src/load-config.js';
import { FIXTURES } from '../crash/folder.js';
import { noSharp } from '../drawings/images.js';
import { Browser, FAINT, noBrowser, Page } from '../house/browser.js';
import { type Collection, collect } from '../search/collection.js';
import { Service } from './service.js';

const LOOKS = [
  { width: 1300, height: 900, scheme: 'light' },
  { width: 375, height: 740, scheme: 'dark' },
] as const;

/** Sends a form and returns the answer that the page shows. */
const SEND = `async (id) => {
  const output = document.querySelector('#' + id + ' .answer');
  output.textContent = '';
  document.querySelector('#' + id + ' form').requestSubmit();
  const isThere = () => /^(\\d{3} |No answer|This endpoint)/.test(output.textContent);
  while (!isThere()) await new Promise((resolve) => setTimeout(resolve, 20));
  return output.textContent;
}`;

describe('/docs in a browser', { skip: noBrowser || noSharp }, () => {
  let collection: Collection;
  let engine: Engine;
  let service: Service;
  let browser: Browser;
  before(async () => {
    collection = await collect(FIXTURES);
    engine = await open(collection.dir, { workers: 1 });
    const drawings = await openDrawings(collection.dir, loadConfig({ env: {} }));
    service = await Service.start('node', 120_000, { engine, drawings });
    browser = new Browser();
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    await engine?.close();
    collection?.remove();
  });

  for (const look of LOOKS) {
    it(`fits a ${look.scheme} screen of ${look.width} pixels, and is readable`, async () => {
      const page = await Page.open(browser, `${service.server.url}/docs`, look);
      assert.deepEqual(page.complaints, []);
      const [wide, seen] = await page.evaluate<[number, number]>(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
      );
      assert.ok(seen > 0.9 * look.width, `expected a page as wide as the window of ${look.width}: ${seen}`);
      assert.equal(wide, seen, 'no horizontal scrolling');
      const faint = await page.evaluate<string[]>(FAINT);
      assert.deepEqual(faint, []);
    });
  }

  it('its examples are answered with the entered key', async () => {
    const page = await Page.open(browser, `${service.server.url}/docs`, LOOKS[0]);
    const send = (id: string) => page.evaluate<string>(`(${SEND})('${id}')`);
    assert.match(await send('searchSemantic'), /^This endpoint needs a key/);
    assert.equal(await page.evaluate('document.activeElement.id'), 'key');
    await page.evaluate(`document.getElementById('key').value = '${service.key}'`);
    const examples = await page.evaluate<number>(`document.querySelectorAll('button[data-example]').length`);
    assert.ok(examples >= 6, `expected at least 6 examples: ${examples}`);
    for (let n = 0; n < examples; n++) {
      const id = await page.evaluate<string>(`(() => {
        const button = document.querySelectorAll('button[data-example]')[${n}];
        button.click();
        return button.closest('section').id;
      })()`);
      assert.match(await send(id), /^200 OK, \d+ ms\n\{/, id);
    }
    const found = JSON.parse((await send('searchSemantic')).replace(/^.*\n/, ''));
    const shown = found.results.find((one: Record<string, unknown>) => one['representative_figure']);
    assert.ok(shown, 'an example finds a patent with a drawing');
    for (const id of ['coverage', 'livez', 'readyz', 'healthz', 'openapi'])
      assert.match(await send(id), /^200 OK/, id);
    const curl = await page.evaluate<string>(`document.querySelector('#searchSemantic .curl').textContent`);
    assert.match(curl, /^curl -s 'http:\/\/127.0.0.1:\d+\/api\/v1\/search\/semantic' -H "X-API-Key: \$KEY" /);

    await page.evaluate(`(() => {
      const form = document.querySelector('#drawing form');
      form.elements.publication_id.value = ${JSON.stringify(shown.patent_id)};
      form.elements.filename.value = ${JSON.stringify(shown.representative_figure)};
    })()`);
    assert.match(await send('drawing'), /^200 OK/);
    const command = await page.evaluate<string>(`(() => {
      const form = document.querySelector('#drawing form');
      const { value } = form.elements.publication_id;
      form.elements.publication_id.value = 'US 11,217,824 B2';
      form.dispatchEvent(new Event('input', { bubbles: true }));
      const shown = form.querySelector('.curl').textContent;
      form.elements.publication_id.value = value;
      return shown;
    })()`);
    assert.match(command, /\/drawings\/US%2011%2C217%2C824%20B2\//);
    const pixels = await page.evaluate<number>(
      `document.querySelector('#drawing img').decode().then(() => document.querySelector('#drawing img').naturalWidth)`,
    );
    assert.ok(pixels > 0, 'the drawing is shown');
    assert.deepEqual(page.complaints, []);
  });
});
