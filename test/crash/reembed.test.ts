/**
 * Re-embedding, killed at many moments, with concurrent ingests, deletions and a server. The result equals a folder
 * that was made with the new model.
 */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { open } from '../../src/engine.js';
import type { DocumentTexts } from '../../src/index/native.js';
import { embedDocuments } from '../../src/ingest/prepare.js';
import { bytesNeeded, reembed as reembedStore } from '../../src/ingest/reembed.js';
import { readModels } from '../../src/models/config.js';
import { identityOf, openEmbedder } from '../../src/models/load.js';
import { reembed } from '../../src/pool/reembed.js';
import { noReranker } from '../../src/rerank/none.js';
import type { SearchResponse } from '../../src/search/types.js';
import { changeReembedding, reembeddingOf } from '../../src/store/reembedding.js';
import { Store } from '../../src/store/store.js';
import { noModel } from '../embed/model-file.js';
import { writeOtherModel } from '../embed/other-model.js';
import {
  checked,
  documentsOf,
  exactAnswers,
  invented,
  launch,
  priorart,
  random,
  writeLines,
} from './folder.js';

const INGEST = fileURLToPath(new URL('./ingest-process.js', import.meta.url));
const REEMBED = fileURLToPath(new URL('./reembed-process.js', import.meta.url));
const KILLS = 4;
const COUNT = 600;
const SMALL = { segmentPassages: 150, indexFrom: 400 };

/** A models.json with its own model. */
async function otherModel(dir: string, name: string, dimensions: number): Promise<string> {
  await writeOtherModel(join(dir, `${name}.bin`), name, dimensions);
  const path = join(dir, `${name}.json`);
  // Relative to the file.
  writeFileSync(path, JSON.stringify({ embedder: { kind: 'static', file: `./${name}.bin` } }));
  return path;
}

const modelOf = async (dir: string) => {
  const store = Store.open(dir);
  const { model, segments } = store.manifest();
  const unfinished = reembeddingOf(store);
  await store.close();
  return { ...model, segments: segments.length, unfinished };
};

