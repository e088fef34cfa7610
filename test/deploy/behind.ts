/** The service for a client behind a proxy with the configuration of deploy/: equal on every proxy and adapter. */
import assert from 'node:assert/strict';
import { connect as connectHttp2 } from 'node:http2';
import { after, before, it } from 'node:test';
import { connect as connectSecurely } from 'node:tls';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { PriorartError } from '../../src/errors.js';
import { BODY_MAX_BYTES } from '../../src/limits.js';
import { COVERAGE, DETAILS, MemoryEngine, SEMANTIC } from '../api/service.js';
import { A } from '../http/certificates.js';
import { post } from '../http/raw.js';
import { until } from '../until.js';
import { jsonOf, type ProxiedService } from './proxy.js';

/** A search body of the given size, padded with spaces. */
function paddedSearch(bytes: number): string {
  const body = JSON.stringify({ query: 'q', top_k: 1 });
  return body + ' '.repeat(bytes - body.length);
}

export function itServesBehindAProxy(start: () => Promise<ProxiedService>): () => ProxiedService {
  let proxied: ProxiedService;
  before(async () => {
    proxied = await start();
  });
  after(() => proxied.stop());
  /** A search as bytes, for a client that writes raw bytes. */
  const rawSearch = (topK: number) =>
    post(SEMANTIC, JSON.stringify({ query: 'q', top_k: topK }), {
      'X-API-Key': proxied.service.key,
      'Content-Type': 'application/json',
    });

  it('answers a search, with a request id that the log has, too', async () => {
    const answer = await proxied.post(SEMANTIC, { query: 'q' }, { headers: { 'x-request-id': 'abc-1' } });
    assert.equal(answer.status, 200);
    assert.equal(jsonOf(answer)['total'], 10);
    assert.equal(answer.headers['x-request-id'], 'abc-1');
    assert.ok(proxied.service.logLines.some((line) => line.includes('"abc-1"')));
  });

  it('answers HTTP/2', async (t) => {
    const session = connectHttp2(`https://127.0.0.1:${proxied.port}`, { ca: A.cert });
    t.after(() => session.close());
    const body = JSON.stringify({ query: 'q', top_k: 3 });
    // Without Content-Length, as streamed bodies are sent.
    const stream = session.request({
      ':method': 'POST',
      ':path': SEMANTIC,
      'x-api-key': proxied.service.key,
      'content-type': 'application/json',
    });
    stream.end(body);
    let text = '';
    for await (const part of stream.setEncoding('utf8')) text += part;
    assert.equal(JSON.parse(text).total, 3);
  });

  it('refuses TLS 1.1', async () => {
    const socket = connectSecurely({
      host: '127.0.0.1',
      port: proxied.port,
      ca: A.cert,
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'ALL@SECLEVEL=0',
    });
    const error = await new Promise<Error>((resolve, reject) => {
      socket.on('error', resolve);
      socket.on('secureConnect', () => reject(new Error(`connected with ${socket.getProtocol()}`)));
    });
    assert.match(error.message, /version|handshake|disconnected|reset/i);
  });

  it('answers pipelined searches in order', async () => {
    const client = proxied.client().write(rawSearch(1) + rawSearch(2) + rawSearch(3));
    for (const total of [1, 2, 3]) {
      const reply = await client.reply();
      assert.equal(reply?.status, 200);
      assert.equal(JSON.parse(reply!.body).total, total);
    }
  });

  it('keeps connections open, on both sides', async () => {
    const client = proxied.client();
    for (let i = 1; i <= 50; i++) {
      client.write(rawSearch(1));
      assert.equal((await client.reply())?.status, 200, `search ${i}`);
    }
    assert.ok((await proxied.connections()) <= 20, `${await proxied.connections()} connections are open`);
  });

  it('forwards bodies of a mebibyte, and large answers', async () => {
    assert.equal((await proxied.post(SEMANTIC, paddedSearch(BODY_MAX_BYTES))).status, 200);
    const large = Buffer.from(JSON.stringify({ total: 1, results: ['한'.repeat(4_000_000)] }));
    // The server frees the bytes of an answer.
    proxied.service.engine.search = async () => Uint8Array.from(large);
    try {
      const answer = await proxied.post(SEMANTIC, { query: 'q' });
      assert.ok(answer.body.equals(large));
    } finally {
      proxied.service.engine.search = new MemoryEngine().search;
    }
  });

  it('answers a body that is too large 413 in JSON, from server or proxy', async () => {
    for (const bytes of [BODY_MAX_BYTES + 1, 3 * BODY_MAX_BYTES]) {
      const answer = await proxied.post(SEMANTIC, paddedSearch(bytes));
      assert.equal(answer.status, 413);
      assert.equal(answer.headers['x-error-code'], 'body_too_large');
      assert.match(String(jsonOf(answer)['detail']), /too large/);
    }
  });

  it('accepts a body in many small pieces', async () => {
    const client = proxied.client();
    const message = Buffer.from(rawSearch(4));
    for (let at = 0; at < message.length; at += 10) {
      client.write(message.subarray(at, at + 10));
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(JSON.parse((await client.reply())!.body).total, 4);
  });

  it('ends a request with an incomplete body', async () => {
    const client = proxied.client().write(rawSearch(4).slice(0, -5));
    const reply = await client.reply();
    assert.ok(reply === undefined || reply.status === 408, `${reply?.status}`);
  });

  it('compresses answers for clients that accept it, only once', async () => {
    const ask = (encoding: string) =>
      proxied.post(SEMANTIC, { query: 'q', top_k: 100 }, { headers: { 'accept-encoding': encoding } });
    const plain = await ask('identity');
    assert.equal(plain.headers['content-encoding'], undefined);
    const gzip = await ask('gzip');
    assert.equal(gzip.headers['content-encoding'], 'gzip');
    assert.ok(gunzipSync(gzip.body).equals(plain.body));
    const brotli = await ask('br');
    assert.equal(brotli.headers['content-encoding'], 'br');
    assert.ok(brotliDecompressSync(brotli.body).equals(plain.body));
    for (const answer of [gzip, brotli]) assert.match(answer.headers['vary'] ?? '', /accept-encoding/i);
  });

  it('answers 304 if the client has the current answer, and forwards the ETag of a POST', async () => {
    const details = await proxied.post(DETAILS, { patent_ids: ['US1'] });
    assert.deepEqual([details.status, details.headers.etag], [200, '"1"']);
    const coverage = await proxied.ask(COVERAGE);
    const again = await proxied.ask(COVERAGE, { headers: { 'if-none-match': coverage.headers.etag! } });
    assert.deepEqual([again.status, again.body.length, again.headers.etag], [304, 0, coverage.headers.etag]);
  });

  it('redirects to a drawing, and serves it whole, in part and as a head', async () => {
    const { path, bytes } = proxied.drawing;
    const redirect = await proxied.ask(path);
    assert.equal(redirect.status, 302);
    const base = `https://127.0.0.1:${proxied.port}${path}`;
    const link = new URL(redirect.headers.location!, base);
    assert.equal(link.origin, new URL(base).origin, redirect.headers.location);
    const image = link.pathname + link.search;
    const whole = await proxied.ask(image);
    assert.equal(whole.status, 200);
    assert.ok(whole.body.equals(bytes));
    for (const [range, from, to] of [
      ['bytes=0-99', 0, 100],
      ['bytes=1000000-3999999', 1_000_000, 4_000_000],
      ['bytes=-7', bytes.length - 7, bytes.length],
    ] as const) {
      const part = await proxied.ask(image, { headers: { range } });
      assert.equal(part.status, 206, range);
      assert.equal(part.headers['content-range'], `bytes ${from}-${to - 1}/${bytes.length}`);
      assert.ok(part.body.equals(bytes.subarray(from, to)), range);
    }
    const head = await proxied.ask(image, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers['content-length']], [200, String(bytes.length)]);
    const beyond = await proxied.ask(image, { headers: { range: `bytes=${bytes.length}-` } });
    assert.deepEqual([beyond.status, beyond.headers['content-range']], [416, `bytes */${bytes.length}`]);
    const known = await proxied.ask(image, { headers: { 'if-none-match': whole.headers.etag! } });
    assert.deepEqual([known.status, known.body.length], [304, 0]);
  });

  it("logs the client's address, not the address in the client's headers", () => knowsTheClient(proxied));

  it('restricts the administration to this machine', async () => {
    const path = '/admin/api/v1/plans';
    assert.equal((await proxied.ask(path)).status, 401, 'from this machine, without the secret');
    for (const written of [path, '/%61dmin/api/v1/plans', '/ADMIN/api/v1/plans']) {
      const { status } = await proxied.ask(written, { from: '127.0.0.9' });
      assert.ok(status === 403 || (written.startsWith('/ADMIN') && status === 404), `${written}: ${status}`);
    }
  });

  it('cancels a search after its client disconnects or closes its sending side', () =>
    cancelsWhatNobodyWaitsFor(proxied));

  it('accepts requests with underscores in header names', async () => {
    assert.equal((await proxied.ask('/livez', { headers: { my_header: '1' } })).status, 200);
  });

  it('forwards Retry-After of the server', async () => {
    proxied.service.engine.search = () => Promise.reject(new PriorartError('overloaded', 'internal detail'));
    try {
      const answer = await proxied.post(SEMANTIC, { query: 'q' });
      assert.deepEqual([answer.status, answer.headers['x-error-code']], [503, 'overloaded']);
      assert.ok(
        Number(answer.headers['retry-after']) > 0,
        `expected Retry-After of at least 1 s: ${answer.headers['retry-after']}`,
      );
    } finally {
      proxied.service.engine.search = new MemoryEngine().search;
    }
  });

  return () => proxied;
}

