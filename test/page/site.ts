/** A running server with patents for the page, and a browser that visits it. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { openDrawings } from '../../src/drawings/open.js';
import type { ServerParts } from '../../src/http/server.js';
import { type Engine, open } from '../../src/index.js';
import type { PatentInput } from '../../src/ingest/patent-input.js';
import { loadConfig } from '../../src/load-config.js';
import { Service } from '../api/service.js';
import { FIXTURES } from '../crash/folder.js';
import { browserPath } from '../house/browser.js';
import { type Collection, collect } from '../search/collection.js';
import { until } from '../until.js';

/** Texts that do something in a page that treats them as markup or code. */
export const ATTACKS = [
  '<img src=x onerror="window.attacked=1">',
  '"><script>window.attacked=2</script>',
  "javascript:window.attacked=3//'",
  '<svg/onload=window.attacked=4>',
  '{{constructor.constructor("window.attacked=5")()}}',
  '![x](javascript:window.attacked=6)<a href="javascript:window.attacked=7">x</a>',
] as const;

const attack = ATTACKS.join(' ');

/** A patent whose every text is an attack. */
export const ATTACKER: PatentInput = {
  patent_id: 'US19999999A1',
  country: 'US',
  kind_code: 'A1',
  title: `Attack ${attack}`,
  applicants: [`Attacker ${attack}`],
  inventors: [`Inventor ${attack}`],
  citations: [{ text: `Cited ${attack}` }],
  legal_status: { status: `Status ${attack}` },
  abstract: `An attack on a page: ${attack}`,
  claims: [`An attack: ${attack}`, `The attack of claim 1: ${attack}`],
  description: [{ section: `Field ${attack}`, paragraphs: [{ number: 1, text: `Attack ${attack}` }] }],
  filing_date: '2019-05-01',
  publication_date: '2020-05-01',
  ipc_codes: ['G06F 21/55'],
};

/** A patent with names and references that have no blank, and with a name that turns the text behind it. */
export const AWKWARD: PatentInput = {
  patent_id: 'US20190099999A1',
  country: 'US',
  kind_code: 'A1',
  title: `Mousetrap ${'Kautschukverarbeitungsmaschinen'.repeat(5)}`,
  applicants: ['Alpha\u202e Traps', 'Beta Traps', 'GesellschaftMitBeschränkterHaftung'.repeat(5)],
  inventors: ['Donaudampfschifffahrt'.repeat(8)],
  citations: [{ text: `https://example.org/${'archive/of/long/addresses_'.repeat(12)}` }],
  abstract: 'A mousetrap with a bell.',
  claims: ['A mousetrap with a bell.'],
  filing_date: '2018-05-01',
  publication_date: '2019-05-01',
  ipc_codes: ['A01M 23/30'],
};

/** A publication that has only a title, and one with the same title that has claims, too. */
export const TITLED: readonly PatentInput[] = [
  {
    patent_id: 'CN112345678A',
    country: 'CN',
    kind_code: 'A',
    title: '一种茶叶采摘装置',
    filing_date: '2019-05-01',
    publication_date: '2020-05-01',
    ipc_codes: ['A01D 46/04'],
  },
  {
    patent_id: 'CN112345679A',
    country: 'CN',
    kind_code: 'A',
    title: '一种茶叶采摘装置',
    claims: ['一种茶叶采摘装置，其特征在于，包括机架和刀片。'],
    filing_date: '2019-05-02',
    publication_date: '2020-05-08',
    ipc_codes: ['A01D 46/04'],
  },
];
/** Of the battery US20130310001A1. The index holds US20150310003A1. */
const CITING: Partial<PatentInput> = {
  inventors: [{ name: 'Ada Example' }, { name: '김철수', name_en: 'KIM Chulsoo' }],
  cpc_codes: ['H01M 10/0562', 'Y02E 60/10'],
  family_id: 'FAMILY',
  priority_date: '2012-05-01',
  priorities: [{ country: 'KR', number: '1020120000001', date: '2012-05-01' }],
  citations: [
    { country: 'DE', number: '4321', kind: 'A1', category: 'A', cited_by: 'examiner' },
    { country: 'US', number: '20150310003', kind: 'A1', cited_by: 'applicant' },
    { text: 'Example, A.: Batteries. Berlin 1999' },
    ...Array.from({ length: 9 }, (_, n) => ({ country: 'FR', number: `10${n}`, kind: 'A' })),
  ],
};