describe('re-embedding', { skip: noModel }, () => {
  let root: string;
  let models: string;
  const queries = invented(20, 9).map(({ abstract }) => abstract!);
  before(async () => {
    root = mkdtempSync(join(tmpdir(), 'priorart-reembed-'));
    models = await otherModel(root, 'half', 128);
  });

  after(() => rmSync(root, { recursive: true }));

  /** A folder of the default model, and the result of the same documents with the other model. */
  async function folder(name: string, count: number) {
    const [data, fresh] = [join(root, name), join(root, `${name}-fresh`)];
    const file = writeLines(join(root, `${name}.jsonl`), invented(count));
    assert.equal((await launch(INGEST, [data, JSON.stringify(SMALL), file]).ended).code, 0);
    const made = await priorart('ingest', '--data', fresh, '--models', models, '--workers', '1', file);
    assert.equal(made.code, 0, made.stderr);
    return { data, fresh };
  }

  test('a re-embedding that was killed at random moments continues', async (t) => {
    const { data, fresh } = await folder('killed', COUNT);
    const was = await exactAnswers(data, queries);
    const will = await exactAnswers(fresh, queries);
    assert.notDeepEqual(was, will);
    const documents = await documentsOf(data);
    const run = (dir: string, kill: object = {}) =>
      launch(REEMBED, [dir, models, JSON.stringify({ ...SMALL, ...kill })]).ended;
    const copy = (name: string) => {
      cpSync(data, join(root, name), { recursive: true });
      return join(root, name);
    };
    const calm = await run(copy('calm'));
    assert.equal(calm.code, 0, calm.stderr);
    const { embedded, events } = JSON.parse(calm.stdout) as { embedded: number; events: number };
    assert.equal(embedded, COUNT);
    assert.deepEqual(await exactAnswers(join(root, 'calm'), queries), will);

    const seed = 20_240_601;
    const next = random(seed);
    t.diagnostic(`seed ${seed}; ${events} events undisturbed`);
    const left: number[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const dir = copy(`killed-${kill}`);
      // The first kill is in the middle of the run, the others a few events later, or some ms after one.
      for (let part = 0; part < 3; part++) {
        const killAt = part === 0 ? 4 + Math.floor(next() * 6) : 1 + Math.floor(next() * 6);
        await run(dir, { killAt, killMs: part === 0 ? 0 : Math.floor(next() * 4) });
        const { name, unfinished } = await modelOf(dir);
        left.push(unfinished?.through ?? COUNT);
        const report = await checked(dir);
        assert.deepEqual(
          report!.problems.filter(({ kind }) => kind !== 'leftover'),
          [],
        );
        assert.deepEqual(await exactAnswers(dir, queries), name === 'half' ? will : was);
      }
      const summary = await reembed(dir, { models, workers: 0, ...SMALL });
      assert.equal(summary.embedded, COUNT - left.at(-1)!, 'no passage is embedded twice');
      assert.deepEqual((await checked(dir))!.problems, [], 'the run removes files of killed ones');
      assert.deepEqual(await exactAnswers(dir, queries), will);
      assert.ok(
        isDeepStrictEqual(await documentsOf(dir), documents),
        'expected the same documents and vectors as before',
      );
    }
    t.diagnostic(`embedded documents at each kill: ${left.join(', ')}`);
    assert.ok(
      left.filter((through) => through > 0 && through < COUNT).length >= KILLS,
      `expected ${KILLS} kills in the middle: progress ${left}`,
    );
  });

  test('documents that are added, changed or deleted during the run are current in the result', async (t) => {
    const { data } = await folder('beside', 600);
    const files = [
      writeLines(join(root, 'second.jsonl'), invented(200, 2)),
      writeLines(join(root, 'changed.jsonl'), invented(150, 1, 2)),
    ];
    const ids = invented(600).map(({ patent_id }) => patent_id);
    const engine = await open(data, { workers: 1 });
    t.after(() => engine.close());
    const other = await openEmbedder(readModels(models).embedder);
    const store = Store.open(data);
    t.after(() => store.close());
    let batches = 0;
    const embed = async (documents: DocumentTexts[]) => {
      const batch = ++batches;
      // The first documents are embedded by now; others are not read yet.
      if (batch === 3) await engine.ingest(files[1]!, { segmentPassages: 60 });
      if (batch === 3) await engine.delete(ids.slice(100, 120));
      // The re-embedding is nearly done.
      if (batch === 9) await engine.ingest(files[0]!, { segmentPassages: 60 });
      if (batch === 10) await engine.delete([...ids.slice(0, 10), ...ids.slice(-10)]);
      return embedDocuments({ embedder: other, reranker: noReranker() }, documents);
    };
    const target = { model: identityOf(other), models: { ...readModels(models) } };
    const summary = await reembedStore(store, target, { parallel: 1, embed }, SMALL);
    t.diagnostic(`${summary.embedded} embedded in ${batches} batches`);
    assert.ok(batches > 10 && summary.embedded > 850, 'new documents were embedded, too');
    const state = await modelOf(data);
    assert.deepEqual([state.name, state.unfinished], ['half', undefined]);
    assert.deepEqual((await checked(data))!.problems, []);

    const fresh = join(root, 'beside-all');
    const whole = await open(fresh, { create: true, models, workers: 1 });
    await whole.ingest([writeLines(join(root, 'first.jsonl'), invented(600))]);
    await whole.ingest(files[1]!);
    await whole.ingest(files[0]!);
    await whole.delete([...ids.slice(0, 10), ...ids.slice(100, 120), ...ids.slice(-10)]);
    await whole.close();
    assert.ok(
      isDeepStrictEqual(await documentsOf(data), await documentsOf(fresh)),
      'expected the documents and vectors of a new folder',
    );
    assert.deepEqual(await exactAnswers(data, queries), await exactAnswers(fresh, queries));
  });

  test('a running engine answers with the old model until the swap, and with the new one right after it', async (t) => {
    const { data, fresh } = await folder('served', 300);
    const expected = [await exactAnswers(data, queries), await exactAnswers(fresh, queries)];
    for (const workers of [0, 2]) {
      const copy = join(root, `served-${workers}`);
      cpSync(data, copy, { recursive: true });
      const engine = await open(copy, { workers });
      t.after(() => engine.close());
      const answer = async (n: number): Promise<string> =>
        JSON.stringify(await engine.search({ query: queries[n]!, top_k: 20 }, { exact: true }));
      let swapped = false;
      let searches = 0;
      const client = async (offset: number) => {
        for (let n = offset; !swapped || n < 60; n++) {
          const [at, after] = [n % queries.length, swapped];
          const got = await answer(at);
          // Without workers, everything runs on this thread, and other tasks need a turn.
          await new Promise((resolve) => setImmediate(resolve));
          const which = expected.findIndex((answers) => answers[at] === got);
          assert.ok(
            which === 1 || (which === 0 && !after),
            `search ${n} matches neither model, or the old one`,
          );
          searches += 1;
        }
      };
      const clients = [client(0), client(1), client(2)];
      const running = reembed(copy, { models, workers: 1, segmentPassages: 200 });
      const { embedded } = await running.finally(() => {
        swapped = true;
      });
      await Promise.all(clients);
      t.diagnostic(`${workers} workers: ${searches} searches`);
      assert.equal(embedded, 300);
      assert.equal((await engine.coverage()).index.model, 'half 7');
      assert.equal((await engine.explain({ query: 'x' })).model, 'half 7');
      assert.equal((await engine.coverage()).index.dimensions, 128);
      // Documents of later ingests are embedded with the new model.
      await engine.ingest(writeLines(join(root, 'later.jsonl'), invented(20, 5)));
      const [wanted] = invented(20, 5);
      const { results }: SearchResponse = await engine.search({
        query: `${wanted!.title} ${wanted!.abstract}`,
      });
      assert.equal(results[0]!.patent_id, wanted!.patent_id);
    }
  });

  test('an ingest that embeds with the old model during the swap continues with the new one', async (t) => {
    const { data, fresh } = await folder('during', 200);
    const file = writeLines(join(root, 'during-more.jsonl'), invented(400, 6));
    const engine = await open(data, { workers: 1 });
    let swap: Promise<unknown> | undefined;
    const summary = await engine.ingest(file, {
      segmentPassages: 100,
      onProgress: () => {
        swap ??= reembed(data, { models, workers: 0 });
      },
    });
    await swap;
    await engine.close();
    assert.equal(summary.ingested, 400);
    t.diagnostic(`swapped with ${(await modelOf(data)).segments} segments`);
    assert.deepEqual(
      (await checked(data))!.problems.filter(({ kind }) => kind !== 'leftover'),
      [],
    );
    assert.equal((await priorart('ingest', '--data', fresh, file)).code, 0);
    assert.deepEqual(await exactAnswers(data, queries), await exactAnswers(fresh, queries));
  });

  test('a process that is killed right after a merge keeps the merged segment', async () => {
    const { data, fresh } = await folder('merged', 200);
    const stopped = new AbortController();
    const other = await openEmbedder(readModels(models).embedder);
    const target = { model: identityOf(other), models: { ...readModels(models) } };
    const store = Store.open(data);
    const transactionSync = store.root.transactionSync.bind(store.root);
    const both: string[] = [];
    store.root.transactionSync = (body) => {
      const result = transactionSync(body);
      const { segments = [], writing = [] } = reembeddingOf(store) ?? {};
      both.push(...writing.filter((name) => segments.some(({ id }) => id === name)));
      return result;
    };
    let batches = 0;
    const embed = (documents: DocumentTexts[]) => {
      if (++batches === 20) stopped.abort();
      return embedDocuments({ embedder: other, reranker: noReranker() }, documents);
    };
    const small = { segmentPassages: 10, indexFrom: 400, signal: stopped.signal };
    await assert.rejects(reembedStore(store, target, { parallel: 1, embed }, small), { code: 'cancelled' });
    assert.deepEqual(both, [], 'a listed segment is complete');
    // The state that the previous release left when it was killed between the two steps.
    changeReembedding(store, (reembedding) => {
      reembedding.writing.push(...reembedding.segments.map(({ id }) => id));
    });
    await store.close();
    await reembed(data, { models, workers: 0 });
    assert.deepEqual((await checked(data))!.problems, []);
    assert.deepEqual(await exactAnswers(data, queries), await exactAnswers(fresh, queries));
  });

  test('the command reports problems with their remedy', async () => {
    const { data } = await folder('command', 60);
    const nothing = await priorart('reembed', '--data', data);
    assert.deepEqual([nothing.code, /--models FILE/.test(nothing.stderr)], [2, true], nothing.stderr);
    const mismatch = await priorart('ingest', '--data', data, '--models', models, 'fixtures/kr');
    assert.equal(mismatch.code, 1);
    assert.match(
      mismatch.stderr,
      /embedded with .* the configured model is half 7.*`priorart reembed --data/s,
    );
    assert.equal((await priorart('reembed', '--data', data, '--discard')).code, 0);

    const stopped = new AbortController();
    const stopAtOnce = { models, workers: 0, segmentPassages: 50, signal: stopped.signal };
    const half = reembed(data, { ...stopAtOnce, onProgress: () => stopped.abort() });
    await assert.rejects(half, { code: 'cancelled' });
    assert.ok((await modelOf(data)).unfinished);
    const resumed = await priorart('reembed', '--data', data, '--json');
    assert.equal(resumed.code, 0, resumed.stderr);
    assert.equal(JSON.parse(resumed.stdout).model, 'half 7');
    assert.equal((await modelOf(data)).unfinished, undefined);

    // The same model with another configuration: no passage needs a new vector.
    const tuned = join(root, 'tuned.json');
    const calibration = { midpoint: 0.3, slope: 9 };
    const embedder = { kind: 'static', file: join(root, 'half.bin'), calibration };
    writeFileSync(tuned, JSON.stringify({ embedder, reranker: { kind: 'none' } }));
    const again = await priorart('reembed', '--data', data, '--models', tuned);
    assert.match(again.stdout, /The folder's model is half 7; its configuration is now the given one/);
    const explained = await priorart('explain', 'valve', '--data', data);
    assert.match(explained.stdout, /^reranker +none: ordered by similarity$/m);
    // This is also how a user gives the new path of a moved model file.
    assert.equal(existsSync(join(data, 'reembed.lock')), true);
    assert.ok(readdirSync(join(data, 'segments')).length > 0);
  });

  test('a discarded re-embedding frees its disk space', async () => {
    const { data } = await folder('discard', 100);
    const stopped = new AbortController();
    const half = reembed(data, {
      models,
      workers: 0,
      segmentPassages: 50,
      signal: stopped.signal,
      onProgress: () => stopped.abort(),
    });
    await assert.rejects(half, { code: 'cancelled' });
    const discarded = await priorart('reembed', '--data', data, '--discard');
    assert.deepEqual([discarded.code, discarded.stdout], [0, 'The unfinished re-embedding is discarded.\n']);
    assert.deepEqual((await checked(data))!.problems, []);
    assert.deepEqual([(await modelOf(data)).unfinished, (await modelOf(data)).dimensions], [undefined, 256]);

    const store = Store.open(data);
    const expected = bytesNeeded(store, { name: 'half', version: '7', dimensions: 128 });
    await reembed(data, { models, workers: 0 });
    store.refresh();
    const taken = store.manifest().segments.reduce((sum, { bytes }) => sum + bytes, 0);
    await store.close();
    assert.ok(Math.abs(expected / taken - 1) < 0.3, `${expected} bytes were expected, ${taken} were taken`);
  });
});
