/** The stores that serve drawings: one suite for both, with real servers behind the links. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { contentOf, LocalDrawings } from '../../src/drawings/files.js';
import { pushDrawings } from '../../src/drawings/push.js';
import { S3Drawings } from '../../src/drawings/s3/drawings.js';
import { presign } from '../../src/drawings/s3/presign.js';
import { type Bucket, bucketOf } from '../../src/drawings/s3/settings.js';
import { linkSecret } from '../../src/drawings/secret.js';
import { SignedDrawings } from '../../src/drawings/signed.js';
import type { DrawingStore } from '../../src/drawings/store.js';
import { isPriorartError } from '../../src/errors.js';
import { ADAPTERS, type AdapterName } from '../adapters.js';
import { Service } from '../api/service.js';
import { until } from '../until.js';
import { noS3Server, S3Server } from './s3-server.js';

const folder = mkdtempSync(join(tmpdir(), 'priorart-drawing-stores-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const SECRET = 'x'.repeat(32);
/** Stores and servers do not decode images. */
const image = (name: string) => Buffer.from(`RIFF....WEBP ${name} ${'.'.repeat(2000)}`);

interface Served {
  store: DrawingStore;
  /** The same store with links that are valid for a second. */
  brief: DrawingStore;
  /** Follows a link as a client does. */
  url(link: string): string;
  stop(): Promise<void>;
}

async function signedBy(adapter: AdapterName): Promise<Served> {
  const dir = join(folder, adapter);
  const store = new SignedDrawings(dir, SECRET);
  const service = await Service.start(adapter, 10_000, { drawings: store });
  return {
    store,
    brief: new SignedDrawings(dir, SECRET, { seconds: 1 }),
    url: (link) => new URL(link, service.server.url).href,
    stop: () => service.stop(),
  };
}

async function inBucket(): Promise<Served> {
  const server = await S3Server.start(join(folder, 's3'));
  return {
    store: new S3Drawings(server.bucket),
    brief: new S3Drawings(server.bucket, 1),
    url: (link) => link,
    stop: () => server.stop(),
  };
}

const SERVED: [string, () => Promise<Served>, string | false][] = [
  ...ADAPTERS.map((name): (typeof SERVED)[number] => [`in a folder (${name})`, () => signedBy(name), false]),
  ['in a bucket', inBucket, noS3Server],
];

