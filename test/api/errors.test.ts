/** Specification 7 and the decisions on errors: statuses, bodies and headers. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, afterEach, before, it } from 'node:test';
import { type ErrorCode, PriorartError } from '../../src/errors.js';
import { until } from '../until.js';
import { MemoryEngine, onEachAdapter, SEMANTIC, Service } from './service.js';

onEachAdapter('7 errors', (adapter) => {
  let service: Service;
  before(async () => {
    service = await Service.start(adapter);
  });
  after(() => service.stop());
  afterEach(() => {
    service.engine.search = new MemoryEngine().search;
  });

  function failWith(error: unknown): void {
    service.engine.search = () => Promise.reject(error);
  }

  it('DECISIONS unknown path, method: a path is 404 {detail}; SPEC 9', async () => {
    for (const path of [
      '/api/v1/search',
      '/api/v1/search/semantic/',
      '/API/v1/search/semantic',
      '/%00',
      '/{x}',
    ]) {
      for (const method of ['GET', 'POST']) {
        const answer = await service.call(path, { method });
        assert.equal(answer.status, 404, path);
        assert.deepEqual(Object.keys(answer.json), ['detail']);
        assert.equal(answer.headers.get('content-type'), 'application/json');
      }
    }
  });

  it('DECISIONS unknown path, method: a method is 405 {detail} with Allow, before the key is checked', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const answer = await service.call(SEMANTIC, { method });
      assert.equal(answer.status, 405, method);
      assert.equal(answer.headers.get('allow'), 'POST');
      assert.deepEqual(Object.keys(answer.json), ['detail']);
    }
    const answer = await service.call('/livez', { method: 'POST' });
    assert.equal(answer.status, 405);
    assert.equal(answer.headers.get('allow'), 'GET, HEAD');
  });

  it('a 404 is logged with its path, bounded and escaped; other answers are logged without their path', async () => {
    const line = async (path: string, id: string) => {
      await service.call(path, { headers: { 'x-request-id': id } });
      const text = service.logLines.find((one) => one.includes(id)) ?? '{}';
      assert.match(text, /^[\x20-\x7e]*\n?$/);
      return JSON.parse(text).path;
    };
    assert.equal(await line('/api/v1/nothing?key=secret', 'lost-1'), '/api/v1/nothing');
    assert.equal(await line(`/${'x'.repeat(5_000)}`, 'lost-2'), `/${'x'.repeat(199)}…`);
    assert.equal(await line('/%0a%1b"<b>', 'lost-3'), new URL('http://x/%0a%1b"<b>').pathname);
    assert.equal(await line('/api/v1/drawings/KR1/a.webp', 'lost-4'), '/api/v1/drawings/KR1/a.webp');
    assert.equal(await line('/openapi.json', 'found-5'), undefined);
  });

  it('a query string does not change the endpoint', async () => {
    const headers = { 'x-api-key': service.key, 'content-type': 'application/json' };
    const answer = await service.call(`${SEMANTIC}?a=b`, { method: 'POST', headers, body: '{"query":"q"}' });
    assert.equal(answer.status, 200);
  });

  it('SPEC 7 500: an unexpected error gives the client only the request id; the log has the details', async () => {
    failWith(
      new TypeError("cannot read properties of undefined (reading 'secretThing') at /srv/data/index.faiss"),
    );
    const answer = await service.search({ query: 'q' }, { 'x-request-id': 'find-me' });
    assert.equal(answer.status, 500);
    assert.deepEqual(answer.json, { detail: 'internal error; the request id is find-me' });
    const line = service.logLines.find((text) => text.includes('secretThing'));
    assert.ok(line?.includes('find-me') && line.includes('TypeError'), 'not in the log');
  });

  it('SPEC 7 500: an embedding failure', async () => {
    failWith(new PriorartError('embedding_failed', 'model /srv/models/x.onnx failed'));
    const answer = await service.search({ query: 'q' });
    assert.equal(answer.status, 500);
    assert.match(answer.json.detail, /embedded/);
    assert.equal(answer.text.includes('/srv'), false);
  });

  it('SPEC 7 503 overload: with Retry-After', async () => {
    failWith(new PriorartError('overloaded', 'queue full', { retryAfter: 2.4 }));
    const answer = await service.search({ query: 'q' });
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.get('retry-after'), '3');
    assert.match(answer.json.detail, /overloaded/);
  });

  it('503: no data, or the engine unavailable, with Retry-After and without paths', async () => {
    for (const code of ['no_data', 'unavailable', 'cancelled'] satisfies ErrorCode[]) {
      failWith(new PriorartError(code, 'see /srv/data'));
      const answer = await service.search({ query: 'q' });
      assert.equal(answer.status, 503, code);
      assert.ok(
        Number(answer.headers.get('retry-after')) >= 1,
        `expected Retry-After of at least 1 s: ${answer.headers.get('retry-after')}`,
      );
      assert.equal(answer.text.includes('/srv'), false);
    }
  });

  it('DECISIONS order of checks: validation before overload', async () => {
    failWith(new PriorartError('overloaded', 'queue full'));
    assert.equal((await service.search({ query: '' })).status, 422);
  });

  it('SPEC 7 shape; DECISIONS error body: exactly {detail}, no stack, no path', async () => {
    const answers = await Promise.all([
      service.search('{'),
      service.search({ query: 5 }),
      service.search({ query: 'q' }, { 'x-api-key': 'x' }),
      service.call('/nowhere'),
    ]);
    for (const { text } of answers)
      assert.doesNotMatch(text, /node_modules|\.js|\.ts|\n\s+at |\/(home|srv|tmp|work)/);
  });

  it('a valid X-Request-Id of the client is returned, otherwise a new one, on every answer', async () => {
    const given = 'client-7.B:42/x_y';
    for (const answer of [
      await service.search({ query: 'q' }, { 'x-request-id': given }),
      await service.search({}, { 'x-request-id': given }),
      await service.search({ query: 'q' }, { 'x-request-id': given, 'x-api-key': undefined }),
      await service.call('/nowhere', { headers: { 'x-request-id': given } }),
      await service.call('/livez', { headers: { 'x-request-id': given } }),
    ]) {
      assert.equal(answer.headers.get('x-request-id'), given);
    }
    const made = new Set<string | null>();
    for (const odd of [undefined, '', 'a b', 'x'.repeat(129), '<script>', '"', 'a,b']) {
      const answer = await service.search({ query: 'q' }, { 'x-request-id': odd });
      const id = answer.headers.get('x-request-id');
      assert.match(id ?? '', /^[0-9a-f-]{36}$/);
      made.add(id);
    }
    assert.equal(made.size, 7);
  });

  it('a client that disconnects cancels its search; nothing is written to it', async () => {
    let arrived!: () => void;
    const started = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    service.engine.search = () => {
      arrived();
      return new Promise(() => {});
    };
    const sent = request(service.server.url + SEMANTIC, {
      method: 'POST',
      headers: { 'x-api-key': service.key, 'content-type': 'application/json', 'x-request-id': 'left-early' },
    });
    sent.on('error', () => {});
    sent.end('{"query":"q"}');
    await started;
    const signal = service.engine.signals.at(-1)!;
    assert.equal(signal.aborted, false);
    sent.destroy();
    await until(() => signal.aborted, 'the search is cancelled');
    const left = () => service.logLines.find((text) => text.includes('left-early'));
    await until(() => left() !== undefined, 'the disconnect is logged');
    const line = left();
    assert.equal(JSON.parse(line ?? '{}').status, 499);
  });
});

onEachAdapter('a search that outlasts the deadline', (adapter) => {
  it('a search that exceeds its deadline is answered 503 with Retry-After, even if the engine ignores the signal', async () => {
    const service = await Service.start(adapter, 50);
    try {
      service.engine.search = () => new Promise(() => {});
      const answer = await service.search({ query: 'q' });
      assert.equal(answer.status, 503);
      assert.ok(
        Number(answer.headers.get('retry-after')) >= 1,
        `expected Retry-After of at least 1 s: ${answer.headers.get('retry-after')}`,
      );
      assert.equal(service.engine.signals[0]?.aborted, true);
    } finally {
      await service.stop();
    }
  });
});
