/**
 * A real browser for tests: Chromium, over a pipe in the DevTools protocol. `.ci/run` installs Debian's if possible;
 * PRIORART_TEST_BROWSER names another browser. Without a browser, tests that need it are skipped.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const BROWSER = process.env['PRIORART_TEST_BROWSER'] ?? NAMES.find((name) => isThere(name));

function isThere(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
}

/** Absolute path of the browser; absent without one. */
export function browserPath(): string | undefined {
  if (BROWSER === undefined) return undefined;
  return spawnSync('sh', ['-c', `command -v ${BROWSER}`], { encoding: 'utf8' }).stdout.trim();
}

/** Reason why a test that needs a browser cannot run, or false if it can. */
export const noBrowser =
  BROWSER === undefined ? `no ${NAMES[0]} in PATH; .ci/run installs it if it can use apt-get as root` : false;

type Message = {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { message: string };
};

/** Elements of a page whose text has less than the minimum contrast of WCAG 2, an expression. */
export const FAINT = `(() => {
  const channels = (text) => text.match(/[\\d.]+/g).map(Number);
  const over = ([r, g, b, a = 1], below) => [r, g, b].map((c, i) => c * a + below[i] * (1 - a));
  const luminance = (rgb) => rgb
    .map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const groundOf = (element) => {
    if (!element) return [255, 255, 255];
    return over(channels(getComputedStyle(element).backgroundColor), groundOf(element.parentElement));
  };
  const found = new Set();
  for (const element of document.body.querySelectorAll('*')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
    if (!own || element.getClientRects().length === 0) continue;
    const [r, g, b] = channels(getComputedStyle(element).color);
    let opacity = 1;
    for (let at = element; at; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
    const ground = groundOf(element);
    const [x, y] = [luminance(over([r, g, b, opacity], ground)), luminance(ground)];
    const contrast = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
    if (contrast < 4.5) found.add(element.tagName + ' ' + element.textContent.slice(0, 30) + ' ' + contrast);
  }
  return [...found];
})()`;

export class Browser {
  readonly #child;
  readonly #profile = mkdtempSync(join(tmpdir(), 'priorart-browser-'));
  readonly #pending = new Map<number, (answer: Message) => void>();
  readonly #listeners = new Set<(message: Message) => void>();
  readonly #ended: Promise<unknown>;
  /** Never fulfilled; rejects when the browser ends. */
  readonly #broken: Promise<never>;
  #sent = 0;
  #rest = Buffer.alloc(0);

  constructor() {
    const flags = [
      '--headless=new',
      // Root, as in a container, has no sandbox; only pages of this test are opened.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--no-first-run',
      '--remote-debugging-pipe',
      `--user-data-dir=${this.#profile}`,
    ];
    this.#child = spawn(BROWSER!, flags, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    this.#ended = once(this.#child, 'exit');
    this.#broken = this.#ended.then(() => {
      throw new Error('the browser ended');
    });
    this.#broken.catch(() => {});
    (this.#child.stdio[4] as Readable).on('data', (bytes: Buffer) => this.#take(bytes));
  }

  /** Sends one command of the protocol. */
  async ask(method: string, params: object = {}, sessionId?: string): Promise<Record<string, unknown>> {
    const id = ++this.#sent;
    const answered = new Promise<Message>((resolve) => this.#pending.set(id, resolve));
    (this.#child.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    const { result, error } = await Promise.race([answered, this.#broken]);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result ?? {};
  }

  onEvent(listener: (message: Message) => void): void {
    this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      await this.ask('Browser.close').catch(() => this.#child.kill('SIGKILL'));
      await this.#ended;
    }
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }

  #take(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (let end = this.#rest.indexOf(0); end >= 0; end = this.#rest.indexOf(0)) {
      const message = JSON.parse(this.#rest.toString('utf8', 0, end)) as Message;
      this.#rest = this.#rest.subarray(end + 1);
      if (message.id === undefined) for (const listener of this.#listeners) listener(message);
      else {
        this.#pending.get(message.id)?.(message);
        this.#pending.delete(message.id);
      }
    }
  }
}

/** A page of a browser. */
export class Page {
  readonly #browser: Browser;
  readonly #session: string;
  /** Errors of scripts, and requests that the browser blocked or that failed. */
  readonly complaints: string[] = [];

  private constructor(browser: Browser, session: string) {
    this.#browser = browser;
    this.#session = session;
  }

  static async open(
    browser: Browser,
    url: string,
    look: { width: number; height: number; scheme: 'light' | 'dark' },
  ): Promise<Page> {
    const { targetId } = await browser.ask('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await browser.ask('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(browser, String(sessionId));
    const loaded = new Promise<void>((resolve) => {
      browser.onEvent((message) => {
        if (message.sessionId !== sessionId) return;
        if (message.method === 'Page.loadEventFired') resolve();
        else page.#listen(message);
      });
    });
    for (const domain of ['Page', 'Runtime', 'Log']) await page.ask(`${domain}.enable`);
    const { width, height, scheme } = look;
    await page.ask('Emulation.setDeviceMetricsOverride', {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: false,
    });
    const features = [{ name: 'prefers-color-scheme', value: scheme }];
    await page.ask('Emulation.setEmulatedMedia', { features });
    await page.ask('Page.navigate', { url });
    await loaded;
    return page;
  }

  ask(method: string, params: object = {}): Promise<Record<string, unknown>> {
    return this.#browser.ask(method, params, this.#session);
  }

  /** Evaluates an expression in the page, and awaits a promise. */
  async evaluate<T>(expression: string): Promise<T> {
    const asked = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await this.ask('Runtime.evaluate', asked);
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails).slice(0, 1_000));
    return (result as { value: T }).value;
  }

  /** Waits until an expression is true, over navigations of the page. */
  async until(expression: string): Promise<void> {
    for (let tries = 0; tries < 500; tries++) {
      // While the page navigates, nothing can be evaluated.
      if (await this.evaluate<boolean>(expression).catch(() => false)) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const seen = await this.evaluate<string>('location.href + "\\n" + document.body.innerText').catch(String);
    throw new Error(`${expression} did not become true: ${seen}`);
  }

  /** Types into the element that has the focus. */
  async type(text: string): Promise<void> {
    await this.ask('Input.insertText', { text });
  }

  async press(key: 'Tab' | 'Enter'): Promise<void> {
    const code = { Tab: 9, Enter: 13 }[key];
    const text = key === 'Enter' ? { text: '\r' } : {};
    const event = { key, code: key, windowsVirtualKeyCode: code, ...text };
    await this.ask('Input.dispatchKeyEvent', { type: 'keyDown', ...event });
    await this.ask('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  }

  #listen({ method, params }: Message): void {
    if (method === 'Runtime.exceptionThrown') this.complaints.push(JSON.stringify(params));
    const entry = params?.['entry'] as { level: string; text: string } | undefined;
    if (method === 'Log.entryAdded' && entry?.level === 'error') this.complaints.push(entry.text);
  }
}