for (const [name, start, skip] of SERVED) {
  describe(`drawings ${name}`, { skip }, () => {
    let served: Served;
    let content: string;
    const bytes = image('first');
    before(async () => {
      served = await start();
      content = await served.store.put(bytes);
    });
    after(() => served.stop());
    const get = (link: string, headers: Record<string, string> = {}, method = 'GET') =>
      fetch(served.url(link), { headers, method, redirect: 'manual' });

    it('drawings are found by their content', async () => {
      assert.equal(content, contentOf(bytes));
      assert.equal(await served.store.has(content), true);
      assert.equal(await served.store.has(contentOf(image('never stored'))), false);
      assert.equal(await served.store.put(bytes), content, 'again');
      assert.deepEqual(Buffer.from(await served.store.read(content)), bytes);
      await assert.rejects(served.store.read(contentOf(image('never stored'))), isPriorartError);
      await assert.rejects(async () => served.store.has('../../etc/passwd'), TypeError);
    });

    it('a link serves a WebP image any number of times while it is valid', async () => {
      const link = served.store.link(content);
      for (let time = 0; time < 2; time++) {
        const answer = await get(link);
        assert.equal(answer.status, 200);
        assert.equal(answer.headers.get('content-type'), 'image/webp');
        assert.match(answer.headers.get('cache-control') ?? '', /^private, max-age=\d+, immutable$/);
        assert.deepEqual(Buffer.from(await answer.arrayBuffer()), bytes);
      }
    });

    it('each request gets a new link', () => {
      const links = new Set(Array.from({ length: 1000 }, () => served.store.link(content)));
      assert.equal(links.size, 1000);
    });

    it('a drawing is served in parts, and as 304 to a client that has it', async () => {
      const link = served.store.link(content);
      const part = await get(link, { range: 'bytes=5-9' });
      assert.equal(part.status, 206);
      assert.equal(part.headers.get('content-range'), `bytes 5-9/${bytes.length}`);
      assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(5, 10));
      assert.equal((await get(link, { range: `bytes=${bytes.length}-` })).status, 416);
      const etag = (await get(link)).headers.get('etag');
      assert.ok(etag);
      assert.equal((await get(link, { 'if-none-match': etag })).status, 304);
    });

    it('the server refuses a link after its time', async () => {
      // On a busy machine, its two seconds may be over before the first request.
      let link = '';
      await until(async () => {
        link = served.brief.link(content);
        return (await get(link)).status === 200;
      }, 'a link is valid at first');
      await until(async () => (await get(link)).status === 403, 'the link is refused after its time');
    });

    it('the server refuses a link with a changed name, time or signature', async () => {
      const other = await served.store.put(image('second'));
      const link = served.store.link(content);
      assert.equal((await get(link.replace(content, other))).status, 403, 'name');
      const flip = (text: string) => (text === 'a' ? 'b' : 'a');
      const changed = [
        link.replace(/([Ss]ignature=)(.)/, (_, key: string, first: string) => key + flip(first)),
        link.replace(/([Ss]ignature=.{20})(.)/, (_, key: string, first: string) => key + flip(first)),
        link.replace(/([Ee]xpires=)(\d+)/, (_, key: string, time: string) => key + String(Number(time) + 60)),
        link.replace(/(nonce=)(.)/, (_, key: string, first: string) => key + flip(first)),
      ];
      for (const wrong of changed) {
        assert.notEqual(wrong, link);
        assert.equal((await get(wrong)).status, 403, wrong);
      }
      assert.notEqual((await get(link.split('?')[0]!)).status, 200, 'no signature');
    });
  });
}

describe('links to a folder', () => {
  const dir = join(folder, 'links');
  const store = new SignedDrawings(dir, SECRET);
  const content = contentOf(image('a'));
  const [path, query] = store.link(content).split('?') as [string, string];
  const file = path.split('/').at(-1)!;
  const isInvalid = (error: unknown) => isPriorartError(error) && error.code === 'link_invalid';

  it('links are valid in every process with the same secret, and in no other', () => {
    assert.equal(new SignedDrawings(dir, SECRET).check(file, query).content, content);
    assert.throws(() => new SignedDrawings(dir, 'y'.repeat(32)).check(file, query), isInvalid);
  });

  it('links are parsed strictly', () => {
    const parts = query.split('&');
    for (const odd of [
      '',
      parts.toReversed().join('&'),
      `${query}&x=1`,
      `${query}=`,
      query.replace('expires=', 'expires=+'),
      `${query}${'A'.repeat(5000)}`,
      query.replace(/.$/, '%41'),
    ]) {
      assert.throws(() => store.check(file, odd), isInvalid, odd.slice(0, 100));
    }
    for (const odd of ['', content, `${content}.png`, `../${file}`, file.toUpperCase(), `${file}\0`]) {
      assert.throws(() => store.check(odd, query), isInvalid, odd);
    }
  });

  it('links expire to the second', () => {
    let now = 1_700_000_000_000;
    const timed = new SignedDrawings(dir, SECRET, { seconds: 300, now: () => now });
    const [, when] = timed.link(content).split('?') as [string, string];
    now += 299_000;
    assert.equal(timed.check(file, when).secondsLeft, 1);
    now += 1_000;
    assert.throws(() => timed.check(file, when), isInvalid);
  });
});

