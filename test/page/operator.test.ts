/** What an operator finds in the dashboard: maintenance, readiness, durations. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { noBrowser } from '../house/browser.js';
import { DashboardSite } from './dashboard-site.js';

describe('the operator', { skip: noBrowser }, () => {
  let site: DashboardSite;
  before(async () => {
    site = await DashboardSite.open();
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
    await header.getByText('Retry-After: 77 s').waitFor();
    assert.deepEqual(await site.seriousOf(page), []);
    assert.equal((await service.search({ query: 'q' })).status, 503);

    // In a new browser: the page loads, says so, and the operator can sign in.
    const other = await site.visit('#/dashboard/health');
    await other.locator('.frame-maintenance').getByText('Retry-After: 77 s').waitFor();
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
      await header.getByText('Retry-After: 55 s').waitFor();
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
    const { engine } = site.service;
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
    const administration = page.getByRole('row', { name: /^admin\.health/ });
    assert.equal(await administration.isVisible(), false);
    await page.getByText('Page and administration').click();
    await administration.waitFor();
  });

  it('is called operator in the header of the dashboard', async () => {
    const page = await site.asOperator('#/dashboard/health');
    assert.equal(await page.locator('.frame-account').textContent(), 'Operator');
  });
});
