/**
 * Middleware between adapter and app: client addresses, CORS, compression, URLs; on both adapters if the effect is
 * visible.
 */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { HttpAdapter, HttpHandler, HttpReply, HttpRequest } from '../../src/http/adapters/adapter.js';
import { trustingProxies } from '../../src/http/admission/client-address.js';
import { acceptedCoding, withCompression } from '../../src/http/compression.js';
import { type MiddlewareConfig, middlewareOf } from '../../src/http/middleware.js';
import type { PreflightAnswer } from '../../src/http/preflight.js';
import { traceOf } from '../../src/http/trace-context.js';
import { COMPRESS_FROM_BYTES, URL_MAX_CHARS } from '../../src/limits.js';
import { ADAPTERS, CREATE } from '../adapters.js';
import fc from '../property.js';

describe('the address of a client behind proxies', () => {
  const by = (trusted: string, peer: string, value?: string) =>
    trustingProxies(trusted, 'x-forwarded-for')(peer, { 'x-forwarded-for': value });

  it("with a number of proxies, the client's address is the one that called the outermost proxy", () => {
    assert.equal(by('1', '10.0.0.1', '203.0.113.7'), '203.0.113.7');
    assert.equal(
      by('1', '10.0.0.1', '6.6.6.6, 203.0.113.7'),
      '203.0.113.7',
      'what a client adds is left of it',
    );
    assert.equal(by('2', '10.0.0.1', '6.6.6.6, 203.0.113.7, 10.0.0.2'), '203.0.113.7');
    assert.equal(by('2', '10.0.0.1', '203.0.113.7'), '203.0.113.7', 'fewer than there should be');
    assert.equal(by('1', '10.0.0.1'), '10.0.0.1');
  });

  it("with addresses of proxies, the client's address is the last one that is not a proxy", () => {
    const nets = '10.0.0.0/8, ::1';
    assert.equal(by(nets, '10.0.0.1', '6.6.6.6, 203.0.113.7, 10.9.9.9'), '203.0.113.7');
    assert.equal(by(nets, '203.0.113.9', '1.1.1.1'), '203.0.113.9', 'the peer itself is not a proxy');
    assert.equal(by(nets, '::1', '10.1.1.1, 10.2.2.2'), '10.1.1.1', 'all of them are: the outermost');
    assert.equal(
      by(nets, '10.0.0.1', '1.1.1.1, unknown'),
      '10.0.0.1',
      'the list ends at a part that is not an address',
    );
  });

  it('ports, brackets and IPv4 in IPv6 are parsed', () => {
    assert.equal(by('1', '::1', '203.0.113.7:4711'), '203.0.113.7');
    assert.equal(by('1', '::1', '[2001:db8::1]:80'), '2001:db8::1');
    assert.equal(by('1', '::1', '::ffff:203.0.113.7'), '203.0.113.7');
  });

  it('only Forwarded is read if that header is configured', () => {
    const read = trustingProxies('1', 'forwarded');
    const value = 'for=6.6.6.6, For="[2001:db8::9]:4711";proto=https;by=10.0.0.1';
    assert.equal(read('10.0.0.1', { forwarded: value, 'x-forwarded-for': '7.7.7.7' }), '2001:db8::9');
    assert.equal(read('10.0.0.1', { forwarded: 'for=_hidden' }), '10.0.0.1');
    assert.equal(read('10.0.0.1', { 'x-forwarded-for': '7.7.7.7' }), '10.0.0.1');
  });

  it('the result is an address for any header of a client', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('1', '3', '10.0.0.0/8'), (value, trusted) => {
        assert.match(by(trusted, '10.0.0.1', value), /^[0-9a-f.:]+$/i);
      }),
    );
  });

  it('refuses invalid settings', () => {
    for (const wrong of ['0', '11', '10.0.0.0/33', 'loopback', '10.0.0', '']) {
      assert.throws(() => trustingProxies(wrong, 'forwarded'), { code: 'usage' }, wrong);
    }
  });
});

describe('the coding of an answer', () => {
  it("the coding is the client's preferred one", () => {
    assert.equal(acceptedCoding(undefined), undefined);
    assert.equal(acceptedCoding('gzip, deflate, br'), 'gzip');
    assert.equal(acceptedCoding('br'), 'br');
    assert.equal(acceptedCoding('gzip;q=0.5, br;q=0.8'), 'br');
    assert.equal(acceptedCoding('gzip;q=0, br;q=0'), undefined);
    assert.equal(acceptedCoding('identity, deflate, *;q=0'), undefined);
    assert.equal(acceptedCoding('gzip;q=nonsense'), undefined);
  });
});

