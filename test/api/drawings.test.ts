/** Specification 4.4 and its decisions, over HTTP, with real drawings and real links. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, it } from 'node:test';
import { openDrawings } from '../../src/drawings/open.js';
import { serverPort } from '../../src/engine.js';
import { type Engine, open } from '../../src/index.js';
import { loadConfig } from '../../src/load-config.js';
import { FIXTURES } from '../crash/folder.js';
import { noSharp } from '../drawings/images.js';
import { RawClient } from '../http/raw.js';
import { type Collection, collect } from '../search/collection.js';
import { type Answer, DETAILS, onEachAdapter, Service } from './service.js';

const PATH = '/api/v1/drawings';

onEachAdapter('4.4 GET /api/v1/drawings/{publication_id}/{filename}', (adapter) => {
  let collection: Collection;
  let engine: Engine;
  let service: Service;
  let publication: string;
  let file: string;
  before(async () => {
    collection = await collect(FIXTURES);
    engine = await open(collection.dir, { workers: 1 });
    const drawings = await openDrawings(collection.dir, loadConfig({ env: {} }));
    service = await Service.start(adapter, 30_000, { engine, drawings });
    const { results } = await engine.search({ query: 'robot cleaner docking station', top_k: 100 });
    const shown = results.find(({ representative_figure }) => representative_figure !== undefined);
    [publication, file] = [shown?.patent_id ?? '', shown?.representative_figure ?? ''];
  });
  after(async () => {
    await service.stop();
    await engine.close();
    collection.remove();
  });

  /** The path of a redirect. */
  const target = (asked: string, answer: Answer) => {
    const url = new URL(answer.headers.get('location') ?? '', service.server.url + PATH + asked);
    return url.pathname + url.search;
  };
  const ask = (path: string, init: RequestInit = {}): Promise<Answer> =>
    service.call(PATH + path, { redirect: 'manual', ...init });

  it('SPEC 4.4 is public, and redirects to the image; SPEC 4.4 URL assembly from an answer', {
    skip: noSharp,
  }, async () => {
    const answer = await ask(`/${publication}/${file}`);
    assert.equal(answer.status, 302);
    assert.equal(answer.text, '');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const image = await fetch(`${service.server.url}${PATH}/${publication}/${file}`);
    assert.equal(image.status, 200);
    assert.equal(image.headers.get('content-type'), 'image/webp');
    const bytes = Buffer.from(await image.arrayBuffer());
    assert.equal(bytes.toString('latin1', 0, 4) + bytes.toString('latin1', 8, 12), 'RIFFWEBP');
    assert.equal((await ask(`/${publication}/${file}`, { method: 'HEAD' })).status, 302);
  });

  it('SPEC 4.4 the link differs on every request', { skip: noSharp }, async () => {
    const links = new Set<string | null>();
    for (let i = 0; i < 20; i++) links.add((await ask(`/${publication}/${file}`)).headers.get('location'));
    assert.equal(links.size, 20);
  });

  it('a link keeps the path prefix of a proxy', { skip: noSharp }, async () => {
    const { headers } = await ask(`/${publication}/${file}`);
    const behind = `https://example.com/patents/search${PATH}/${publication}/${file}`;
    const { pathname } = new URL(headers.get('location') ?? '', behind);
    assert.match(pathname, /^\/patents\/search\/files\/drawings\/[0-9a-f]{64}\.webp$/);
  });

  it('an image can be fetched whole, in part or as a head; a client with the current image gets 304', {
    skip: noSharp,
  }, async () => {
    const path = target(`/${publication}/${file}`, await ask(`/${publication}/${file}`));
    const get = (headers: Record<string, string> = {}, method = 'GET') =>
      fetch(service.server.url + path, { headers, method });
    const whole = await get();
    const bytes = Buffer.from(await whole.arrayBuffer());
    const etag = whole.headers.get('etag')!;
    assert.equal(createHash('sha256').update(bytes).digest('hex'), etag.slice(1, -1));
    const head = await get({}, 'HEAD');
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(bytes.length)]);
    for (const [range, from, to] of [
      ['bytes=0-99', 0, 100],
      ['bytes=100-', 100, bytes.length],
      ['bytes=-7', bytes.length - 7, bytes.length],
    ] as const) {
      const part = await get({ range });
      assert.equal(part.status, 206);
      assert.equal(part.headers.get('content-range'), `bytes ${from}-${to - 1}/${bytes.length}`);
      assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(from, to), range);
      // Only GET has ranges.
      const whole = await get({ range }, 'HEAD');
      assert.deepEqual([whole.status, whole.headers.get('content-range')], [200, null]);
    }
    const beyond = await get({ range: `bytes=${bytes.length}-` });
    assert.deepEqual([beyond.status, beyond.headers.get('content-range')], [416, `bytes */${bytes.length}`]);
    assert.equal((await get({ 'if-none-match': etag })).status, 304);
  });

  it('an address has a limit of images a minute, separate from its calls', {
    skip: noSharp,
  }, async () => {
    const drawings = await openDrawings(collection.dir, loadConfig({ env: {} }));
    const strict = await Service.start(adapter, 30_000, { engine, drawings }, { publicRateLimit: 3 });
    try {
      const link = new URL(
        drawings.link(await serverPort(engine).findDrawing(publication, file)),
        strict.server.url,
      );
      const statuses: number[] = [];
      for (let i = 0; i < 4; i++) {
        const answer = await fetch(link);
        await answer.arrayBuffer();
        statuses.push(answer.status);
        if (answer.status === 429)
          assert.ok(
            Number(answer.headers.get('retry-after')) > 0,
            `expected Retry-After of at least 1 s: ${answer.headers.get('retry-after')}`,
          );
      }
      assert.deepEqual(statuses, [200, 200, 200, 429]);
      assert.equal((await strict.call('/api/v1/stats/coverage')).status, 200);
    } finally {
      await strict.stop();
    }
  });

  it('DECISIONS images in content: working links, with the public address if one is set', {
    skip: noSharp,
  }, async () => {
    const linksOf = async (asked: Service): Promise<string[]> => {
      const { json } = await asked.post(DETAILS, { patent_ids: [publication] });
      const { content } = json.patents[0];
      return [...content.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, link]) => link);
    };
    const links = await linksOf(service);
    assert.ok(links.length > 0, 'expected links to drawings in the content');
    for (const link of links) {
      assert.ok(link.startsWith(`${PATH}/${publication}/`), link);
      assert.equal((await service.call(link, { redirect: 'manual' })).status, 302, link);
    }
    const publicUrl = 'https://example.com/patents';
    const behind = await Service.start(adapter, 30_000, { engine }, { publicUrl });
    try {
      assert.deepEqual(
        await linksOf(behind),
        links.map((link) => publicUrl + link),
      );
      assert.deepEqual((await behind.call('/openapi.json')).json.servers, [{ url: publicUrl }]);
    } finally {
      await behind.stop();
    }
  });

  it('SPEC 4.4 other extensions are 400; SPEC 7 400 drawing extension', async () => {
    for (const name of ['x.gif', 'x.tif', 'x.webp.exe', 'x', 'webp', 'x.svg', 'x.webp%20', 'x.jpgg']) {
      const answer = await ask(`/US11000001B2/${name}`);
      assert.equal(answer.status, 400, name);
      assert.match(answer.json.detail, /\.webp, \.jpg, \.jpeg, \.png/);
    }
    for (const name of ['x.webp', 'x.jpg', 'x.JPEG', 'x.png'])
      assert.equal((await ask(`/US11000001B2/${name}`)).status, 404, name);
  });

  it('DECISIONS drawing does not exist: 404 {detail}', async () => {
    const [otherFile] = ['US11777158B2-D99999.webp'];
    for (const path of [
      `/${publication || 'X'}/${otherFile}`,
      `/unknown/${file || 'x.webp'}`,
      '/US1/a.webp',
    ]) {
      const answer = await ask(path);
      assert.equal(answer.status, 404, path);
      assert.deepEqual(Object.keys(answer.json), ['detail']);
    }
    assert.equal((await ask(`/${publication || 'X'}`)).status, 404, 'a path of another shape');
  });

  it('malicious paths are 400 or 404, and never reach a file', async () => {
    // Sent as bytes, because fetch resolves dots.
    const tricks = [
      '/..%2f..%2f..%2fetc/passwd.png',
      '/%2e%2e/%2e%2e%2fpasswd.webp',
      '/X/..%2f..%2fdata.mdb%00.webp',
      '/X/%00.webp',
      '/X/..%5c..%5cwindows.png',
      '/X/%252e%252e%252fa.webp',
      '/X/%c0%ae%c0%ae%c0%afa.webp',
      '/X/%ff.png',
      '/X/a%0d%0aSet-Cookie:%20x=1.png',
      '/../../etc/passwd.png',
      '/./X/./a.webp',
      '//etc//passwd.png',
      `/X/${'a'.repeat(3000)}.webp`,
      `/${'9'.repeat(3000)}/a.webp`,
      '/X/..webp',
      '/X/.webp',
      '/X/CON.webp',
      '/X/a.webp::$DATA.png',
      '/__proto__/constructor.png',
    ];
    for (const path of tricks) {
      const { status, body, headers } = await rawGet(service.server.port, PATH + path);
      assert.ok(status === 400 || status === 404, `${status} for ${path}`);
      assert.equal(headers.includes('set-cookie'), false, path);
      assert.doesNotMatch(body, /root:|\/tmp|node_modules/, path);
    }
    assert.equal((await service.call('/livez')).status, 200);
  });

  it('a changed link is 403 {detail}', { skip: noSharp }, async () => {
    const link = target(`/${publication}/${file}`, await ask(`/${publication}/${file}`));
    const forged = link.replace(/signature=(.)/, (_, first) => `signature=${first === 'A' ? 'B' : 'A'}`);
    const wrong = [link.split('?')[0]!, forged, `${link}&a=b`];
    for (const path of wrong) {
      const answer = await service.call(path);
      assert.equal(answer.status, 403, path);
      assert.deepEqual(Object.keys(answer.json), ['detail']);
    }
    assert.equal((await service.call('/files/drawings/..%2f..%2fstore%2fdata.mdb?expires=1')).status, 403);
  });
});

async function rawGet(
  port: number,
  path: string,
): Promise<{ status: number; headers: string; body: string }> {
  const client = new RawClient(port);
  try {
    client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const reply = await client.reply();
    assert.ok(reply, `connection closed without an answer: ${path}`);
    return { status: reply.status, headers: JSON.stringify(reply.headers), body: reply.body };
  } finally {
    client.destroy();
  }
}
