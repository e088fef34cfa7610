/** Drawings in a bucket: the command uploads them, and the server redirects clients there. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openDrawings } from '../../src/drawings/open.js';
import { S3Drawings } from '../../src/drawings/s3/drawings.js';
import { type Engine, open } from '../../src/index.js';
import { loadConfig } from '../../src/load-config.js';
import { ADAPTERS } from '../adapters.js';
import { FIXTURES, priorart } from '../crash/folder.js';
import { noSharp } from '../drawings/images.js';
import { noS3Server, S3Server } from '../drawings/s3-server.js';
import { type Collection, collect } from '../search/collection.js';
import { Service } from './service.js';

describe('drawings in a bucket, from the command to the client', { skip: noS3Server || noSharp }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'priorart-bucket-'));
  let collection: Collection;
  let engine: Engine;
  let server: S3Server;
  let flags: string[];
  before(async () => {
    server = await S3Server.start(folder);
    collection = await collect(FIXTURES);
    engine = await open(collection.dir, { workers: 1 });
    const { origin, credentials } = server.bucket;
    process.env['AWS_ACCESS_KEY_ID'] = credentials.accessKeyId;
    process.env['AWS_SECRET_ACCESS_KEY'] = credentials.secretAccessKey;
    flags = ['--s3-bucket', 'patents', '--s3-endpoint', origin.origin, '--s3-prefix', 'figures/'];
  });
  after(async () => {
    delete process.env['AWS_ACCESS_KEY_ID'];
    delete process.env['AWS_SECRET_ACCESS_KEY'];
    await engine.close();
    await server.stop();
    collection.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('`priorart drawings push` uploads each drawing once, and reports a missing bucket', async () => {
    const push = () => priorart('drawings', 'push', '--data', collection.dir, '--json', ...flags);
    const first = await push();
    assert.equal(first.code, 0, first.stderr);
    const { uploaded, present, failed } = JSON.parse(first.stdout);
    assert.ok(uploaded > 0, `expected uploaded files: ${uploaded}`);
    assert.deepEqual([present, failed], [0, 0]);
    const second = JSON.parse((await push()).stdout);
    assert.deepEqual([second.uploaded, second.present], [0, uploaded]);
    const without = await priorart('drawings', 'push', '--data', collection.dir);
    assert.equal(without.code, 2);
    assert.match(without.stderr, /--s3-bucket/);
    for (const { stdout, stderr } of [first, without])
      assert.equal((stdout + stderr).includes(server.bucket.credentials.secretAccessKey), false);
  });

  for (const adapter of ADAPTERS) {
    it(`the endpoint redirects there, with a new link each time (${adapter})`, async () => {
      const config = loadConfig({
        env: {},
        flags: { s3Bucket: 'patents', s3Endpoint: server.bucket.origin.origin, s3Prefix: 'figures/' },
      });
      const drawings = await openDrawings(collection.dir, config);
      assert.ok(drawings instanceof S3Drawings);
      const service = await Service.start(adapter, 10_000, { engine, drawings });
      try {
        const { results } = await engine.search({ query: 'robot cleaner docking station', top_k: 100 });
        const shown = results.find(({ representative_figure }) => representative_figure !== undefined)!;
        const path = `/api/v1/drawings/${shown.patent_id}/${shown.representative_figure}`;
        const links = [];
        for (let i = 0; i < 3; i++) {
          const answer = await service.call(path, { redirect: 'manual' });
          assert.equal(answer.status, 302);
          links.push(answer.headers.get('location') ?? '');
        }
        assert.equal(new Set(links).size, 3);
        for (const link of links) {
          assert.ok(link.startsWith(server.bucket.origin.origin), link);
          const image = await fetch(link);
          assert.equal(image.status, 200);
          assert.equal(image.headers.get('content-type'), 'image/webp');
        }
        const [link] = links as [string];
        assert.equal((await fetch(link.replace(/X-Amz-Signature=./, 'X-Amz-Signature=g'))).status, 403);
        const log = service.logLines.join('');
        assert.doesNotMatch(log, /X-Amz-Signature|test-secret/);
        assert.equal((await service.call(`/files/drawings/${'0'.repeat(64)}.webp?expires=1`)).status, 404);
      } finally {
        await service.stop();
      }
    });
  }
});