describe('trace context', () => {
  const of = (traceparent: string) => traceOf({ headers: { traceparent } } as never);
  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

  it('a trace continues with a new span', () => {
    const trace = of(`00-${TRACE}-00f067aa0ba902b7-01`);
    assert.equal(trace?.traceId, TRACE);
    assert.equal(trace?.parentId, '00f067aa0ba902b7');
    assert.match(trace?.header ?? '', new RegExp(`^00-${TRACE}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`));
    assert.equal(of(`cc-${TRACE}-00f067aa0ba902b7-01-later`)?.traceId, TRACE, 'a later version with more');
  });

  it('an invalid trace context is ignored', () => {
    for (const wrong of [
      '',
      'x',
      `00-${TRACE}-00f067aa0ba902b7`,
      `00-${TRACE}-00f067aa0ba902b7-01-more`,
      `ff-${TRACE}-00f067aa0ba902b7-01`,
      `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
      `00-${TRACE}-${'0'.repeat(16)}-01`,
      `00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01`,
    ]) {
      assert.equal(of(wrong), undefined, wrong);
    }
  });
});

const LARGE = JSON.stringify({ text: 'ein langer Text '.repeat(2_000) });
const ETAG = '"abc"';

const asItIs: PreflightAnswer = (_request, _endpoint, reply) => reply;

const app: HttpHandler = (request) => {
  const json = (body: string, headers: Record<string, string> = {}): HttpReply => ({
    status: 200,
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  if (request.path === '/api/large') return Promise.resolve(json(LARGE, { etag: ETAG, vary: 'X' }));
  if (request.path === '/api/unchanged') return { status: 304, headers: { etag: ETAG, vary: 'X' }, body: '' };
  if (request.path === '/api/image') {
    return { status: 200, headers: { 'content-type': 'image/webp' }, body: LARGE };
  }
  return json(request.path === '/api/just' ? 'x'.repeat(COMPRESS_FROM_BYTES - 1) : '{}');
};

it('compression frees the bytes of an answer that owns them, and no others', async () => {
  for (const ownsBody of [true, false]) {
    const body = new TextEncoder().encode(LARGE);
    const handler = withCompression(() => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body,
      ownsBody,
    }));
    const request = { method: 'GET', headers: { 'accept-encoding': 'gzip' } } as unknown as HttpRequest;
    const reply = await handler(request);
    assert.equal(gunzipSync(reply!.body as Buffer).toString(), LARGE);
    assert.equal(body.length, ownsBody ? 0 : Buffer.byteLength(LARGE));
  }
});

for (const name of ADAPTERS) {
  describe(`middleware (${name})`, () => {
    let adapter: HttpAdapter | undefined;
    afterEach(async () => {
      await adapter?.close(100);
      adapter = undefined;
    });

    async function start(config: MiddlewareConfig): Promise<string> {
      const middleware = middlewareOf(app, config, asItIs);
      const limits = { bodyMaxBytes: 1000, bodyDrainMaxBytes: 1000, bodyTimeoutMs: 1000 };
      const options = {
        ...middleware,
        ...limits,
        writeTimeoutMs: 5_000,
        connectionsMax: 100,
        onError: () => {},
        refuse: () => assert.fail(),
      };
      adapter = CREATE[name](options);
      return `http://127.0.0.1:${await adapter.listen('127.0.0.1', 0)}`;
    }

    /** fetch would decode the body. */
    async function raw(url: string, headers: Record<string, string>, method = 'GET') {
      const { request } = await import('node:http');
      return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>(
        (resolve, reject) => {
          const sent = request(url, { headers, method }, (answer) => {
            const parts: Buffer[] = [];
            answer.on('data', (part: Buffer) => parts.push(part));
            answer.on('end', () =>
              resolve({ status: answer.statusCode!, headers: answer.headers, body: Buffer.concat(parts) }),
            );
          });
          sent.on('error', reject);
          sent.end();
        },
      );
    }

    it('compresses large text for clients that accept it, and sets the headers', async () => {
      const url = await start({});
      for (const [coding, decode] of [
        ['gzip', gunzipSync],
        ['br', brotliDecompressSync],
      ] as const) {
        const { headers, body } = await raw(`${url}/api/large`, { 'accept-encoding': coding });
        assert.equal(headers['content-encoding'], coding);
        assert.equal(headers['vary'], 'X, Accept-Encoding');
        assert.equal(headers['etag'], `W/${ETAG}`);
        assert.equal(Number(headers['content-length']), body.length);
        assert.ok(
          body.length < LARGE.length / 4,
          `expected less than a quarter of ${LARGE.length} bytes: ${body.length}`,
        );
        assert.equal(decode(body).toString(), LARGE);
      }
      const plain = await raw(`${url}/api/large`, {});
      assert.deepEqual(
        [plain.headers['content-encoding'], plain.headers['vary'], plain.headers['etag']],
        [undefined, 'X, Accept-Encoding', ETAG],
      );
      assert.equal(plain.body.toString(), LARGE);
      const unchanged = await raw(`${url}/api/unchanged`, { 'accept-encoding': 'gzip' });
      assert.deepEqual(
        [unchanged.status, unchanged.headers['vary'], unchanged.headers['etag']],
        [304, 'X, Accept-Encoding', ETAG],
      );
    });

    it('does not compress small answers and images, and nothing if compression is off', async () => {
      const url = await start({});
      for (const path of ['/api/just', '/api/small', '/api/image']) {
        const { headers } = await raw(url + path, { 'accept-encoding': 'gzip' });
        assert.deepEqual([headers['content-encoding'], headers['vary']], [undefined, undefined], path);
      }
      await adapter!.close(100);
      const off = await start({ compression: 'off' });
      const { headers } = await raw(`${off}/api/large`, { 'accept-encoding': 'gzip' });
      assert.equal(headers['content-encoding'], undefined);
    });

    it('answers many requests at once, compressed or not, each completely', async () => {
      const url = await start({});
      const all = await Promise.all(
        Array.from({ length: 60 }, () => raw(`${url}/api/large`, { 'accept-encoding': 'gzip' })),
      );
      for (const { headers, body } of all) {
        const text = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
        assert.equal(text.toString(), LARGE);
      }
    });

    it('sends no CORS header unless an operator names origins', async () => {
      const url = await start({});
      const { headers } = await raw(`${url}/api/x`, { origin: 'https://page.example' });
      assert.deepEqual(
        Object.keys(headers).filter((field) => field.startsWith('access-control')),
        [],
      );
    });

    it('lets pages of named origins read answers, and answers their preflights', async () => {
      const origin = 'https://page.example';
      const url = await start({ corsOrigins: `${origin}, http://localhost:5173` });
      const read = await raw(`${url}/api/x`, { origin });
      assert.equal(read.headers['access-control-allow-origin'], origin);
      assert.match(String(read.headers['access-control-expose-headers']), /X-Request-Id.*Retry-After/);
      assert.equal(read.headers['access-control-allow-credentials'], undefined);
      const asked = { origin, 'access-control-request-method': 'POST' };
      const preflight = await raw(`${url}/api/v1/search/semantic`, asked, 'OPTIONS');
      assert.equal(preflight.status, 204);
      assert.equal(preflight.headers['access-control-allow-origin'], origin);
      assert.match(String(preflight.headers['access-control-allow-headers']), /X-API-Key/);
      for (const stranger of ['https://page.example.evil', 'http://page.example', 'null']) {
        for (const method of ['GET', 'OPTIONS']) {
          const { headers } = await raw(`${url}/api/x`, { ...asked, origin: stranger }, method);
          assert.equal(headers['access-control-allow-origin'], undefined, stranger);
          assert.equal(headers['vary'], 'Origin');
        }
      }
      const file = await raw(`${url}/files/drawings/x.webp`, { origin });
      assert.equal(file.headers['access-control-allow-origin'], origin, 'what a drawing redirects to');
      assert.match(String(file.headers['access-control-expose-headers']), /Content-Range/);
      const other = await raw(`${url}/admin/keys`, { origin });
      assert.equal(other.headers['access-control-allow-origin'], undefined, 'administration is not shared');
      for (const wrong of ['page.example', 'https://page.example/', 'https://a.example https://b.example']) {
        assert.throws(() => middlewareOf(app, { corsOrigins: wrong }, asItIs), { code: 'usage' }, wrong);
      }
    });

    it('refuses a URL that is too long with 414', async () => {
      const url = await start({});
      const path = `/api/${'x'.repeat(URL_MAX_CHARS - 5)}`;
      assert.equal((await raw(url + path, {})).status, 200);
      const { status, body } = await raw(`${url + path}?`, {});
      assert.equal(status, 200, 'the mark is not counted');
      assert.equal(body.toString(), '{}');
      const long = await raw(`${url + path}?q`, {});
      assert.equal(long.status, 414);
      assert.match(JSON.parse(long.body.toString()).detail, /too long/);
    });
  });
}