/** The log has the address of the client's connection, not those in its headers. */
export async function knowsTheClient(proxied: ProxiedService): Promise<void> {
  const headers = { 'x-forwarded-for': '203.0.113.7, 127.0.0.1', forwarded: 'for=203.0.113.8' };
  assert.equal((await proxied.ask(COVERAGE, { headers, from: '127.0.0.9' })).status, 200);
  assert.ok(
    proxied.clientsOf('coverage').includes('127.0.0.9'),
    `expected the address of the client: ${proxied.clientsOf('coverage')}`,
  );
  assert.ok(
    !proxied.clientsOf('coverage').some((client) => client.startsWith('203.')),
    `expected no address that a client invented: ${proxied.clientsOf('coverage')}`,
  );
}

/** If its client disconnects or closes its sending side, a search is cancelled before its deadline. */
export async function cancelsWhatNobodyWaitsFor(proxied: ProxiedService): Promise<void> {
  const { key, engine } = proxied.service;
  const { signals } = engine;
  const before = signals.length;
  const sent = post(SEMANTIC, '{"query":"q"}', { 'X-API-Key': key, 'Content-Type': 'application/json' });
  engine.search = () => new Promise(() => {});
  try {
    const leaving = proxied.client().write(sent);
    await until(() => signals.length > before, 'the search has begun');
    leaving.destroy();
    await until(() => signals[before]!.aborted, 'the search is cancelled');
    const half = proxied.client();
    half.socket.end(sent);
    assert.notEqual((await half.reply())?.status, 200);
    // A proxy may see the closed connection before it sends the request to the server.
    await until(() => signals.slice(before).every(({ aborted }) => aborted), 'the second is cancelled');
  } finally {
    engine.search = new MemoryEngine().search;
  }
}

/** A client that closes its sending side after its request gets the answer, if the proxy is configured for this. */
export async function answersHalfClosedClients(proxied: ProxiedService): Promise<void> {
  const { key } = proxied.service;
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  const half = proxied.client();
  half.socket.end(post(SEMANTIC, JSON.stringify({ query: 'q', top_k: 7 }), headers));
  const reply = await half.reply();
  assert.equal(JSON.parse(reply!.body).total, 7);
}

/** Must be the last test of a proxied service, because it ends the server. */
export function itTellsWhenTheServerIsGone(proxied: () => ProxiedService): void {
  it('answers 503 in JSON with Retry-After after the server ends', async () => {
    await proxied().service.server.close();
    await until(async () => {
      const answer = await proxied().post(SEMANTIC, { query: 'q' });
      assert.equal(answer.status, 503);
      assert.equal(answer.headers['x-error-code'], 'unavailable');
      assert.match(String(jsonOf(answer)['detail']), /cannot be reached/);
      return Number(answer.headers['retry-after']) > 0;
    }, 'the proxy sends Retry-After');
  });
}
