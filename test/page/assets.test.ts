/** How both HTTP adapters serve the files of the web page. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { S3Drawings } from '../../src/drawings/s3/drawings.js';
import { LANGUAGES } from '../../src/page/languages/index.js';
import { ADAPTERS } from '../adapters.js';
import { Service } from '../api/service.js';
import { ROOT } from '../house/checkout.js';

const PAGE = join(ROOT, 'dist/page');
const WEIGHT_MAX_BYTES = 300_000;
const notBuilt = existsSync(join(PAGE, 'index.html')) ? false : 'npm run build makes the page';

describe('the web page', { skip: notBuilt }, () => {
  for (const adapter of ADAPTERS) {
    describe(`on ${adapter}`, () => {
      let service: Service;
      before(async () => {
        service = await Service.start(adapter);
      });
      after(() => service.stop());
      const get = (path: string, headers: Record<string, string> = {}) =>
        fetch(service.server.url + path, { headers });

      it('is served without a key, and may load nothing from other hosts', async () => {
        const answer = await get('/');
        assert.equal(answer.status, 200);
        assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
        assert.equal(answer.headers.get('cache-control'), 'no-cache');
        const policy = answer.headers.get('content-security-policy') ?? '';
        assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/);
        assert.doesNotMatch(policy, /unsafe|https?:/);
        const html = await answer.text();
        assert.doesNotMatch(html, /<style|style=|<script(?![^>]*\bsrc=)|\bon[a-z]+=|https?:/i);
      });

      it('comes with the part of the language that the browser asks for', async () => {
        for (const [asked, language] of [
          ['ko-KR,ko;q=0.9,en-US;q=0.8', 'ko'],
          ['de, ja;q=0.5', 'ja'],
          ['zh-TW', 'zh'],
          ['en-GB, ko;q=0.9', 'en'],
          ['de', 'en'],
        ] as const) {
          const answer = await get('/', { 'accept-language': asked });
          assert.match(answer.headers.get('vary')!, /Accept-Language/);
          const html = await answer.text();
          assert.match(html, new RegExp(`<html lang="${language}">`), asked);
          const parts = [...html.matchAll(/modulepreload" href="page\/part-(ko|ja|zh)-/g)].map(
            ([, code]) => code,
          );
          assert.deepEqual(parts, language === 'en' ? [] : [language], asked);
          const etag = answer.headers.get('etag')!;
          const again = await get('/', { 'accept-language': asked, 'if-none-match': etag });
          assert.equal(again.status, 304);
        }
      });

      it('its files may be kept for ever, are compressed, and answer 304', async () => {
        const html = await (await get('/')).text();
        const files = [...html.matchAll(/(?:href|src)="(page\/[^"]+)"/g)].map(([, path]) => path!);
        assert.ok(files.length >= 3, String(files));
        for (const path of files) {
          const answer = await get(`/${path}`, { 'accept-encoding': 'gzip' });
          assert.equal(answer.status, 200, path);
          assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
          if (path.startsWith('page/page-')) assert.equal(answer.headers.get('content-encoding'), 'gzip');
          const etag = answer.headers.get('etag')!;
          assert.equal((await get(`/${path}`, { 'if-none-match': etag })).status, 304);
        }
      });

      it('answers 404 for a file that it does not have', async () => {
        for (const path of ['/page/.stamp', '/page/index.htm', '/page/..%2f..%2fpackage.json']) {
          assert.equal((await get(path)).status, 404, path);
        }
      });
    });
  }

  it(`weighs less than ${WEIGHT_MAX_BYTES / 1000} KB with all its parts that a visitor of a language may load`, (t) => {
    const names = readdirSync(PAGE);
    const weightOf = (name: string) => statSync(join(PAGE, name)).size;
    const weightOfAll = (all: readonly string[]) => all.reduce((sum, name) => sum + weightOf(name), 0);
    const languageOf = (name: string) =>
      name === 'index.html' ? 'en' : /^(?:part-|index\.)(en|ko|ja|zh)[-.]/.exec(name)?.[1];
    // The page, texts, texts of the dashboard, and titles of classes. Other English texts are in the parts for all.
    const counts = LANGUAGES.map((code) => names.filter((name) => languageOf(name) === code).length);
    assert.deepEqual(counts, [2, 4, 4, 4]);
    const common = weightOfAll(names.filter((name) => languageOf(name) === undefined));
    const own = LANGUAGES.map((code) => weightOfAll(names.filter((name) => languageOf(name) === code)));
    const weight = common + Math.max(...own);
    t.diagnostic(`${weight} bytes: ${common} for all languages, and ${own.join(', ')}`);
    assert.ok(weight > 10_000 && weight < WEIGHT_MAX_BYTES, `${weight} bytes`);
  });

  it('may show the drawings of a bucket, and nothing else of it', async () => {
    const drawings = new S3Drawings({
      ...{ origin: new URL('https://s3.example.com'), bucketPath: '/patents/', prefix: 'drawings/' },
      ...{ region: 'eu-central-1', credentials: { accessKeyId: 'id', secretAccessKey: 'secret' } },
    });
    const service = await Service.start('node', 10_000, { drawings });
    try {
      const answer = await fetch(`${service.server.url}/`);
      assert.equal(answer.status, 200);
      const policy = answer.headers.get('content-security-policy')!;
      assert.match(policy, /img-src 'self' https:\/\/s3\.example\.com;/);
      assert.equal(policy.split('s3.example.com').length, 2);
      // A browser that has the page of a server without this bucket gets the policy of this one.
      const etag = answer.headers.get('etag')!;
      const again = await fetch(`${service.server.url}/`, { headers: { 'if-none-match': etag } });
      assert.deepEqual([again.status, again.headers.get('content-security-policy')], [304, policy]);
      const bare = await Service.start('node');
      const before = (await fetch(`${bare.server.url}/`)).headers.get('etag')!;
      await bare.stop();
      const known = await fetch(`${service.server.url}/`, { headers: { 'if-none-match': before } });
      assert.equal(known.status, 200);
    } finally {
      await service.stop();
    }
  });

  it('is off with --page off', async () => {
    const service = await Service.start('node', 10_000, {}, { page: 'off' });
    try {
      for (const path of ['/', '/page/index.html']) {
        assert.equal((await fetch(service.server.url + path)).status, 404);
      }
    } finally {
      await service.stop();
    }
  });
});