/** Batteries of several years, applicants and offices. */
function batteries(): PatentInput[] {
  return Array.from({ length: 30 }, (_, at) => {
    const isKorean = at % 2 === 0;
    const year = 2012 + (at % 8);
    return {
      patent_id: isKorean ? `KR10${year}01${String(10_000 + at)}A` : `US${year}03${String(10_000 + at)}A1`,
      country: isKorean ? 'KR' : 'US',
      kind_code: isKorean ? 'A' : 'A1',
      title: isKorean ? `리튬 이차전지의 고체 전해질 ${at}` : `Solid electrolyte of a lithium battery ${at}`,
      abstract: isKorean
        ? `황화물 고체 전해질을 포함하는 리튬 이차전지. 전해질 층의 두께는 ${at} 마이크로미터이다.`
        : `A lithium secondary battery with a sulfide solid electrolyte. Its layer is ${at} micrometres thick.`,
      claims: isKorean
        ? ['고체 전해질을 포함하는 이차전지.', '제1항에 있어서, 상기 전해질은 황화물인 이차전지.']
        : [
            'A battery with a solid electrolyte.',
            'The battery of claim 1, wherein the electrolyte is a sulfide.',
          ],
      applicants: [['한빛전지', 'Example Batteries', 'Northern Cells'][at % 3]!],
      filing_date: `${year}-03-0${1 + (at % 9)}`,
      publication_date: `${year + 1}-09-0${1 + (at % 9)}`,
      ipc_codes: ['H01M 10/0562'],
      ...(at === 1 ? CITING : {}),
      ...(at === 3 ? { family_id: 'FAMILY' } : {}),
    };
  });
}

/** A question about the batteries. */
export const QUESTION = '황화물 고체 전해질을 포함하는 리튬 이차전지';
/** The address of its results. */
export const ASKED = `#/?query=${encodeURIComponent(QUESTION)}`;

/** The results of an answer that is not awaited any more. */
export const shownResults = (page: Page) => page.locator('.answered:not(.waiting) .result');

/** The parameters of the search that the page shows. */
export const parametersOf = (page: Page): URLSearchParams =>
  new URL(`http://page/${new URL(page.url()).hash.slice(2)}`).searchParams;

/**
 * Waits until an expression is true in a page. `waitForFunction` of playwright evaluates a text within the page, which the
 * policy of the page forbids.
 */
export async function becomesTrue(page: Page, expression: string): Promise<void> {
  await until(() => page.evaluate<boolean>(expression), expression);
}

export class Site {
  readonly #collection: Collection;
  readonly #engine: Engine;
  readonly service: Service;
  readonly browser: Browser;

  private constructor(collection: Collection, engine: Engine, service: Service, browser: Browser) {
    this.#collection = collection;
    this.#engine = engine;
    this.service = service;
    this.browser = browser;
  }

  /** @param settings of the server */
  static async open(settings: Partial<ServerParts['config']> = {}): Promise<Site> {
    const collection = await collect(FIXTURES);
    const engine = await open(collection.dir, { workers: 1 });
    const { failed } = await engine.ingest([...batteries(), ATTACKER, AWKWARD, ...TITLED]);
    if (failed.length > 0) throw new Error(JSON.stringify(failed));
    const drawings = await openDrawings(collection.dir, loadConfig({ env: {} }));
    const service = await Service.start('node', 120_000, { engine, drawings }, settings);
    await service.access.createAccount({ name: 'Demonstration', plan: 'enterprise' });
    const browser = await chromium.launch({ executablePath: browserPath()!, args: ['--no-sandbox'] });
    return new Site(collection, engine, service, browser);
  }

  /** The address of a view. @param hash such as `#/patent/US1A1` */
  url(hash = ''): string {
    return `${this.service.server.url}/${hash}`;
  }

  /** A page of a new visitor, and what it complained of. */
  async visit(
    hash = '',
    options: BrowserContextOptions = {},
  ): Promise<{ page: Page; complaints: string[]; foreign: string[] }> {
    const context = await this.browser.newContext({
      locale: 'en-US',
      viewport: { width: 1280, height: 900 },
      acceptDownloads: true,
      ...options,
    });
    const page = await context.newPage();
    const complaints: string[] = [];
    const foreign: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('request', (request) => {
      const address = request.url();
      if (!address.startsWith(this.service.server.url) && !/^(blob|data):/.test(address))
        foreign.push(address);
    });
    await page.goto(this.url(hash));
    return { page, complaints, foreign };
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.service.stop();
    await this.#engine.close();
    this.#collection.remove();
  }
}
