/** The authorization server while its state cannot be used: 503, and as before when the cause is gone. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { PriorartError } from '../../src/errors.js';
import { OAuthStore } from '../../src/http/oauth/store.js';
import { type Answer, onEachAdapter, Service } from '../api/service.js';
import { freePort } from '../http/free-port.js';
import { filled, smallDisk } from '../small-disk.js';
import { until } from '../until.js';
import { registered, statusOf, type Tokens, tokensFor } from './oauth-flow-helper.js';

const PASSWORD = 'correct horse battery';

onEachAdapter('the authorization server without its state', (adapter) => {
  /** @param t ends the server; absent: the caller does */
  async function started(t?: TestContext) {
    const port = await freePort();
    const base = `http://127.0.0.1:${port}`;
    const service = await Service.start(adapter, 10_000, {}, { port, oauthEmbedded: 'on' });
    t?.after(() => service.stop());
    const { id } = await service.access.createAccount({ name: 'Kim', plan: 'free' });
    await service.access.passwords.set(id, PASSWORD);
    const client = await registered(base, 'Editor');
    const tokens = await tokensFor(base, client, 'Kim', PASSWORD);
    const refresh = (refresh_token: string): Promise<Answer> =>
      service.call('/oauth/token', {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'refresh_token', client_id: client, refresh_token }),
      });
    const secret = readFileSync(join(service.accessFolder, 'admin-secret'), 'utf8').trim();
    const admin = (path: string, method = 'GET') =>
      service.call(`/admin/api/v1/grants${path}`, { method, headers: { authorization: `Bearer ${secret}` } });
    return { service, base, client, tokens, refresh, admin, folder: join(service.accessFolder, 'oauth') };
  }

  /** An answer of 503 as all others of this server. */
  function refused({ status, json, headers, text }: Answer): void {
    assert.equal(status, 503, text);
    assert.deepEqual(Object.keys(json), ['detail']);
    assert.ok(Number(headers.get('retry-after')) > 0);
  }

  it('its folder is renamed: no token is accepted, nothing is ended; it goes on when the folder is back', async (t) => {
    const { service, base, client, tokens, refresh, admin, folder } = await started(t);
    const [{ id }] = (await admin('')).json.grants;
    renameSync(folder, `${folder}-away`);
    assert.equal(await statusOf(base, tokens.access_token), 503);
    refused(await refresh(tokens.refresh_token));
    refused(await admin(''));
    refused(await admin(`/${id}/revoke`, 'POST'));
    const metadata = { client_name: 'New', redirect_uris: ['http://127.0.0.1/'] };
    refused(await service.post('/oauth/register', metadata, { 'x-api-key': undefined }));
    // Keys do not need it.
    assert.equal((await service.search({ query: 'x' })).status, 200);
    renameSync(`${folder}-away`, folder);
    assert.equal(await statusOf(base, tokens.access_token), 200);
    assert.equal((await refresh(tokens.refresh_token)).status, 200);
    assert.equal((await tokensFor(base, client, 'Kim', PASSWORD)).error, undefined);
  });

  it('its folder is replaced by a copy: what the copy holds counts', async (t) => {
    const { base, client, tokens, refresh, admin, folder } = await started(t);
    cpSync(folder, `${folder}-copy`, { recursive: true });
    rmSync(`${folder}-copy/data.mdb-lock`, { force: true });
    rmSync(`${folder}-copy/writers.mdb-lock`, { force: true });
    const later = await tokensFor(base, client, 'Kim', PASSWORD);
    assert.equal(await statusOf(base, later.access_token), 200);
    renameSync(folder, `${folder}-away`);
    renameSync(`${folder}-copy`, folder);
    // It is 503 until the other file is open.
    await until(
      async () => (await statusOf(base, tokens.access_token)) === 200,
      'the token of the copy works',
    );
    assert.equal(await statusOf(base, later.access_token), 401);
    const refreshed = await refresh(tokens.refresh_token);
    assert.equal(refreshed.status, 200, refreshed.text);
    const [{ id }] = (await admin('')).json.grants;
    assert.equal((await admin(`/${id}/revoke`, 'POST')).status, 200);
    assert.equal(await statusOf(base, (refreshed.json as Tokens).access_token), 401);
  });

  it('a grant that cannot be stored leaves no key behind', async (t) => {
    const { service, base } = await started(t);
    const other = await registered(base, 'Other');
    const active = () => service.access.list().filter(({ state }) => state === 'active').length;
    const before = active();
    const failing = t.mock.method(OAuthStore.prototype, 'putConnection', () =>
      Promise.reject(new PriorartError('unavailable', 'no room')),
    );
    const refused = await tokensFor(base, other, 'Kim', PASSWORD).catch(String);
    assert.ok(typeof refused === 'string' || refused.error !== undefined);
    assert.equal(failing.mock.callCount(), 1);
    assert.equal(active(), before);
    failing.mock.restore();
    assert.equal((await tokensFor(base, other, 'Kim', PASSWORD)).error, undefined);
    assert.equal(active(), before + 1);
  });

  it('a grant whose key cannot be revoked stays, and ends at the next call', async (t) => {
    const { service, base, tokens, admin } = await started(t);
    const [{ id, key }] = (await admin('')).json.grants;
    const failing = t.mock.method(service.access, 'revoke', () =>
      Promise.reject(new PriorartError('unavailable', 'the key store is locked', { retryAfter: 1 })),
    );
    refused(await admin(`/${id}/revoke`, 'POST'));
    assert.equal((await admin('')).json.grants.length, 1);
    failing.mock.restore();
    assert.equal((await admin(`/${id}/revoke`, 'POST')).status, 200);
    assert.equal(service.access.key(key).state, 'deactivated');
    assert.equal(await statusOf(base, tokens.access_token), 401);
  });

  it('the disk is full: a refresh token that was not exchanged works when there is room again', async (t) => {
    const disk = smallDisk(t, 48);
    if (typeof disk === 'string') return t.skip(disk);
    const before = process.env['TMPDIR'];
    mkdirSync(join(disk.dir, 'tmp'));
    process.env['TMPDIR'] = join(disk.dir, 'tmp');
    const { service, base, tokens, refresh } = await started().finally(() => {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    });
    try {
      const free = filled(disk.dir);
      // Room that the file has already is used up first.
      let last = tokens;
      let refusal: Answer | undefined;
      for (let turn = 0; turn < 2_000 && refusal === undefined; turn++) {
        const answer = await refresh(last.refresh_token);
        if (answer.status === 200) last = answer.json as Tokens;
        else refusal = answer;
      }
      assert.ok(refusal, 'the disk is never full');
      refused(refusal);
      free();
      const answer = await refresh(last.refresh_token);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(await statusOf(base, (answer.json as Tokens).access_token), 200);
      return undefined;
    } finally {
      // Before the disk goes.
      await service.stop();
    }
  });
});