describe('the secret of links', () => {
  it('concurrent processes create one secret, accessible only to its owner', async () => {
    const dir = mkdtempSync(join(folder, 'secret-'));
    const child = fileURLToPath(new URL('./secret-process.js', import.meta.url));
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => new Promise((resolve) => fork(child, [dir]).once('message', resolve))),
    );
    assert.equal(new Set(answers).size, 1);
    assert.equal(linkSecret(dir), answers[0]);
    assert.ok(linkSecret(dir).length >= 43);
    const [file, ...others] = readdirSync(dir);
    assert.deepEqual(others, []);
    assert.equal(statSync(join(dir, file!)).mode & 0o777, 0o600);
  });

  it('the operator can set the secret, which must be long enough and readable', () => {
    const file = join(folder, 'own-secret');
    writeFileSync(file, `${SECRET}\n`);
    assert.equal(linkSecret(folder, file), SECRET);
    writeFileSync(file, 'short');
    const isUsage = (error: unknown) => isPriorartError(error) && error.code === 'usage';
    assert.throws(() => linkSecret(folder, file), isUsage);
    assert.throws(() => linkSecret(folder, join(folder, 'absent')), isUsage);
    assert.throws(() => linkSecret(join(folder, 'no such folder')), isUsage);
  });
});

describe('S3 settings', () => {
  const env = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SESSION_TOKEN: 'token' };
  const none = {
    s3Bucket: undefined,
    s3Endpoint: undefined,
    s3Region: 'eu-central-1',
    s3Prefix: 'drawings/',
  };
  const isUsage = (error: unknown) =>
    isPriorartError(error) && error.code === 'usage' && !error.message.includes('secret');

  it('settings name a bucket of Amazon, or of an endpoint', () => {
    assert.equal(bucketOf(none, {}), undefined);
    const amazon = bucketOf({ ...none, s3Bucket: 'patents' }, env);
    assert.equal(amazon?.origin.href, 'https://patents.s3.eu-central-1.amazonaws.com/');
    assert.equal(amazon?.bucketPath, '/');
    const dotted = bucketOf({ ...none, s3Bucket: 'patents.example' }, env);
    assert.equal(dotted?.origin.href, 'https://s3.eu-central-1.amazonaws.com/');
    assert.equal(dotted?.bucketPath, '/patents.example/');
    const own = bucketOf({ ...none, s3Bucket: 'patents', s3Endpoint: 'http://storage:9000' }, env);
    assert.equal(own?.origin.href, 'http://storage:9000/');
    assert.equal(own?.credentials.sessionToken, 'token');
  });

  it('invalid settings are refused, without printing a password', () => {
    const wrong = [
      { s3Bucket: 'Patents/../x' },
      { s3Bucket: 'patents', s3Prefix: '../up/' },
      { s3Bucket: 'patents', s3Region: 'eu central' },
      { s3Bucket: 'patents', s3Endpoint: 'storage' },
      { s3Bucket: 'patents', s3Endpoint: 'https://me:secret@storage' },
      { s3Bucket: 'patents', s3Endpoint: 'https://storage/path' },
    ];
    for (const more of wrong) assert.throws(() => bucketOf({ ...none, ...more }, env), isUsage);
    assert.throws(() => bucketOf({ ...none, s3Bucket: 'patents' }, {}), isUsage);
    assert.throws(() => bucketOf({ ...none, s3Bucket: 'patents' }, { AWS_ACCESS_KEY_ID: 'id' }), isUsage);
  });
});

