/** A server with a dashboard, and a browser in which accounts and the operator sign in. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { Account } from '../../src/access/records.js';
import type { ServerParts } from '../../src/http/server.js';
import { Service } from '../api/service.js';
import { browserPath } from '../house/browser.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const PASSWORD = 'correct horse battery staple';

export class DashboardSite {
  readonly #faults = new WeakMap<Page, string[]>();
  readonly service: Service;
  readonly browser: Browser;

  private constructor(service: Service, browser: Browser) {
    this.service = service;
    this.browser = browser;
  }

  static async open(
    parts: Parameters<typeof Service.start>[2] = {},
    settings: Partial<ServerParts['config']> = {},
    prepare?: Parameters<typeof Service.start>[4],
  ): Promise<DashboardSite> {
    const service = await Service.start('node', 10_000, parts, settings, prepare);
    const browser = await chromium.launch({ executablePath: browserPath()!, args: ['--no-sandbox'] });
    return new DashboardSite(service, browser);
  }

  get secret(): string {
    return readFileSync(join(this.service.accessFolder, 'admin-secret'), 'utf8').trim();
  }

  async visit(hash: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.browser.newContext({
      locale: 'en-US',
      viewport: { width: 1280, height: 900 },
      ...options,
    });
    const page = await context.newPage();
    const faults: string[] = [];
    this.#faults.set(page, faults);
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    await page.goto(`${this.service.server.url}/${hash}`);
    return page;
  }

  /** What a page complained of so far. */
  faultsOf(page: Page): string[] {
    return this.#faults.get(page)!;
  }

  /** Creates an account that can sign in. */
  async account(name: string): Promise<Account> {
    const made = await this.service.access.createAccount({ name, plan: 'basic' });
    await this.service.access.passwords.set(made.id, PASSWORD);
    return made;
  }

  async asOperator(hash = '#/dashboard', options: BrowserContextOptions = {}): Promise<Page> {
    const page = await this.visit(hash, options);
    await this.signInOperator(page);
    return page;
  }

  async signInOperator(page: Page): Promise<void> {
    await page.getByLabel('Operator').check();
    await page.getByLabel("Administrator's secret").fill(this.secret);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  }

  async asAccount(name: string, hash = '#/dashboard', options: BrowserContextOptions = {}): Promise<Page> {
    const page = await this.visit(hash, options);
    await page.getByLabel('Name or id of the account').fill(name);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    return page;
  }

  /** Serious findings of axe. */
  async seriousOf(page: Page): Promise<string[]> {
    await page.evaluate(AXE);
    const found = await page.evaluate<{ id: string; impact: string; nodes: { html: string }[] }[]>(
      'axe.run(document).then(({ violations }) => violations)',
    );
    return found
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 150)).join(' ')}`);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.service.stop();
  }
}
