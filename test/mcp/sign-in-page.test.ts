/**
 * The sign-in in a real browser, by keyboard and without scripts: discovery, registration, sign-in, consent, token, call,
 * refresh, revocation and 401. The pages fit the screen and can be read in both colour schemes.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { ADAPTERS } from '../adapters.js';
import { Service } from '../api/service.js';
import { Browser, FAINT, noBrowser, Page } from '../house/browser.js';
import { freePort } from '../http/free-port.js';
import { Kept } from './oauth-client.js';

const PASSWORD = 'correct horse battery';
const LOOKS = {
  node: { width: 1300, height: 900, scheme: 'light' },
  uws: { width: 375, height: 740, scheme: 'dark' },
} as const;
const FOCUSED = 'document.activeElement.textContent.trim() || document.activeElement.id';

for (const adapter of ADAPTERS) {
  describe(`the sign-in in a browser (${adapter})`, { skip: noBrowser }, () => {
    let service: Service;
    let base: string;
    let browser: Browser;
    let callback: Server;
    const answers: string[] = [];
    before(async () => {
      const port = await freePort();
      base = `http://127.0.0.1:${port}`;
      service = await Service.start(adapter, 10_000, {}, { port, oauthEmbedded: 'on' });
      const account = await service.access.createAccount({ name: 'Kim', plan: 'free' });
      await service.access.passwords.set(account.id, PASSWORD);
      callback = createServer((request, response) => {
        if (request.url!.startsWith('/callback')) answers.push(request.url!);
        response.end('<title>Back</title>The client has the answer.');
      }).listen(0, '127.0.0.1');
      await once(callback, 'listening');
      browser = new Browser();
    });
    after(async () => {
      await browser?.close();
      callback?.close();
      callback?.closeAllConnections();
      await service?.stop();
    });

    async function assertReadable(page: Page): Promise<void> {
      assert.deepEqual(await page.evaluate(FAINT), []);
      const [wide, seen] = await page.evaluate<[number, number]>(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
      );
      assert.equal(wide, seen, 'no horizontal scrolling');
      assert.deepEqual(page.complaints, []);
    }

    it('a person signs in and agrees by keyboard, and the client works until its access ends', async () => {
      const redirect = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`;
      const kept = new Kept({ redirect, name: 'Browser <b>client</b>' });
      const transport = () =>
        new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { authProvider: kept });
      const client = () => new Client({ name: 'test', version: '1' });
      const first = transport();
      await assert.rejects(client().connect(first), UnauthorizedError);

      const page = await Page.open(browser, kept.page!.href, LOOKS[adapter]);
      await page.until('document.title.startsWith("Sign in")');
      await assertReadable(page);
      // A browser moves the focus some time after the page is there.
      await page.until('document.activeElement.id === "account"');
      const labels =
        '[...document.querySelectorAll("input:not([type=hidden])")].map(({ labels }) => labels.length)';
      assert.deepEqual(await page.evaluate(labels), [1, 1]);
      await page.type('Kim');
      await page.press('Tab');
      await page.type('a wrong password');
      await page.press('Enter');
      await page.until('document.querySelector("[role=alert]") !== null');
      // The browser itself reports the status of the page.
      assert.match(page.complaints.splice(0).join(), /^(?:Failed to load resource: [^,]* 401 [^,]*)?$/);
      await assertReadable(page);
      await page.until('document.activeElement.id === "password"');
      await page.type(PASSWORD);
      await page.press('Enter');

      await page.until('document.title.startsWith("Allow")');
      await assertReadable(page);
      const said = await page.evaluate<string>('document.body.innerText');
      assert.match(said, /Browser <b>client<\/b> asks to search patents with your account/);
      assert.match(said, /Kim \(acc_/);
      await page.press('Tab');
      assert.equal(await page.evaluate(FOCUSED), 'Allow');
      await page.press('Enter');
      await page.until('document.title === "Back"');
      assert.deepEqual(page.complaints, []);
      assert.equal(answers.length, 1);
      await first.finishAuth(new URL(answers[0]!, redirect).searchParams);

      const signedIn = client();
      await signedIn.connect(transport());
      const found = await signedIn.callTool({ name: 'search_patents', arguments: { query: 'x', top_k: 2 } });
      assert.equal((found.structuredContent as { total: number }).total, 2);
      const { access_token: token } = kept.kept!;
      kept.kept = { ...kept.kept!, access_token: `${token.slice(0, -8)}AAAAAAAA` };
      await signedIn.callTool({ name: 'get_coverage', arguments: {} });
      assert.notEqual(kept.kept!.access_token, token, 'the client has a new token');
      await signedIn.close();
      const fresh = kept.kept!.access_token;
      await fetch(`${base}/oauth/revoke`, {
        method: 'POST',
        body: new URLSearchParams({ token: kept.kept!.refresh_token!, client_id: kept.client!.client_id }),
      });
      const refused = await service.post(
        '/mcp',
        { jsonrpc: '2.0', id: 1, method: 'ping' },
        { 'x-api-key': undefined, authorization: `Bearer ${fresh}` },
      );
      assert.equal(refused.status, 401);
      // The browser keeps nothing of the sign-in: the next client asks for the password again.
      const other = new Kept({ redirect, name: 'Another client' });
      await assert.rejects(
        client().connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { authProvider: other })),
      );
      await page.ask('Page.navigate', { url: other.page!.href });
      await page.until(
        'document.title.startsWith("Sign in") && document.body.innerText.includes("Another client")',
      );
      await page.evaluate('document.querySelector("button.second").click()');
      await page.until('document.title === "Back"');
      assert.match(answers[1]!, /error=access_denied/);
    });
  });
}
