/** Asynchronous models in worker threads: an embedding server that this test runs. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { staticEmbedder } from '../../src/embed/static.js';
import { type Engine, open } from '../../src/index.js';
import { UNRELATED_BELOW } from '../../src/limits.js';
import { invented, priorart, writeLines } from '../crash/folder.js';
import { noModel } from '../embed/model-file.js';

const PATENTS = invented(120, 11);

describe('a model on a server', { skip: noModel }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-async-'));
  const data = join(dir, 'data');
  const models = join(dir, 'models.json');
  const file = writeLines(join(dir, 'a.jsonl'), PATENTS);
  let engine: Engine;
  let batches: string[][] = [];
  let ms = 0;
  let hung: ServerResponse[] = [];
  let hang = false;

  const model = staticEmbedder();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const { inputs } = JSON.parse(Buffer.concat(chunks).toString()) as { inputs: string[] };
      batches.push(inputs);
      if (hang) return hung.push(response);
      const vectors = await model.embed(inputs, 'passage');
      const rows = inputs.map((_, n) => [
        ...vectors.subarray(n * model.dimensions, (n + 1) * model.dimensions),
      ]);
      setTimeout(() => response.end(JSON.stringify(rows)), ms);
      return undefined;
    });
  });

  before(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/embed`;
    const { dimensions } = model;
    const embedder = { kind: 'http', protocol: 'tei', url, dimensions, name: 'remote', version: '1' };
    writeFileSync(models, JSON.stringify({ embedder, reranker: { kind: 'none' } }));
    engine = await open(data, { create: true, models, workers: 2 });
    const { ingested } = await engine.ingest(file);
    assert.equal(ingested, PATENTS.length);
  });
  after(async () => {
    await engine.close();
    server.closeAllConnections();
    server.close();
    await model.close();
    rmSync(dir, { recursive: true });
  });

  it('a search finds the embedded documents, with several documents in a request to the server', async () => {
    const passages = batches.filter((batch) => batch.length > 1);
    assert.ok(
      passages.some((batch) => batch.length > 10),
      'documents go together',
    );
    for (const { abstract, patent_id } of PATENTS.slice(0, 5)) {
      const { results } = await engine.search({ query: abstract!, top_k: 3 });
      assert.equal(results[0]!.patent_id, patent_id);
    }
  });

  it('combines the questions of concurrent searches into one request of each worker', async () => {
    batches = [];
    ms = 30;
    const queries = PATENTS.slice(0, 48).map(({ abstract }) => abstract!);
    const answers = await Promise.all(queries.map((query) => engine.search({ query, top_k: 1 })));
    ms = 0;
    answers.forEach(({ results }, n) => {
      assert.equal(results[0]!.patent_id, PATENTS[n]!.patent_id);
    });
    assert.equal(batches.flat().length, queries.length);
    assert.ok(
      batches.length <= queries.length / 2,
      `${batches.length} requests for ${queries.length} questions`,
    );
  });

  it('cancels the request to the server when its callers cancel', async () => {
    hang = true;
    const controller = new AbortController();
    const search = engine.search({ query: 'x' }, { signal: controller.signal });
    while (hung.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const closed = new Promise((resolve) => hung[0]!.on('close', resolve));
    controller.abort();
    await assert.rejects(search, { code: 'cancelled' });
    await closed;
    [hang, hung] = [false, []];
    assert.equal((await engine.search({ query: 'x' })).total, 10, 'the worker continues');
  });

  it('the model is stored in the folder: no --models is needed afterwards, and explain names it', async () => {
    const { stdout, stderr, code } = await priorart('explain', 'valve', '--data', data);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^model +remote 1 \(not calibrated\)$/m);
    assert.match(stdout, /^reranker +none/m);
    assert.match(stdout, /^nearest +similarity 0\.\d\d$/m);
    assert.equal((await engine.coverage()).index.model, 'remote 1');
  });

  it('marks no result as unrelated, because its similarities have no scale', async () => {
    const query = 'zzz';
    const { best, calibrated, unrelated } = await engine.explain({ query });
    assert.ok(best! < UNRELATED_BELOW, `${best}`);
    assert.deepEqual([calibrated, unrelated], [false, false]);
    const { stdout, stderr } = await priorart('search', query, '--data', data);
    assert.match(stdout, /^ 1\. /, stderr);
  });
});

describe('models.json', () => {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-models-json-'));
  after(() => rmSync(dir, { recursive: true }));

  it('an invalid models.json is refused with the field, its value and the expected form', async () => {
    const path = join(dir, 'models.json');
    const cases: [string, RegExp][] = [
      ['{', /is not JSON/],
      ['[]', /the document: got \[\]; expected an object/],
      ['{"embeder": {}}', /unknown field embeder; the nearest known field is "embedder"/],
      ['{"embedder": {"kind": "stat"}}', /embedder.*expected .*static, onnx, http/],
      [
        '{"embedder": {"kind": "http", "protocol": "tei", "url": "http://h/embed", "dimensions": 3, "batchText": 3}}',
        /unknown field embedder\.batchText; the nearest known field is "batchTexts"/,
      ],
      [
        '{"embedder": {"kind": "http", "protocol": "tei", "url": "ftp://h", "dimensions": 3}}',
        /embedder\.url: got "ftp:\/\/h"; expected the whole address/,
      ],
      [
        '{"embedder": {"kind": "http", "protocol": "tei", "url": "http://me:s3cret@h/v1", "dimensions": 3}}',
        /embedder\.url: got "http:\/\/…@h\/v1"; expected/,
      ],
      [
        '{"embedder": {"kind": "http", "protocol": "openai", "url": "http://h/v1", "model": "m", "dimensions": 3, "keyVariable": "sk-live-1"}}',
        /embedder\.keyVariable: got a text that is not shown, since it may be the key; expected/,
      ],
      [
        '{"embedder": {"kind": "static", "calibration": {"midpoint": 3, "slope": 1}}}',
        /embedder\.calibration\.midpoint: got 3; expected a cosine/,
      ],
      [
        '{"embedder": {"kind": "static", "calibration": {"midpint": 0.3, "slope": 1}}}',
        /calibration\.midpint; the nearest known field is "midpoint"/,
      ],
      ['{"reranker": {"kind": "static", "fil": "x"}}', /reranker\.fil; the nearest known field is "file"/],
    ];
    for (const [text, message] of cases) {
      writeFileSync(path, text);
      const refused = open(join(dir, 'new'), { create: true, models: path });
      await assert.rejects(refused, (error: Error & { code?: string }) => {
        assert.equal(error.code, 'invalid_models', error.message);
        assert.match(error.message, message);
        return error.message.includes(path);
      });
    }
    await assert.rejects(open(dir, { models: join(dir, 'nowhere') }), { code: 'invalid_models' });
  });
});
