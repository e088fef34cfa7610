/** Drawings of an index on a cluster: in a real S3 bucket, the same as those of a data folder. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { answerSearch } from '../../src/cluster/answers.js';
import { ClusterClient } from '../../src/cluster/client.js';
import { imagesIn } from '../../src/cluster/drawings.js';
import { readMeta } from '../../src/cluster/meta.js';
import { migrateToCluster, migrateToFolder } from '../../src/cluster/migrate.js';
import { reindex } from '../../src/cluster/reindex.js';
import { settingsOf } from '../../src/cluster/settings.js';
import { totalsOf } from '../../src/cluster/totals.js';
import { contentOf, LocalDrawings } from '../../src/drawings/files.js';
import { openDrawings } from '../../src/drawings/open.js';
import { type Engine, open, serverPort } from '../../src/engine.js';
import type { IngestOptions, IngestSummary } from '../../src/index.js';
import { loadConfig } from '../../src/load-config.js';
import { EngineApi } from '../../src/mcp/engine-api.js';
import { closeModels, loadModels } from '../../src/models/load.js';
import type { RerankDocument } from '../../src/rerank/reranker.js';
import { uncancelled } from '../../src/search/cancel.js';
import { parseSemantic } from '../../src/search/query.js';
import { Service } from '../api/service.js';
import { checked, FIXTURES, priorart } from '../crash/folder.js';
import { noSharp, pattern, png, tiffG4 } from '../drawings/images.js';
import { noS3Server, S3Server } from '../drawings/s3-server.js';
import { grantXml, zipOf } from '../ingest/documents.js';
import { serving } from '../serving.js';
import { proxyOf } from './proxy.js';
import { missingForCluster, type StartedCluster, startedCluster } from './started.js';

const skip = (await missingForCluster()) || noS3Server || noSharp;

const US = FIXTURES[0]!;

/** A drawing that an answer shows. */
interface Shown {
  publication: string;
  file: string;
}

