/** /mcp on both HTTP adapters: admission, limits, log, and bad input. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, it } from 'node:test';
import { RequestLog } from '../../src/access/request-log.js';
import { BODY_MAX_BYTES, MCP_BATCH_MAX } from '../../src/limits.js';
import { type Answer, onEachAdapter, Service } from '../api/service.js';
import { RawClient } from '../http/raw.js';
import { until } from '../until.js';

const ACCEPT = { accept: 'application/json, text/event-stream' };
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
};

type Headers = Record<string, string | undefined>;

function message(method: string, params: object = {}, id: number | string = 1) {
  return { jsonrpc: '2.0', id, method, params };
}

const search = (query = 'fuel cell', id = 1) =>
  message('tools/call', { name: 'search_patents', arguments: { query, top_k: 3 } }, id);

/** A request of the revision 2026-07-28, with its headers. */
function modern(method: string, params: Record<string, unknown> = {}): [body: object, headers: Headers] {
  const name = params['name'] === undefined ? {} : { 'mcp-name': String(params['name']) };
  const headers = { ...ACCEPT, 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...name };
  return [message(method, { ...params, _meta: META }), headers];
}

onEachAdapter('POST /mcp', (adapter) => {
  let service: Service;
  before(async () => {
    service = await Service.start(adapter);
  });
  after(() => service.stop());

  const post = (body: unknown, headers: Headers = {}): Promise<Answer> =>
    service.post('/mcp', body, { ...ACCEPT, ...headers });

  /** A key of a new account. */
  async function newKey(plan: 'free' | 'enterprise', of = service): Promise<{ id: string; secret: string }> {
    const account = await of.access.createAccount({ name: randomUUID(), plan });
    return of.access.createKey({ account: account.id, environment: 'test', name: 'test' });
  }

  /** The endpoints and statuses in the program's log of a key. */
  const logged = (key: string, of = service): string[] =>
    of.logLines
      .map((line) => JSON.parse(line) as { endpoint?: string; status?: number; key?: string })
      .filter((line) => line.key === key)
      .map(({ endpoint, status }) => `${endpoint} ${status}`);

  it('a key is needed: X-API-Key, or Authorization: Bearer', async () => {
    const without = await post(message('tools/list'), { 'x-api-key': undefined });
    assert.equal(without.status, 401);
    assert.ok(without.headers.get('www-authenticate'));
    const bearer = { 'x-api-key': undefined, authorization: `Bearer ${service.key}` };
    assert.equal((await post(message('tools/list'), bearer)).status, 200);
    const wrong = { 'x-api-key': undefined, authorization: 'Bearer psk_live_wrong' };
    assert.equal((await post(message('tools/list'), wrong)).status, 401);
    // Elsewhere, Bearer stays refused.
    assert.equal((await service.search({ query: 'x' }, bearer)).status, 401);
    const revoked = await newKey('enterprise');
    await service.access.revoke(revoked.id);
    assert.equal((await post(search(), { 'x-api-key': revoked.secret })).status, 403);
  });

  it('30 searches spread over HTTP and MCP use up a quota of 30, and no more', async () => {
    const { secret, id } = await newKey('free');
    const key = { 'x-api-key': secret };
    const asked = Array.from({ length: 60 }, async (_, n) => {
      if (n % 2 === 0) return (await service.search({ query: `q ${n}` }, key)).status === 200;
      const { json } = await post(search(`q ${n}`), key);
      if (!json.result.isError) return true;
      // Searches that are running may hold the rest of the quota.
      assert.match(json.result.content[0].text, /quota_exceeded.*(?:Do not call again|Wait 1 s)/s);
      return false;
    });
    const succeeded = (await Promise.all(asked)).filter(Boolean).length;
    assert.equal(succeeded, 30);
    const { json: late } = await post(search('late'), key);
    assert.match(late.result.content[0].text, /quota_exceeded.*Do not call again/s);
    const lines = logged(id);
    assert.equal(lines.length, 61);
    assert.equal(lines.filter((line) => line.endsWith(' 200')).length, 30);
    assert.equal(lines.filter((line) => line.startsWith('mcp.search_patents ')).length, 31);
  });

  it('the request log has one line for a tool call, with the name of the tool and the status of the call', async () => {
    const { secret, id } = await newKey('enterprise');
    const key = { 'x-api-key': secret };
    await post(message('tools/list'), key);
    await post(search(), key);
    await post(message('tools/call', { name: 'search_patents', arguments: { top_k: 0 } }), key);
    await post(message('tools/call', { name: 'get_coverage', arguments: {} }), key);
    const expected = ['mcp 200', 'mcp.search_patents 200', 'mcp.search_patents 422', 'mcp.get_coverage 200'];
    assert.deepEqual(logged(id), expected);
    const log = RequestLog.ofFolder(service.accessFolder);
    const lines = async () => (await log.page(id, 10)).lines;
    try {
      await until(async () => (await lines()).length === 4, 'the lines are stored');
      const stored = (await lines()).map(({ endpoint, status }) => `${endpoint} ${status}`);
      assert.deepEqual(stored.reverse(), expected);
    } finally {
      await log.close();
    }
  });

  it('a drawing without a file name is one call in the log', async () => {
    const { secret, id } = await newKey('enterprise');
    const details = service.engine.details;
    const found = { patent_id: 'US1A1', metadata: {}, content: 'x', representative_figure: 'D00001.webp' };
    const json = Buffer.from(JSON.stringify({ patents: [found] }));
    service.engine.details = async () => ({ json, etag: '"1"' });
    try {
      const asked = { publication_id: 'US1A1', as: 'link' };
      await post(message('tools/call', { name: 'get_drawing', arguments: asked }), { 'x-api-key': secret });
    } finally {
      service.engine.details = details;
    }
    assert.deepEqual(logged(id), ['mcp.get_drawing 200']);
  });

  it('maintenance holds for MCP', async () => {
    const own = await Service.start(adapter);
    try {
      await own.access.setMaintenance(true, 7);
      const answer = await own.post('/mcp', search(), ACCEPT);
      assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '7']);
    } finally {
      await own.stop();
    }
  });

  it('calls share the rate limit with HTTP; each message of a batch counts', async () => {
    const own = await Service.start(adapter, 10_000, {}, { rateLimit: 10 });
    try {
      const call = (body: unknown) => own.post('/mcp', body, ACCEPT);
      for (let n = 0; n < 3; n++) assert.equal((await own.search({ query: 'x' })).status, 200);
      for (let n = 0; n < 3; n++) assert.equal((await call(search())).status, 200);
      const batch = await call([search('a', 1), search('b', 2), search('c', 3)]);
      assert.equal(batch.status, 200);
      assert.deepEqual(batch.json.map(({ id }: { id: number }) => id).sort(), [1, 2, 3]);
      assert.equal(own.engine.queries.length, 9);
      assert.equal((await call([search('a', 1), search('b', 2)])).status, 429);
      const refused = await call(search());
      assert.equal(refused.status, 429);
      assert.ok(Number(refused.headers.get('retry-after')) >= 1);
      assert.equal((await own.search({ query: 'x' })).status, 429);
      assert.equal(own.engine.queries.length, 9);
    } finally {
      await own.stop();
    }
  });

  it('pages of other origins are refused; a name that is not this server’s, too', async () => {
    const origin = await post(search(), { origin: 'https://evil.example' });
    assert.deepEqual([origin.status, origin.headers.get('x-error-code')], [403, 'forbidden']);
    for (const own of [service.server.url, 'http://localhost:6274', 'https://[::1]'])
      assert.equal((await post(message('tools/list'), { origin: own })).status, 200, own);
    for (const other of [
      'null',
      'http://localhost.evil.example',
      'http://localhost@evil.example',
      'localhost',
    ])
      assert.equal((await post(search(), { origin: other })).status, 403, other);
    const body = JSON.stringify(message('tools/list'));
    const raw = async (host: string) => {
      const client = new RawClient(service.server.port);
      const lines = [
        'POST /mcp HTTP/1.1',
        `Host: ${host}`,
        `X-API-Key: ${service.key}`,
        'Content-Type: application/json',
        `Accept: ${ACCEPT.accept}`,
        `Content-Length: ${body.length}`,
      ];
      const reply = await client.write(`${lines.join('\r\n')}\r\n\r\n${body}`).reply();
      client.destroy();
      return reply?.status;
    };
    for (const host of ['localhost', '127.0.0.1:8080', '[::1]:1', 'LOCALHOST'])
      assert.equal(await raw(host), 200, host);
    for (const host of ['evil.example', '127.0.0.1.evil.example', 'a@localhost', '[::2]'])
      assert.equal(await raw(host), 403, host);
  });

  it('origins and names of the settings are accepted', async () => {
    const settings = {
      publicUrl: 'https://patents.example.com',
      corsOrigins: 'https://app.example.com',
      mcpHosts: 'inner:9000, 10.0.0.7',
    };
    const own = await Service.start(adapter, 10_000, {}, settings);
    try {
      const call = (headers: Headers) => own.post('/mcp', message('tools/list'), { ...ACCEPT, ...headers });
      const page = await call({ origin: 'https://app.example.com' });
      assert.equal(page.status, 200);
      assert.equal(page.headers.get('access-control-allow-origin'), 'https://app.example.com');
      assert.equal((await call({ origin: 'https://patents.example.com' })).status, 200);
      assert.equal((await call({ origin: 'https://other.example.com' })).status, 403);
      const preflight = await own.call('/mcp', {
        method: 'OPTIONS',
        headers: { origin: 'https://app.example.com', 'access-control-request-method': 'POST' },
      });
      assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /MCP-Protocol-Version/);
    } finally {
      await own.stop();
    }
  });

  it('bodies that are not a message are refused with the codes of JSON-RPC', async () => {
    const broken = await post('{"jsonrpc":');
    assert.deepEqual([broken.status, broken.json.error.code, broken.json.id], [400, -32700, null]);
    assert.equal((await post('')).json.error.code, -32700);
    assert.equal((await post(`${'['.repeat(100)}${']'.repeat(100)}`)).json.error.code, -32700);
    for (const body of [[], Array(MCP_BATCH_MAX + 1).fill(search())]) {
      const answer = await post(body);
      assert.deepEqual([answer.status, answer.json.error.code], [400, -32600]);
    }
    for (const body of [1, 'text', null, {}, { jsonrpc: '1.0', id: 1, method: 'ping' }]) {
      const answer = await post(JSON.stringify(body));
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.ok([-32700, -32600].includes(answer.json.error.code), answer.text);
    }
    const large = JSON.stringify(message('tools/list', { pad: 'x'.repeat(BODY_MAX_BYTES) }));
    assert.equal((await post(large)).status, 413);
    assert.equal((await post(search(), { 'content-type': 'text/plain' })).status, 415);
    assert.equal((await post(search(), { accept: 'text/html' })).status, 406);
  });

  it('only POST is served', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const answer = await service.call('/mcp', { method, headers: { 'x-api-key': service.key } });
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST'], method);
    }
  });

  it('version headers of 2026-07-28 that are missing or unequal are refused', async () => {
    const [body, headers] = modern('tools/call', { name: 'get_coverage', arguments: {} });
    assert.equal((await post(body, headers)).status, 200);
    for (const [changed, code] of [
      [{ 'mcp-method': 'tools/list' }, -32020],
      [{ 'mcp-method': undefined }, -32020],
      [{ 'mcp-name': 'search_patents' }, -32020],
      [{ 'mcp-protocol-version': '2025-11-25' }, -32020],
      [{ 'mcp-protocol-version': undefined }, -32020],
    ] as const) {
      const answer = await post(body, { ...headers, ...changed });
      assert.deepEqual([answer.status, answer.json.error.code], [400, code], JSON.stringify(changed));
    }
    const bare = await post(message('tools/list'), {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/list',
    });
    assert.deepEqual([bare.status, bare.json.error.code], [400, -32602]);
    const future = { ...META, 'io.modelcontextprotocol/protocolVersion': '2031-01-01' };
    const unknown = await post(message('tools/list', { _meta: future }), {
      'mcp-protocol-version': '2031-01-01',
      'mcp-method': 'tools/list',
    });
    assert.deepEqual([unknown.status, unknown.json.error.code], [400, -32022]);
    assert.equal((await post(search(), { 'mcp-protocol-version': '1999-01-01' })).status, 400);
  });

  it('unknown methods are errors of the protocol; there is nothing to subscribe to', async () => {
    const [body, headers] = modern('tools/none');
    const answer = await post(body, headers);
    assert.deepEqual([answer.status, answer.json.error.code], [404, -32601]);
    assert.equal((await post(message('tools/none'))).json.error.code, -32601);
    const [listen, listenHeaders] = modern('subscriptions/listen', { subscriptions: [] });
    assert.deepEqual((await post(listen, listenHeaders)).status, 404);
  });

  it('wrong tools and arguments are answered with what to do', async () => {
    const unknown = await post(message('tools/call', { name: 'serch_patents', arguments: {} }));
    assert.equal(unknown.json.error.code, -32602);
    assert.match(unknown.json.error.message, /did you mean search_patents/);
    assert.equal(
      (await post(message('tools/call', { name: 'search', arguments: [] }))).json.error.code,
      -32602,
    );
    const call = { name: 'landscape', arguments: { subject: 5 } };
    assert.deepEqual((await post(message('prompts/get', call))).json.error, {
      code: -32602,
      message: 'params.arguments.subject: expected a text',
    });
    for (const [name, args, expected] of [
      ['search_patents', {}, /query: missing; expected text of 1 to 10,000 characters/],
      ['search_patents', { query: 5 }, /query: got 5/],
      ['search_patents', { query: 'x', max_tokens: 'many' }, /max_tokens: got "many"; expected an integer/],
      ['search_patents', { query: 'x', countrys: ['KR'] }, /nearest known field is "countries"/],
      ['search_patents', { query: 'x', filing_date_from: '2021-02-29' }, /bad_date.*expected YYYY-MM-DD/],
      ['analyze_patents', { query: 'x', filing_date_from: '2020-01-01' }, /date_range \{from, to\}/],
      ['get_patents', {}, /patent_ids: missing/],
      ['get_patents', { patent_ids: ['a', 'b'], offset: 5 }, /offset: got 5; expected it with one number/],
      [
        'get_drawing',
        { publication_id: 'KR1' },
        /not_found.*publication_id: got "KR1"; expected the number of a stored publication/,
      ],
      [
        'get_drawing',
        { publication_id: 'KR1', filename: '../a' },
        /filename: got "..\/a"; expected a name that ends in/,
      ],
      ['get_drawing', { publication_id: 'KR1', filename: 'a.webp' }, /not_found/],
      ['get_coverage', { x: 1 }, /x: got 1; expected no arguments/],
      ['search', { q: 'x' }, /query: missing/],
      [
        'search',
        { query: 'x', top_k: 2, countries: ['KR'] },
        /unknown field "top_k".*unknown field "countries"/,
      ],
      ['get_patents', { patent_ids: ['KR1'], bibliography: true }, /unknown field "bibliography"/],
      ['analyze_patents', { query: 'x', top_k: 5 }, /unknown field "top_k"/],
      [
        'fetch',
        { id: 'KR1' },
        /^fetch failed \(not_found\): id: got "KR1"; expected the number of a stored publication\. Take numbers /,
      ],
    ] as const) {
      const { json } = await post(message('tools/call', { name, arguments: args }));
      assert.equal(json.result?.isError, true, `${name} ${JSON.stringify(args)}: ${JSON.stringify(json)}`);
      assert.match(json.result.content[0].text, expected);
    }
  });

  it('a fault of the server reveals nothing', async () => {
    const { search: working } = service.engine;
    service.engine.search = async () => {
      throw new Error('secret /srv/patents/data.mdb');
    };
    try {
      const { text, json } = await post(search());
      assert.equal(json.result.isError, true);
      assert.doesNotMatch(text, /secret|srv/);
      assert.ok(service.logLines.some((line) => line.includes('secret /srv')));
    } finally {
      service.engine.search = working;
    }
  });

  it('a search ends when its client disconnects, with one line in the log', async () => {
    const own = await Service.start(adapter);
    let started = false;
    own.engine.search = () => {
      started = true;
      return new Promise(() => {});
    };
    try {
      for (const [body, headers] of [
        [search(), {}],
        modern('tools/call', search().params as never),
      ] as const) {
        started = false;
        const stop = new AbortController();
        const asked = own.post('/mcp', body, { ...ACCEPT, ...headers }, { signal: stop.signal });
        asked.catch(() => {});
        await until(() => started, 'the search has begun');
        stop.abort();
        await until(() => own.engine.signals.at(-1)!.aborted, 'the search was told');
      }
      assert.equal(own.engine.signals.length, 2);
    } finally {
      await own.stop();
    }
    // The server has ended, so the log is whole.
    assert.deepEqual(logged(own.keyId, own), ['mcp.search_patents 499', 'mcp.search_patents 499']);
  });

  it('--mcp off turns the endpoints off', async () => {
    const own = await Service.start(adapter, 10_000, {}, { mcp: 'off' });
    try {
      assert.equal((await own.post('/mcp', search(), ACCEPT)).status, 404);
      assert.equal((await own.call('/mcp/sse', { headers: { 'x-api-key': own.key } })).status, 404);
    } finally {
      await own.stop();
    }
  });
});
