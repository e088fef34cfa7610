/** Metadata documents of clients: the flow of a real client with one, and fetches that must not happen. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type LookupFunction } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { AccessStore } from '../../src/access/store.js';
import { documentFetch, type Internet, isPublicAddress } from '../../src/http/oauth/document-fetch.js';
import { startServer } from '../../src/http/server.js';
import { OAUTH_DOCUMENT } from '../../src/limits.js';
import { createLog } from '../../src/observe/log.js';
import { LOCAL, MemoryEngine, onEachAdapter, Service } from '../api/service.js';
import { A, B } from '../http/certificates.js';
import { freePort } from '../http/free-port.js';
import { Kept, REDIRECT, Visitor } from './oauth-client.js';

const PASSWORD = 'correct horse battery';

/** A site that publishes documents. */
class Site {
  connections = 0;
  requests = 0;
  answer: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  #server!: Server;

  async start(): Promise<void> {
    this.#server = createServer(A, (request, response) => {
      this.requests++;
      this.answer(request, response);
    }).listen(0, '127.0.0.1');
    this.#server.on('connection', () => this.connections++);
    await once(this.#server, 'listening');
  }

  get address(): string {
    return `https://localhost:${(this.#server.address() as AddressInfo).port}/client.json`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** Names resolve to the given addresses. */
function resolvingTo(...addresses: string[]): LookupFunction {
  return (_, __, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
}

const internet = (changes: Partial<Internet> = {}): Internet => ({
  ...{ lookup: resolvingTo('127.0.0.1'), isPublic: () => true, ca: A.cert },
  ...changes,
});

describe('fetching a metadata document', () => {
  const site = new Site();
  before(() => site.start());
  after(() => site.stop());
  beforeEach(() => {
    site.connections = 0;
    site.answer = (_, response) => response.end('{}');
  });

  it('answers with the bytes and how long they hold', async () => {
    site.answer = (_, response) => response.setHeader('cache-control', 'max-age=600').end('{"x":1}');
    const { text, headers } = await documentFetch(internet())(site.address);
    assert.deepEqual([text, headers.get('cache-control')], ['{"x":1}', 'max-age=600']);
  });

  it('connects to no address that is not public, however it is written', async () => {
    const guarded = documentFetch(internet({ isPublic: isPublicAddress }));
    const { port } = new URL(site.address);
    for (const host of [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '0.0.0.0',
    ])
      await assert.rejects(guarded(`https://${host}:${port}/client.json`), /is not public/, host);
    await assert.rejects(guarded(site.address), /has an address that is not public/);
    // Some of several addresses.
    const mixed = documentFetch(
      internet({ lookup: resolvingTo('93.184.216.34', '10.0.0.1'), isPublic: isPublicAddress }),
    );
    await assert.rejects(mixed(site.address), /has an address that is not public/);
    await assert.rejects(guarded(site.address.replace('https', 'http')), /expected https/);
    assert.equal(site.connections, 0);
  });

  it('the address of the connection counts, even if the name resolves to a public address', async () => {
    let asked = 0;
    const rebinding = documentFetch(internet({ isPublic: () => asked++ === 0 }));
    const requests = site.requests;
    await assert.rejects(rebinding(site.address), /connected to an address that is not public/);
    assert.equal(site.requests, requests);
  });

  it('knows which addresses are public', () => {
    for (const address of ['8.8.8.8', '93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'])
      assert.ok(isPublicAddress(address), address);
    const hidden =
      '10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 127.0.0.1 0.0.0.0 100.64.0.1 192.0.2.1 198.18.0.1 ' +
      '224.0.0.1 255.255.255.255 ::1 :: fe80::1 fc00::1 fd12::1 ff02::1 ::ffff:10.0.0.1 ::ffff:8.8.8.8 64:ff9b::a00:1 ' +
      '2002:a00:1:: 2001:db8::1 2001::1 localhost';
    for (const address of hidden.split(' ')) assert.ok(!isPublicAddress(address), address);
  });

  it('follows no redirect, and accepts a 200 only', async () => {
    for (const status of [301, 302, 307, 204, 404, 500]) {
      site.answer = (_, response) =>
        response.writeHead(status, { location: 'https://169.254.169.254/' }).end();
      await assert.rejects(documentFetch(internet())(site.address), new RegExp(`status ${status}`));
    }
  });

  it('reads no more than the limit, in no more than the time', async () => {
    site.answer = (_, response) => response.end(Buffer.alloc(OAUTH_DOCUMENT.maxBytes + 1, 0x20));
    await assert.rejects(documentFetch(internet())(site.address), /more than 5120 bytes/);
    site.answer = (_, response) => void response.write('{');
    await assert.rejects(documentFetch(internet(), 300)(site.address), /abort|timeout/i);
    // A port that accepts and says nothing.
    const silent = createTcpServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    await assert.rejects(documentFetch(internet(), 300)(`https://localhost:${port}/`), /abort|timeout/i);
    silent.close();
  });

  it('a certificate that does not fit is refused', async () => {
    await assert.rejects(documentFetch(internet({ ca: B.cert }))(site.address), /certificate/);
  });

  it('fetches few documents at the same time', async () => {
    const held: ServerResponse[] = [];
    site.answer = (_, response) => void held.push(response);
    const fetchDocument = documentFetch(internet());
    const running = Array.from({ length: OAUTH_DOCUMENT.atOnce }, () => fetchDocument(site.address));
    await assert.rejects(fetchDocument(site.address), /too many/);
    while (held.length < OAUTH_DOCUMENT.atOnce) await new Promise((resolve) => setImmediate(resolve));
    for (const response of held) response.end('{}');
    await Promise.all(running);
  });
});

onEachAdapter('a client with a metadata document', (adapter) => {
  const site = new Site();
  let service: Service;
  let base: string;
  before(async () => {
    await site.start();
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    const parts = { fetchDocument: documentFetch(internet()) };
    service = await Service.start(adapter, 10_000, parts, { port, oauthEmbedded: 'on' });
    const account = await service.access.createAccount({ name: 'Kim', plan: 'free' });
    await service.access.passwords.set(account.id, PASSWORD);
  });
  after(async () => {
    await service.stop();
    site.stop();
  });

  const document = (changes: object = {}) => ({
    ...{
      client_id: site.address,
      client_name: 'A published client',
      redirect_uris: ['http://127.0.0.1/callback'],
    },
    token_endpoint_auth_method: 'none',
    ...changes,
  });

  it('discovery, sign-in, consent, token and call; the document is fetched once', async () => {
    site.answer = (_, response) => response.end(JSON.stringify(document()));
    // The port of a program on the person's machine differs each time.
    const kept = new Kept({ metadataUrl: site.address, redirect: REDIRECT });
    const transport = () => new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { authProvider: kept });
    const client = () => new Client({ name: 'test', version: '1' });
    const first = transport();
    await assert.rejects(client().connect(first), UnauthorizedError);
    assert.equal(kept.client?.client_id, site.address);
    const visitor = new Visitor();
    const { url } = await visitor.visit(kept.page!);
    const consent = await visitor.visit(url, { step: 'sign-in', account: 'Kim', password: PASSWORD });
    assert.match(consent.html, new RegExp(`A published client[^]*${new URL(site.address).host}`));
    const back = await visitor.visit(url, { step: 'allow' });
    await first.finishAuth(back.url.searchParams);
    const signedIn = client();
    await signedIn.connect(transport());
    const found = await signedIn.callTool({ name: 'search_patents', arguments: { query: 'x', top_k: 2 } });
    assert.equal((found.structuredContent as { total: number }).total, 2);
    await signedIn.close();
    assert.equal(site.requests, 1);
    assert.ok(service.access.list().some(({ name }) => name === 'A published client'));
  });

  /** A person opens the page of a sign-in that began here on another server of the folder. */
  async function onAnotherServer(seen: (open: () => Promise<Response>) => Promise<void>): Promise<void> {
    site.answer = (_, response) => response.end(JSON.stringify(document()));
    const access = AccessStore.open(service.accessFolder);
    const server = await startServer({
      engine: new MemoryEngine(),
      access,
      log: createLog('silent', { write: () => {} }),
      fetchDocument: documentFetch(internet()),
      config: { ...LOCAL, httpAdapter: adapter, publicUrl: base, oauthEmbedded: 'on' },
    });
    try {
      const url = new URL(`${base}/oauth/authorize`);
      url.search = new URLSearchParams({
        ...{ client_id: site.address, response_type: 'code', redirect_uri: REDIRECT },
        ...{ code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' },
      }).toString();
      const person = new Visitor();
      const { url: page } = await person.visit(url);
      const cookie = [...person.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
      await seen(() => fetch(`http://127.0.0.1:${server.port}${page.pathname}`, { headers: { cookie } }));
    } finally {
      await server.close();
      await access.close();
    }
  }

  it('another server of the folder ends the sign-in: it fetches the document, too', () =>
    onAnotherServer(async (open) => {
      const known = site.requests;
      const shown = await open();
      assert.equal(shown.status, 200);
      assert.match(await shown.text(), /A published client/);
      assert.equal(site.requests, known + 1);
    }));

  it('a document that is gone when the person answers ends the sign-in with a page', () =>
    onAnotherServer(async (open) => {
      site.answer = (_, response) => response.writeHead(404).end();
      const shown = await open();
      assert.equal(shown.status, 400);
      assert.match(shown.headers.get('content-type') ?? '', /^text\/html/);
    }));

  it('documents that are wrong are refused, and not kept', async () => {
    const wrong: ((id: string) => unknown)[] = [
      (id) => document({ client_id: `${id}x` }),
      (id) => document({ client_id: id, client_secret: 'x' }),
      (id) => document({ client_id: id, token_endpoint_auth_method: 'client_secret_post' }),
      (id) => document({ client_id: id, redirect_uris: ['http://app.example.com/'] }),
      (id) => document({ client_id: id, redirect_uris: [] }),
      () => [],
      () => 'text',
    ];
    for (const [n, wrongFor] of wrong.entries()) {
      // Each has an address of its own, because a document that was accepted is kept.
      const id = `${site.address}?${n}`;
      site.answer = (_, response) => response.end(JSON.stringify(wrongFor(id)));
      const url = new URL(`${base}/oauth/authorize`);
      url.search = new URLSearchParams({
        ...{ client_id: id, response_type: 'code', redirect_uri: REDIRECT },
        ...{ code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' },
      }).toString();
      const seen = await new Visitor('nowhere').visit(url);
      assert.ok(seen.status === 400 || seen.status === 401, `${n}: ${seen.status}`);
      assert.equal(seen.url.origin, base);
    }
  });

  it('an address without https is an unknown client', async () => {
    const { requests } = site;
    for (const id of [
      'http://localhost/x',
      'https://localhost/../x',
      'https://user@localhost/',
      'ftp://localhost/',
      'https://',
    ]) {
      const url = new URL(`${base}/oauth/authorize`);
      url.search = new URLSearchParams({
        client_id: id,
        response_type: 'code',
        redirect_uri: REDIRECT,
      }).toString();
      assert.equal((await new Visitor('nowhere').visit(url)).status, 400, id);
    }
    assert.equal(site.requests, requests);
  });
});

onEachAdapter('a client document from a private address', (adapter) => {
  it('is not fetched by a server as it is delivered', async () => {
    const site = new Site();
    await site.start();
    const port = await freePort();
    const service = await Service.start(adapter, 10_000, {}, { port, oauthEmbedded: 'on' });
    try {
      for (const address of [site.address, site.address.replace('localhost', '127.0.0.1')]) {
        const query = new URLSearchParams({
          client_id: address,
          response_type: 'code',
          redirect_uri: REDIRECT,
        });
        const { status, text } = await service.call(`/oauth/authorize?${query}`);
        assert.ok(status === 400 || status === 401, `${status}`);
        assert.doesNotMatch(text, /127\.0\.0\.1 is not public/, 'the reason is not for strangers');
      }
      assert.equal(site.connections, 0);
    } finally {
      await service.stop();
      site.stop();
    }
  });
});
