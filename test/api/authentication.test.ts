/** Specification 5 and the decisions on access, on one endpoint. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { newSecret } from '../../src/access/key.js';
import { until } from '../until.js';
import { ANALYTICS, COVERAGE, DETAILS, onEachAdapter, SEMANTIC, Service } from './service.js';

onEachAdapter('5 authentication', (adapter) => {
  let service: Service;
  before(async () => {
    service = await Service.start(adapter);
  });
  after(() => service.stop());

  async function expectStatus(key: string | undefined, status: number, word: string): Promise<void> {
    const answer = await service.search({ query: 'q' }, { 'x-api-key': key });
    assert.equal(answer.status, status, answer.text);
    assert.deepEqual(Object.keys(answer.json), ['detail']);
    assert.ok(answer.json.detail.includes(word), answer.json.detail);
    if (key) assert.equal(answer.text.includes(key), false, 'the answer repeats the key');
    assert.equal(service.engine.queries.length, 0);
  }

  it('SPEC 5.4 a missing header is 401', () => expectStatus(undefined, 401, 'missing'));
  it('SPEC 5.4 an empty header is 401', () => expectStatus('', 401, 'missing'));
  it('SPEC 5.4 an unknown key is 401', () => expectStatus(newSecret(), 401, 'not valid'));
  it('SPEC 5.4 a malformed key is 401', () => expectStatus('x'.repeat(3000), 401, 'not valid'));
  it('SPEC 5.2 a Bearer prefix is 401, and the message gives the reason', () =>
    expectStatus(`Bearer ${service.key}`, 401, 'without "Bearer"'));
  it('SPEC 5.2 a key in Authorization is ignored', async () => {
    const answer = await service.search(
      { query: 'q' },
      { 'x-api-key': undefined, authorization: service.key },
    );
    assert.equal(answer.status, 401);
    assert.match(answer.json.detail, /X-API-Key is missing; expected it, not Authorization/);
  });

  it('SPEC 5.1 every POST needs the key; drawings, coverage, health and the reference do not', async () => {
    for (const path of [SEMANTIC, ANALYTICS, DETAILS])
      assert.equal((await service.post(path, { query: 'q' }, { 'x-api-key': undefined })).status, 401, path);
    const open = [COVERAGE, '/livez', '/readyz', '/healthz', '/openapi.json', '/docs'];
    for (const path of open) assert.equal((await service.call(path)).status, 200, path);
    assert.equal((await service.call('/api/v1/drawings/x/x.webp')).status, 404);
  });

  it('SPEC 7 401: names the authentication scheme', async () => {
    const answer = await service.search({ query: 'q' }, { 'x-api-key': undefined });
    assert.match(answer.headers.get('www-authenticate') ?? '', /X-API-Key/);
  });

  it('DECISIONS order of checks: the key before content type, size and body', async () => {
    const bad = { 'x-api-key': undefined, 'content-type': 'text/plain' };
    assert.equal((await service.search('{', bad)).status, 401);
    assert.equal((await service.search('x'.repeat(2 << 20), bad)).status, 401);
  });

  it('SPEC 5.4 a deactivated key is 403; SPEC 3; SPEC 7 403: from the next request after revocation', async () => {
    const [account] = service.access.accounts();
    const made = await service.access.createKey({
      account: account!.id,
      environment: 'test',
      name: 'to revoke',
    });
    assert.equal((await service.search({ query: 'q' }, { 'x-api-key': made.secret })).status, 200);
    const flushed = service.access.revoke(made.id);
    const answer = await service.search({ query: 'q' }, { 'x-api-key': made.secret });
    assert.equal(answer.status, 403);
    assert.deepEqual(Object.keys(answer.json), ['detail']);
    await flushed;
    assert.equal((await service.search({ query: 'q' })).status, 200, 'another key of the same environment');
  });

  it('SPEC 5.5 keys stay secret: neither keys nor queries reach the log', async () => {
    const query = 'a confidential query';
    await service.search({ query });
    await service.search({ query, nope: 1 });
    const log = service.logLines.join('');
    assert.ok(
      log.includes('"endpoint":"semantic"') && log.includes(service.keyId),
      'the requests are logged',
    );
    assert.equal(log.includes(service.key), false);
    assert.equal(log.includes(query), false);
  });
});

onEachAdapter('503 while the key store cannot be read', (adapter) => {
  it('SPEC 7 503 authentication service down: for every key; /livez stays 200 and /readyz gives the reason', async () => {
    const service = await Service.start(adapter);
    try {
      assert.equal((await service.call('/readyz')).status, 200);
      // Replaced, as after a disk failure or a wrong restore. The server detects it within about a second.
      const file = join(service.accessFolder, 'keys.db');
      // The write-ahead log still holds every page of a small file.
      for (const path of [file, `${file}-wal`, `${file}-shm`]) rmSync(path);
      writeFileSync(file, Buffer.alloc(50_000, 0x5a));
      await until(
        async () => (await service.search({ query: 'q' }, { 'x-api-key': service.key })).status === 503,
        'the damage is noticed',
      );
      for (const key of [service.key, undefined, 'x']) {
        const answer = await service.search({ query: 'q' }, { 'x-api-key': key });
        assert.equal(answer.status, 503, answer.text);
        assert.ok(
          Number(answer.headers.get('retry-after')) >= 1,
          `expected Retry-After of at least 1 s: ${answer.headers.get('retry-after')}`,
        );
        assert.equal(answer.text.includes(service.accessFolder), false, 'the answer names a folder');
      }
      const ready = await service.call('/readyz');
      assert.equal(ready.status, 503);
      assert.ok(
        ready.json.detail.includes('key store'),
        `expected the key store as the reason: ${ready.json.detail}`,
      );
      assert.equal((await service.call('/livez')).status, 200);
    } finally {
      await service.stop();
    }
  });
});