describe('drawings on a cluster', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'priorart-cluster-drawings-'));
  const original = join(folder, 'original');
  let folders = 0;
  let cluster: StartedCluster;
  let server: S3Server;
  let ids: string[];
  /** Those of the folder, and the summaries of their ingest. */
  let shown: Shown[];
  const expected: IngestSummary['drawings'][] = [];

  before(async () => {
    [cluster, server] = await Promise.all([startedCluster(), S3Server.start(join(folder, 'buckets'))]);
    process.env['AWS_ACCESS_KEY_ID'] = server.bucket.credentials.accessKeyId;
    process.env['AWS_SECRET_ACCESS_KEY'] = server.bucket.credentials.secretAccessKey;
    const engine = await open(original, { create: true, workers: 0 });
    for (const source of FIXTURES) expected.push(await drawingsOf(engine, source));
    ids = await idsOf(engine);
    shown = await shownBy(engine);
    await engine.close();
  });
  after(async () => {
    delete process.env['AWS_ACCESS_KEY_ID'];
    delete process.env['AWS_SECRET_ACCESS_KEY'];
    await server?.stop();
    await cluster?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const fresh = () => join(folder, String(++folders));
  const put = (files: Record<string, string | Buffer>): string => {
    const dir = fresh();
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, name)), { recursive: true });
      writeFileSync(join(dir, name), content);
    }
    return dir;
  };

  /** A new index with a prefix of its own in the bucket. */
  const place = (endpoint = server.bucket.origin.origin) => {
    const index = `drawings-${randomUUID()}`;
    const drawings = { bucket: 'patents', endpoint, prefix: `${index}/` };
    return { nodes: cluster.urls, index, knnEngine: 'lucene', replicas: 0, drawings } as const;
  };
  type Place = ReturnType<typeof place>;

  async function onCluster<T>(
    address: Omit<Place, 'drawings'> & Partial<Pick<Place, 'drawings'>>,
    work: (engine: Engine) => Promise<T>,
  ): Promise<T> {
    const engine = await open({ engine: 'opensearch', ...address }, { create: true, workers: 1 });
    try {
      return await work(engine);
    } finally {
      await engine.close();
    }
  }

  async function onFolder<T>(dir: string, work: (engine: Engine) => Promise<T>): Promise<T> {
    const engine = await open(dir, { create: true, workers: 0 });
    try {
      return await work(engine);
    } finally {
      await engine.close();
    }
  }

  /** @returns what became of the drawings of an ingest */
  async function drawingsOf(engine: Engine, source: string, options: IngestOptions = {}) {
    return (await engine.ingest(source, options)).drawings;
  }

  async function idsOf(engine: Engine): Promise<string[]> {
    const all = [];
    for await (const { patent_id } of engine.patents()) all.push(patent_id);
    return all;
  }

  async function detailsOf(engine: Engine, patentIds = ids) {
    return (await engine.details({ patent_ids: patentIds })).patents;
  }

  async function shownBy(engine: Engine, patentIds = ids): Promise<Shown[]> {
    const links = (await detailsOf(engine, patentIds)).flatMap(({ content = '' }) => [
      ...content.matchAll(/\(\/api\/v1\/drawings\/([^/]+)\/([^)]+)\)/g),
    ]);
    return links.map(([, publication = '', file = '']) => ({ publication, file }));
  }

  /** The images of drawings, as a client of a server gets them. */
  async function imagesFrom(
    engine: Engine,
    drawings: Awaited<ReturnType<typeof openDrawings>>,
    wanted: readonly Shown[],
  ): Promise<string[]> {
    const service = await Service.start('node', 10_000, { engine, drawings });
    try {
      return await Promise.all(
        wanted.map(async ({ publication, file }) => {
          const answer = await fetch(`${service.server.url}/api/v1/drawings/${publication}/${file}`);
          assert.equal(answer.headers.get('content-type') === 'image/webp', answer.ok);
          return answer.ok ? contentOf(new Uint8Array(await answer.arrayBuffer())) : String(answer.status);
        }),
      );
    } finally {
      await service.stop();
    }
  }

  const bucketOf = ({ drawings: { bucket, endpoint, prefix } }: Place) =>
    openDrawings(
      folder,
      loadConfig({ env: {}, flags: { s3Bucket: bucket, s3Endpoint: endpoint, s3Prefix: prefix } }),
    );
  const folderStore = (dir: string) => openDrawings(dir, loadConfig({ env: {} }));

  const xml = (number: string, ...files: string[]) =>
    grantXml({
      number,
      after: `<drawings>${files.map((file) => `<figure><img file="${file}"/></figure>`).join('')}</drawings>`,
    });

  test('an ingest, answers, images and a deletion are as in a data folder', async () => {
    const address = place();
    assert.ok(shown.length > 10, 'the fixtures have drawings');
    await onCluster(address, async (engine) => {
      for (const [n, source] of FIXTURES.entries()) {
        assert.deepEqual(await drawingsOf(engine, source), expected[n]);
      }
      await onFolder(original, async (reference) => {
        assert.deepEqual(await detailsOf(engine), await detailsOf(reference));
        const question = { query: 'robot cleaner docking station', top_k: 100, include_utility_model: true };
        const figuresIn = async (from: Engine) =>
          new Map(
            (await from.search(question)).results.map(({ patent_id, representative_figure }) => {
              return [patent_id, representative_figure];
            }),
          );
        const figures = await figuresIn(engine);
        assert.ok([...figures.values()].some((name) => name !== undefined));
        assert.deepEqual(figures, await figuresIn(reference));
        assert.deepEqual(await figuresByTexts(address, question), figures);
        const missing = [
          { publication: ids[0]!, file: 'nothing.webp' },
          { publication: 'US9999999999B2', file: shown[0]!.file },
          { publication: 'nothing', file: 'nothing.webp' },
        ];
        const spaced = { ...shown[0]!, publication: encodeURIComponent(spacedOut(shown[0]!.publication)) };
        const asked = [...shown, spaced, ...missing];
        const images = await imagesFrom(engine, await bucketOf(address), asked);
        assert.deepEqual(images, await imagesFrom(reference, await folderStore(original), asked));
        assert.deepEqual(images.slice(-3), ['404', '404', '404']);
        assert.equal(images[shown.length], images[0], 'another spelling of the number');
      });

      const { publication, file } = shown.find((one) => one.publication.startsWith('US'))!;
      const api = new EngineApi(serverPort(engine), imagesIn(address.drawings));
      const image = await (await api.drawing(publication, file)).image();
      assert.equal(contentOf(image), await findIn(engine, publication, file));

      const again = await drawingsOf(engine, US);
      assert.deepEqual([again?.stored, again?.unchanged], [0, expected[0]!.stored + expected[0]!.unchanged]);
      await reindex(address);
      assert.deepEqual(await shownBy(engine), shown, 'reindexed');
      await engine.delete(publication);
      await assert.rejects(findIn(engine, publication, file), { code: 'not_found' });
      await engine.ingest(US);
      assert.deepEqual(await shownBy(engine), shown, 'ingested again');
    });
  });

  /** The representative figures of a search with a reranker that reads the texts of all candidates. */
  async function figuresByTexts(address: Place, question: object): Promise<Map<string, string | undefined>> {
    const client = await ClusterClient.open(settingsOf(address));
    const models = await loadModels();
    const score = (_: string, documents: RerankDocument[]) => ({
      documents: Float32Array.from(documents, ({ title }) => title.length),
      passages: Float32Array.from(documents.flatMap(({ passages }) => passages.map((text) => text.length))),
    });
    const reranker = { name: 'by length', depth: 10, score, close: () => {} };
    try {
      const { index, model } = (await readMeta(client))!;
      const { response } = await client.atOneState(index, async (state) =>
        answerSearch(
          {
            ...{ state, name: index, model, cancellation: uncancelled, ...(await totalsOf(state)) },
            models: { ...models, reranker },
          },
          parseSemantic(question),
        ),
      );
      return new Map(response.results.map((found) => [found.patent_id, found.representative_figure]));
    } finally {
      await closeModels(models);
      await client.close();
    }
  }

  const findIn = async (engine: Engine, publication: string, file: string) =>
    serverPort(engine).findDrawing(publication, file);

  test('images come before their publication, in another run, and by two ingests at a time', async () => {
    const address = place();
    const [early, late] = ['US09100001-20150804-D00001.TIF', 'US09100002-20150804-D00001.TIF'];
    const image = await tiffG4(pattern(300, 200, 3));
    await onCluster(address, async (engine) => {
      const alone = await engine.ingest(put({ [early]: image }));
      assert.equal(alone.drawings?.unclaimed, 1);
      const texts = await engine.ingest(put({ 'a.xml': xml('09100001', early, late) }));
      assert.deepEqual([texts.drawings?.missing, texts.drawings?.stored], [2, 0]);
      assert.deepEqual(await shownBy(engine, ['US09100001B2']), []);
      assert.equal((await engine.ingest(put({ [`x/${early}`]: image }))).drawings?.stored, 1);
      assert.equal((await shownBy(engine, ['US09100001B2'])).length, 1);

      // Both give images to the same publication.
      const other = await tiffG4(pattern(310, 190, 7));
      const many = Array.from({ length: 20 }, (_, n) => `US09100003-20150804-D000${n + 10}.TIF`);
      await engine.ingest(put({ 'c.xml': xml('09100003', ...many) }));
      await onCluster(address, async (second) => {
        const half = (from: number) =>
          put(Object.fromEntries(many.slice(from, from + 10).map((name) => [name, from ? image : other])));
        const summaries = await Promise.all([engine.ingest(half(0)), second.ingest(half(10))]);
        assert.deepEqual(
          summaries.map(({ drawings }) => drawings?.stored),
          [10, 10],
        );
        assert.equal((await shownBy(second, ['US09100003B2'])).length, 20);
      });
    });
  });

  test('a correction shows the drawings of what it corrects, and a deletion removes both', async () => {
    const record = (id: string, more: object) => ({
      ...{ patent_id: id, country: 'US', number: '30000001', kind_code: id.slice(-2), title: 'A hinge' },
      ...more,
    });
    const first = JSON.stringify(record('US30000001B2', { drawings: [{ file: 'US30000001-D1.png' }] }));
    const source = put({
      'own.jsonl': first,
      'US30000001-D1.png': await png(pattern(100, 80)),
    });
    const fixed = record('US30000001B8', {
      corrects: ['US30000001B2'],
      drawings: [{ file: 'US30000001-D1.png' }],
    });
    const answers = async (engine: Engine) => {
      await engine.ingest(source);
      const summary = await engine.ingest([fixed] as never);
      const numbers = ['US30000001B8', 'US30000001B2'];
      const details = await detailsOf(engine, numbers);
      const found = await Promise.allSettled(
        numbers.map((number) => findIn(engine, number, 'us30000001-d1.webp')),
      );
      await engine.delete('US30000001B8');
      const gone = await Promise.allSettled(
        numbers.map((number) => findIn(engine, number, 'us30000001-d1.webp')),
      );
      return { drawings: summary.drawings, details, found, gone: gone.map(({ status }) => status) };
    };
    const reference = await onFolder(fresh(), answers);
    assert.deepEqual(await onCluster(place(), answers), reference);
    assert.equal(reference.details[0]!.representative_figure, 'US30000001-D1.webp');
    assert.deepEqual(reference.gone, ['rejected', 'rejected']);
  });

  test('an upload that fails loses nothing: the next ingest of new files goes on', async () => {
    const proxy = await proxyOf(server.bucket.origin.origin, true);
    try {
      const address = place(proxy.url);
      const numbers = Array.from({ length: 6 }, (_, n) => String(9_200_001 + n).padStart(8, '0'));
      const files: Record<string, string | Buffer> = {};
      for (const [n, number] of numbers.entries()) {
        const name = `US${number}-20150804-D00001.TIF`;
        files[`${number}/a.xml`] = xml(number, name);
        files[`${number}/${name}`] = await tiffG4(pattern(300 + n, 200, n + 2));
      }
      const source = put({ 'weekly.zip': zipOf(files) });
      const patentIds = numbers.map((number) => `US${number}B2`);
      let puts = 0;
      proxy.fault(({ method }) => {
        if (method !== 'PUT' || ++puts <= 5) return undefined;
        return { status: 403, body: '<Code>AccessDenied</Code>' };
      });
      await onCluster(address, async (engine) => {
        await assert.rejects(engine.ingest(source, { onlyNew: true }), {
          code: 'unavailable',
          message: /the S3 storage refused a PUT \(403 AccessDenied\)/,
        });
        assert.deepEqual(engine.sources(), [], 'the archive is not entered as read');
        const named = await shownBy(engine, patentIds);
        proxy.fault(() => undefined);
        const images = await imagesFrom(engine, await bucketOf(address), named);
        assert.ok(
          images.every((image) => image.length === 64),
          'what answers show is in the bucket',
        );
        const { drawings, known_files: known } = await engine.ingest(source, { onlyNew: true });
        assert.deepEqual([known, drawings!.stored + drawings!.unchanged, drawings!.missing], [0, 6, 0]);
        assert.equal((await shownBy(engine, patentIds)).length, 6);
        assert.equal((await engine.ingest(source, { onlyNew: true })).known_files, 1);
      });
    } finally {
      proxy.close();
    }
  });

  test('an answer of the cluster that is lost changes nothing, and no counts', async () => {
    const node = await proxyOf(cluster.urls[0]!);
    try {
      const lost = new Set<string>();
      node.fault(({ path, body }) => {
        // The first write of names, and the first of an image.
        const kind =
          /-drawings"/.test(body) && path.startsWith('/_bulk') ? /"content"/.test(body) : undefined;
        if (kind === undefined || lost.has(String(kind))) return undefined;
        lost.add(String(kind));
        return 'lose';
      });
      await onCluster({ ...place(), nodes: [node.url] }, async (engine) => {
        assert.deepEqual(await drawingsOf(engine, US), expected[0]);
        assert.deepEqual([...lost].sort(), ['false', 'true']);
        assert.deepEqual(
          await shownBy(engine),
          shown.filter(({ publication }) => publication.startsWith('US')),
        );
      });
    } finally {
      node.close();
    }
  });

  test('drawings that cannot be kept are told', async () => {
    const { drawings, ...address } = place();
    await onCluster(address, async (engine) => {
      const us = await drawingsOf(engine, US);
      assert.match(us?.unavailable ?? '', /left out.*--s3-bucket/);
      assert.equal(await drawingsOf(engine, US, { drawings: false }), undefined);
      assert.equal(
        (await engine.ingest([{ patent_id: 'US1234567B2', title: 'x' }] as never)).drawings,
        undefined,
      );
      assert.deepEqual(await shownBy(engine), []);
      await engine.delete('US1234567B2');
      const table = await fetch(`${cluster.urls[0]}/${address.index}-drawings`);
      assert.equal(table.status, 404, 'nothing made an index without its form');
    });
    const wrong = {
      ...address,
      index: `${address.index}-wrong`,
      drawings: { ...drawings, bucket: 'no-such' },
    };
    await onCluster(wrong, async (engine) => {
      await assert.rejects(engine.ingest(US), { code: 'unavailable', message: /NoSuchBucket/ });
      assert.equal((await engine.coverage()).total, 0, 'nothing was stored');
    });
    await assert.rejects(open({ engine: 'opensearch', ...address, drawings: { bucket: 1 } } as never), {
      code: 'invalid_request',
    });
  });

  test('migrate takes drawings to the bucket and back', async () => {
    const { drawings, ...address } = place();
    const copies = expected.reduce((sum, one) => sum + one!.stored + one!.unchanged, 0);
    const without = await migrateToCluster(original, address);
    assert.deepEqual(without.drawings, { copied: 0, failed: 0, left: copies });
    const whole = { copied: copies, failed: 0, left: 0 };
    assert.deepEqual((await migrateToCluster(original, { ...address, drawings })).drawings, whole);
    await onCluster({ ...address, drawings }, async (engine) => {
      assert.deepEqual(await shownBy(engine), shown);
      const again = await drawingsOf(engine, US);
      assert.deepEqual(
        [again?.stored, again?.missing],
        [0, expected[0]!.missing],
        'the next ingest finds them',
      );
    });

    const copy = fresh();
    assert.deepEqual((await migrateToFolder(address, copy)).drawings, { copied: 0, failed: 0, left: copies });
    const [lost] = await filesOf(original);
    rmSync(join(folder, 'buckets', 'patents', drawings.prefix, lost!.slice(0, 3), `${lost}.webp`));
    const { drawings: damaged } = await migrateToFolder({ ...address, drawings }, copy);
    assert.ok(damaged!.failed > 0 && damaged!.copied + damaged!.failed === copies, JSON.stringify(damaged));
    await migrateToCluster(original, { ...address, drawings });
    assert.deepEqual((await migrateToFolder({ ...address, drawings }, copy)).drawings, whole);
    assert.deepEqual(await filesOf(copy), await filesOf(original));
    assert.deepEqual((await checked(copy))!.problems, []);
    assert.deepEqual(await onFolder(copy, (engine) => shownBy(engine)), shown);
  });

  async function filesOf(dir: string): Promise<string[]> {
    const found = [];
    for await (const { content } of new LocalDrawings(dir).list()) found.push(content);
    return found;
  }

  test('the commands take the settings of the bucket', async () => {
    const { nodes, index, drawings } = place();
    const ofCluster = [
      '--engine',
      'opensearch',
      '--opensearch-nodes',
      nodes.join(','),
      '--opensearch-index',
      index,
    ];
    const make = ['--opensearch-knn-engine', 'lucene', '--opensearch-replicas', '0'];
    const bucket = [
      '--s3-bucket',
      drawings.bucket,
      '--s3-endpoint',
      drawings.endpoint,
      '--s3-prefix',
      drawings.prefix,
    ];
    const stored = await priorart('ingest', US, ...ofCluster, ...make, ...bucket);
    assert.equal(stored.code, 0, stored.stderr);
    assert.match(stored.stdout, new RegExp(`${expected[0]!.stored} drawings: ${expected[0]!.stored} new`));
    const { publication, file } = shown.find((one) => one.publication.startsWith('US'))!;
    const path = `/api/v1/drawings/${publication}/${file}`;
    const answers = [];
    for (const more of [bucket, []]) {
      const serve = await serving(['--data', fresh(), ...ofCluster, ...make, ...more]);
      try {
        const answer = await fetch(serve.url + path);
        answers.push(answer.ok ? answer.headers.get('content-type') : await answer.json());
      } finally {
        await serve.end('SIGTERM');
      }
    }
    assert.deepEqual(answers, [
      'image/webp',
      { detail: 'no drawings are served here: the server was started without --s3-bucket' },
    ]);
    const back = await priorart('migrate', 'to-folder', '--data', fresh(), ...ofCluster.slice(2), ...bucket);
    assert.equal(back.code, 0, back.stderr);
    assert.match(back.stdout, new RegExp(`${expected[0]!.stored} drawings in the target`));
    const printed = await priorart('mcp', ...ofCluster, ...bucket, '--print-config', 'claude-desktop');
    assert.match(printed.stdout, /--s3-bucket/);
    assert.ok(!printed.stdout.includes(server.bucket.credentials.secretAccessKey));
  });
});

/** Another spelling of a number. */
function spacedOut(patentId: string): string {
  const [, country, number, kind] = /^([A-Z]{2})(\d+)([A-Z]\d?)$/.exec(patentId)!;
  return `${country} ${number} ${kind}`;
}
