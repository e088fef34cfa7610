/** What an operator finds in the dashboard: maintenance, readiness, durations. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { IngestedFile } from '../../src/observe/observations.js';
import { makeNamesake } from '../access/namesake.js';
import { MemoryEngine } from '../api/service.js';
import { noBrowser } from '../house/browser.js';
import { DashboardSite, PASSWORD } from './dashboard-site.js';

const file = {
  ...{ bytes: 10, first_read: '2026-01-01T00:00:00.000Z', readings: 1, formats: ['us-grant'] },
  ...{ ingested: 3, updated: 0, unchanged: 0, skipped: 0, failed: 0 },
};
const FAILURE = { position: 'record 3, byte 784', patent_id: 'US1A1', reason: 'title: missing <b>x</b>' };
const LEDGER: IngestedFile[] = [
  { ...file, path: '/data/old/one.zip', last_read: '2026-01-01T00:00:00.000Z' },
  ...['a', 'b'].map((name) => ({
    ...{ ...file, path: `/data/a/long/folder/${name}.zip` },
    ...{ last_read: '2026-01-02T00:00:05.000Z', run: '2026-01-02T00:00:00.000Z' },
  })),
  {
    ...{ ...file, path: '/data/bad.jsonl', failed: 102, failures: [FAILURE] },
    ...{ last_read: '2026-01-03T00:00:05.000Z', run: '2026-01-03T00:00:00.000Z' },
  },
];

describe('the operator', { skip: noBrowser }, () => {
  let site: DashboardSite;
  let engine: MemoryEngine;
  before(async () => {
    // The engine in memory has a ledger of two runs.
    engine = Object.assign(new MemoryEngine(), {
      sources: () => LEDGER.map(({ failures: _, ...file }) => file),
      source: (path: string) => LEDGER.find((file) => file.path === path),
    });
    site = await DashboardSite.open({ engine });
  });
  after(() => site?.close());

  it('begins maintenance in the dashboard, finds the page in it, and ends it', async () => {
    const { service } = site;
    const page = await site.asOperator('#/dashboard/health');
    await page.getByText('Maintenance is off.').waitFor();
    await page.getByRole('button', { name: 'Begin maintenance' }).click();
    assert.equal(service.access.maintenance(), undefined, 'only after the confirmation');
    await page.getByLabel('Retry-After for clients, s').fill('77');
    assert.deepEqual(await site.seriousOf(page), []);
    await page.getByRole('button', { name: 'Yes, begin' }).click();
    const since = () => service.access.maintenance()!.since.replace('T', ' ');
    await page.getByText('Not ready.').waitFor();
    await page.getByText('maintenance is on').waitFor();
    await page.getByText(`Maintenance since ${since().slice(0, 19)} UTC, Retry-After 77 s.`).waitFor();
    const header = page.locator('.frame-maintenance');
    await header.getByText(`Maintenance since ${since().slice(0, 16)} UTC`).waitFor();
    await header.getByText('Try again in 77 s or later').waitFor();
    await page.getByRole('link', { name: 'Ingests' }).click();
    await page.getByText('4 files were read to their end').waitFor();
    assert.deepEqual(await site.seriousOf(page), []);
    assert.equal((await service.search({ query: 'q' })).status, 503);

    // In a new browser: the page loads, says so, and the operator can sign in.
    const other = await site.visit('#/dashboard/health');
    await other.locator('.frame-maintenance').getByText('Try again in 77 s or later').waitFor();
    await other.getByText('During maintenance, only the operator can sign in.').waitFor();
    await site.signInOperator(other);
    await other.getByRole('button', { name: 'End maintenance' }).click();
    await other.getByRole('button', { name: 'Yes, end' }).click();
    await other.getByText('Ready: searches and other calls are answered.').waitFor();
    await other.locator('.frame-maintenance .note').waitFor({ state: 'detached' });
    assert.equal((await service.search({ query: 'q' })).status, 200);
  });

  it('a visitor reads that the server is in maintenance, and goes on when it ends', async () => {
    const { service } = site;
    await service.access.setMaintenance(true, 55);
    try {
      const page = await site.visit('');
      const header = page.locator('.frame-maintenance');
      await header.getByText('Try again in 55 s or later').waitFor();
      await page.getByRole('alert').getByText('in maintenance. Try again in 55 s.').waitFor();
      assert.deepEqual(await site.seriousOf(page), []);
      await service.access.setMaintenance(false);
      await header.getByRole('button', { name: 'Try again' }).click();
      await header.locator('.note').waitFor({ state: 'detached' });
      await page.getByRole('alert').waitFor({ state: 'detached' });
    } finally {
      await service.access.setMaintenance(false);
    }
  });

  it('reads whether the server is ready, and why not', async () => {
    const page = await site.asOperator('#/dashboard/health');
    await page.getByText('Ready: searches and other calls are answered.').waitFor();
    engine.missing = ['the pool is starting'];
    try {
      await page.getByText('Not ready.').waitFor();
      await page.getByText('the pool is starting').waitFor();
      assert.deepEqual(await site.seriousOf(page), []);
    } finally {
      engine.missing = [];
    }
  });

  it('reads the durations of searches by their names, refused calls apart, administration folded', async () => {
    const { service } = site;
    await service.search({ query: 'q' });
    await service.search({ query: 'q', top_k: 0 });
    const page = await site.asOperator('#/dashboard/health');
    const row = page.getByRole('row', { name: /^Search / });
    await row.waitFor();
    const cells = await row.getByRole('cell').allTextContents();
    const [requests, refused, failed] = cells.map(Number);
    assert.ok(requests! >= 2 && refused! >= 1 && failed! >= 0, cells.join());
    await page.getByText('with an error of 0.1 %').waitFor();
    const [table, frame] = await page.evaluate<[number, number]>(
      `(() => {
        const frame = document.querySelector('.scrolled');
        return [frame.querySelector('table').offsetWidth, frame.clientWidth];
      })()`,
    );
    assert.equal(table, frame, 'the table fills its frame');
    const administration = page.getByRole('row', { name: /^admin\.health/ });
    assert.equal(await administration.isVisible(), false);
    await page.getByText('Page and administration').click();
    await administration.waitFor();
  });

  it('finds what failed in a file, and one line for each run', async () => {
    const page = await site.asOperator('#/dashboard/ingests');
    await page.getByText('4 files were read to their end, those with failures, too.').waitFor();
    const runs = page.getByRole('region', { name: 'Runs' }).getByRole('row');
    await runs.first().waitFor();
    assert.deepEqual(
      (await runs.allTextContents()).slice(1),
      ['2026-01-03 00:00:00111023000', '2026-01-02 00:00:002006000'],
      'started, files, files with failures, failed, new, updated, unchanged, skipped',
    );
    await page.getByText('/data/a/long/folder/a.zip').waitFor();
    await page.getByRole('button', { name: '102 failures of /data/bad.jsonl' }).click();
    await page.getByText('record 3, byte 784 (US1A1): title: missing <b>x</b>').waitFor();
    await page.getByText('and 101 more').waitFor();
    assert.deepEqual(await site.seriousOf(page), []);
    await page.getByText('1–4 of 4').waitFor();
    await page.getByLabel('Only files with failures').check();
    await page.getByText('1–1 of 1').waitFor();
    await page.getByText('/data/a/long/folder/a.zip').waitFor({ state: 'detached' });
    assert.equal(await page.getByText('/data/bad.jsonl', { exact: true }).count(), 1);
  });

  it('reads on a phone what failed, without scrolling sideways', async () => {
    const width = 390;
    const page = await site.asOperator('#/dashboard/ingests', { viewport: { width, height: 844 } });
    const button = page.getByRole('button', { name: '102 failures of /data/bad.jsonl' });
    await button.click();
    const reason = page.getByText('record 3, byte 784 (US1A1): title: missing <b>x</b>');
    await reason.waitFor();
    for (const part of [button, reason]) {
      const { x, width: wide } = (await part.boundingBox())!;
      assert.ok(x >= 0 && x + wide <= width, `from ${x} to ${x + wide}`);
    }
  });

  it('reaches all files of a long list', async () => {
    const more = Array.from({ length: 440 }, (_, at) => ({
      ...{ ...file, path: `/data/many/${String(at).padStart(3, '0')}.zip` },
      ...{ last_read: '2025-12-01T00:00:00.000Z' },
    }));
    LEDGER.push(...more);
    try {
      const page = await site.asOperator('#/dashboard/ingests');
      const seen = new Set<string>();
      for (const [range, count] of [
        ['1–200 of 444', 200],
        ['201–400 of 444', 200],
        ['401–444 of 444', 44],
      ] as const) {
        await page.getByText(range).waitFor();
        const paths = await page.locator('th.path').allTextContents();
        assert.equal(paths.length, count);
        for (const path of paths) seen.add(path);
        const older = page.getByRole('button', { name: 'Older files' });
        if (count === 200) await older.click();
        else assert.equal(await older.count(), 0);
      }
      assert.equal(seen.size, 444);
      await page.getByRole('button', { name: 'Newer files' }).click();
      await page.getByText('201–400 of 444').waitFor();
    } finally {
      LEDGER.splice(LEDGER.length - more.length);
    }
  });

  it('creates keys of one account after another, from its card, and sees when they were used', async () => {
    const { access } = site.service;
    const acme = await access.createAccount({ name: 'Acme', plan: 'basic' });
    const page = await site.asOperator('#/dashboard/keys');
    const choice = page.locator('select[name="account"]');
    assert.equal(await choice.inputValue(), '', 'no account is chosen before');
    await page.getByLabel('Name', { exact: true }).fill('too early');
    await page.getByRole('button', { name: 'Create a key' }).click();
    assert.equal(await choice.evaluate((element) => element.matches(':invalid')), true);
    await page.goto(site.service.server.url.concat('/#/dashboard/accounts'));
    await page.getByRole('link', { name: 'Its keys Acme' }).click();
    await page.getByText('Keys of Acme.').waitFor();
    for (const name of ['server', 'second']) {
      await page.getByLabel('Name', { exact: true }).fill(name);
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.locator('.key-row', { hasText: name }).waitFor();
      assert.equal(await choice.inputValue(), acme.id, 'it stays chosen');
    }
    assert.equal(await page.locator('.key-row').count(), 2, 'only its keys');
    assert.equal(access.list().filter(({ account }) => account === acme.id).length, 2);
    await page.locator('.key-row', { hasText: 'second' }).getByText('not in the log of requests').waitFor();
    const secret = (await page.locator('.new-key code').textContent())!;
    assert.equal((await site.service.search({ query: 'q' }, { 'x-api-key': secret })).status, 200);
    await page.reload();
    await page.locator('.key-row', { hasText: 'second' }).getByText('last used 20').waitFor();
    assert.deepEqual(await site.seriousOf(page), []);
    await page.getByRole('link', { name: 'Keys of all accounts' }).click();
    await page.locator('.key-row', { hasText: 'Example' }).first().waitFor();
  });

  it('sees on the card of an account whether it has a password, and what each button did', async () => {
    const { access } = site.service;
    const made = await access.createAccount({ name: 'Carded', plan: 'free' });
    const page = await site.asOperator('#/dashboard/accounts');
    const card = page.locator('.key-row', { hasText: 'Carded' });
    await card.getByText('without a password').waitFor();
    await card.locator('summary').click();
    assert.equal(await card.getByRole('button', { name: 'Remove the password' }).count(), 0);
    await card.getByLabel('New password').fill(PASSWORD);
    await card.getByRole('button', { name: 'Set the password' }).click();
    await card.getByText('The password is set.').waitFor();
    await card.getByText('with a password', { exact: true }).waitFor();
    const remove = card.getByRole('button', { name: 'Remove the password' });
    for (const button of [remove, card.getByRole('button', { name: 'End its sessions' })])
      assert.equal(await button.getAttribute('class'), 'button', 'it is not the main button');
    assert.deepEqual(await site.seriousOf(page), []);
    const epoch = access.passwords.sessionEpoch(made.id);
    await card.getByRole('button', { name: 'End its sessions' }).click();
    await card.getByText('End all sessions of “Carded”?').waitFor();
    await card.getByRole('button', { name: 'Cancel' }).click();
    await card.getByRole('button', { name: 'End its sessions' }).click();
    assert.equal(access.passwords.sessionEpoch(made.id), epoch, 'only after the confirmation');
    assert.deepEqual(await site.seriousOf(page), []);
    await card.getByRole('button', { name: 'Yes, end them' }).click();
    await card.getByText('Its sessions have ended.').waitFor();
    assert.equal(access.passwords.sessionEpoch(made.id), epoch + 1);
    await remove.click();
    await card.getByText('Remove the password of “Carded”?').waitFor();
    assert.equal(access.passwords.isSet(made.id), true, 'only after the confirmation');
    await card.getByRole('button', { name: 'Yes, remove it' }).click();
    await card.getByText('The password is removed.').first().waitFor();
    await card.getByText('without a password').waitFor();
    assert.equal(access.passwords.isSet(made.id), false);
  });

  it('deletes an account after a confirmation, if it has no active keys', async () => {
    const { access } = site.service;
    const { id } = await access.createAccount({ name: 'Trial', plan: 'free' });
    const key = await access.createKey({ account: id, environment: 'production', name: 'server' });
    const isThere = () => access.accounts().some((account) => account.id === id);
    const page = await site.asOperator('#/dashboard/accounts');
    const card = page.locator('.key-row', { hasText: 'Trial' });
    await card.locator('summary').click();
    const button = card.getByRole('button', { name: 'Delete the account' });
    assert.equal(await button.getAttribute('class'), 'button', 'it is not the main button');
    await button.click();
    await card.getByText('Delete “Trial”? This cannot be taken back.').waitFor();
    assert.deepEqual(await site.seriousOf(page), []);
    await button.click();
    await card.getByRole('alert').getByText('has an active key; revoke it first').waitFor();
    assert.ok(isThere(), 'programs may use its key');
    await access.revoke(key.id);
    await button.click();
    await card.waitFor({ state: 'detached' });
    assert.equal(isThere(), false);
    const told = page.locator('[role="status"]:focus');
    await told.getByText('Done.').waitFor();
    assert.deepEqual(await site.seriousOf(page), []);
    await page.reload();
    await page.getByText('free – 30 searches a month').first().waitFor({ state: 'attached' });
    assert.equal(await card.count(), 0);
  });

  it('reads how large each plan is where it chooses one', async () => {
    const page = await site.asOperator('#/dashboard/accounts');
    const plans = page.locator('form[aria-label="Create an account"] select');
    await plans.waitFor();
    assert.deepEqual(await plans.locator('option').allTextContents(), [
      ...[
        'free – 30 searches a month',
        'basic – 300 searches a month',
        'pro – 1,000 searches a month',
        'enterprise – your own number',
      ],
    ]);
    await plans.selectOption('enterprise');
    assert.equal(await page.getByLabel('Searches a month', { exact: true }).first().inputValue(), '1000000');
    await page.getByLabel('Name', { exact: true }).first().fill('Large');
    await page.getByLabel('Searches a month', { exact: true }).first().fill('5000');
    await page.getByRole('button', { name: 'Create an account' }).click();
    await page.locator('.key-row', { hasText: 'Large' }).getByText('0 of 5,000 searches').waitFor();
  });

  it('is refused a password for the second account of a name, and reads why', async () => {
    const { access } = site.service;
    const { id: first } = await access.createAccount({ name: 'Gemini', plan: 'free' });
    const { id: second } = makeNamesake(site.service.accessFolder, 'Gemini');
    await access.passwords.set(first, PASSWORD);
    const page = await site.asOperator('#/dashboard/accounts');
    const card = page.locator('.key-row', { hasText: second });
    await card.locator('summary').click();
    await card.getByLabel('New password').fill(PASSWORD);
    await card.getByRole('button', { name: 'Set the password' }).click();
    await card.getByRole('alert').getByText(`Account ${first} signs in with this name`).waitFor();
    assert.equal(access.passwords.isSet(second), false);
    await site.asAccount('Gemini');
  });

  it('is signed in in every tab of the browser, and signs out in any', async () => {
    const page = await site.asOperator('#/dashboard/health');
    const another = async () => {
      const tab = await page.context().newPage();
      await tab.goto(`${site.service.server.url}/#/dashboard/health`);
      return tab;
    };
    const second = await another();
    await page.close();
    await second.getByRole('button', { name: 'Sign out' }).waitFor();
    const third = await another();
    await third.getByRole('button', { name: 'Sign out' }).click();
    for (const tab of [third, second]) await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
    // A browser that no operator used asks nothing of the administration, which would log a refusal.
    const visitor = await site.visit('#/dashboard');
    await visitor.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.deepEqual(site.faultsOf(visitor), []);
  });

  it('is called operator in the header of the dashboard', async () => {
    const page = await site.asOperator('#/dashboard/health');
    assert.equal(await page.locator('.frame-account').textContent(), 'Operator');
  });
});