describe('a presigned URL', () => {
  it('a presigned URL equals the example in the documentation of Signature Version 4', () => {
    const url = presign(
      { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
      {
        method: 'GET',
        origin: new URL('https://examplebucket.s3.amazonaws.com'),
        path: '/test.txt',
        region: 'us-east-1',
        seconds: 86_400,
        now: new Date('2013-05-24T00:00:00Z'),
      },
    );
    const signature = 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404';
    assert.equal(new URL(url).searchParams.get('X-Amz-Signature'), signature);
  });
});

describe('pushing drawings into a bucket', { skip: noS3Server }, () => {
  let server: S3Server;
  before(async () => {
    server = await S3Server.start(join(folder, 's3-push'));
  });
  after(() => server.stop());

  it('uploads missing files, skips damaged ones, and uploads nothing the second time', async () => {
    const local = new LocalDrawings(join(folder, 'push'));
    const names = Array.from({ length: 30 }, (_, i) => `drawing ${i}`);
    const contents = await Promise.all(names.map((name) => local.put(image(name))));
    const bucket = new S3Drawings(server.bucket);
    await bucket.put(image(names[0]!));
    truncateSync(local.path(contents[1]!), 5);
    const first = await pushDrawings(local, bucket);
    assert.deepEqual(
      { ...first, bytes: 0, failures: [] },
      {
        uploaded: 28,
        present: 1,
        bytes: 0,
        failed: 1,
        failures: [],
      },
    );
    assert.match(first.failures[0]!.reason, /checksum/);
    const size = names.slice(2).reduce((sum, name) => sum + image(name).length, 0);
    assert.equal(first.bytes, size);
    rmSync(local.path(contents[1]!));
    await local.put(image(names[1]!));
    const second = await pushDrawings(local, bucket);
    assert.equal(second.uploaded, 1);
    assert.equal(second.present, 29);
    assert.equal((await pushDrawings(local, bucket)).uploaded, 0);
    for (const [i, content] of contents.entries()) {
      const answer = await fetch(bucket.link(content));
      assert.deepEqual(Buffer.from(await answer.arrayBuffer()), image(names[i]!));
    }
  });

  it('lists more objects than one answer of the storage contains', async () => {
    const bucket = new S3Drawings(server.bucket);
    const shard = 'abc';
    const many = Array.from({ length: 1_005 }, (_, i) => `${shard}${String(i).padStart(61, '0')}`);
    const dir = join(folder, 's3-push', 'patents', 'drawings', shard);
    await bucket.put(image('makes the folder'));
    mkdirSync(dir, { recursive: true });
    for (const name of many) writeFileSync(join(dir, `${name}.webp`), 'x');
    assert.deepEqual([...(await bucket.list(shard))].sort(), many.sort());
    await assert.rejects(bucket.read(many[0]!), { code: 'data_corrupt' });
    await assert.rejects(bucket.read('0'.repeat(64)), { code: 'not_found' });
  });

  it('reports errors of the storage, without key or link', async () => {
    const refusals: [Partial<Bucket>, RegExp][] = [
      [{ credentials: { accessKeyId: 'test-access', secretAccessKey: 'wrong-secret' } }, /403/],
      [{ credentials: { accessKeyId: 'unknown', secretAccessKey: 'wrong-secret' } }, /40[134]/],
      [{ bucketPath: '/no-such-bucket/' }, /404 NoSuchBucket/],
    ];
    for (const [more, said] of refusals) {
      const bucket = new S3Drawings({ ...server.bucket, ...more });
      await assert.rejects(bucket.put(image('refused')), (error) => {
        assert.ok(isPriorartError(error), `expected a PriorartError: ${error}`);
        assert.match(error.message, said);
        assert.doesNotMatch(error.message, /-secret|Signature=|test-access/);
        return true;
      });
    }
  });

  it('sends a checksum that the storage verifies', async () => {
    const bytes = image('whole');
    const content = contentOf(bytes);
    const url = presign(server.bucket.credentials, {
      method: 'PUT',
      origin: server.bucket.origin,
      path: `/patents/drawings/${content.slice(0, 3)}/${content}.webp`,
      headers: { 'x-amz-checksum-sha256': Buffer.from(content, 'hex').toString('base64') },
      region: 'us-east-1',
      seconds: 60,
      now: new Date(),
    });
    const headers = { 'x-amz-checksum-sha256': Buffer.from(content, 'hex').toString('base64') };
    const answer = await fetch(url, { method: 'PUT', headers, body: image('wholf') });
    assert.equal(answer.status, 400);
    assert.equal(await new S3Drawings(server.bucket).has(content), false);
  });
});
