import assert from 'node:assert/strict';
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { openStaticModel, staticEmbedder } from '../../src/embed/static.js';
import { PriorartError } from '../../src/errors.js';
import { native } from '../../src/index/native.js';
import fc from '../property.js';
import { MODEL, noModel } from './model-file.js';
import { writeOtherModel } from './other-model.js';

const ODD = [
  '',
  ' \t\n',
  '…!?—',
  '\u0000',
  '\ud800',
  'solid \udc00 electrolyte',
  '\u200b\u200d\ufeff',
  'שלום עולם',
  'مرحبا',
  '😀👩‍👩‍👧',
  '\u0301\u0301',
  'a'.repeat(1 << 20),
  '전해질'.repeat(1 << 18),
  '\u0301'.repeat(1 << 18),
];

function lengthOf(row: Float32Array): number {
  return Math.hypot(...row);
}

describe('the static embedder', { skip: noModel }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-static-'));
  after(() => rmSync(dir, { recursive: true }));

  it('gives every text a vector of length 1, or zero if it has no known token', async () => {
    const embedder = staticEmbedder(MODEL);
    const { dimensions } = embedder;
    const vectors = await embedder.embed(ODD, 'passage');
    assert.equal(vectors.length, ODD.length * dimensions);
    ODD.forEach((text, n) => {
      const length = lengthOf(vectors.subarray(n * dimensions, (n + 1) * dimensions));
      assert.ok(
        length === 0 || Math.abs(length - 1) < 1e-5,
        `${JSON.stringify(text.slice(0, 20))}: ${length}`,
      );
    });
    for (const n of [0, 1, 2, 3, 4])
      assert.equal(lengthOf(vectors.subarray(n * dimensions, (n + 1) * dimensions)), 0);
    embedder.close();
  });

  it('embeds a text equally alone and among others, as query and as passage', async () => {
    const embedder = staticEmbedder(MODEL);
    const { dimensions } = embedder;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 5 }),
        async (texts) => {
          for (const kind of ['passage', 'query'] as const) {
            const together = await embedder.embed(texts, kind);
            for (const [n, text] of texts.entries()) {
              const alone = await embedder.embed([text], kind);
              assert.deepEqual(together.subarray(n * dimensions, (n + 1) * dimensions), alone);
            }
          }
        },
      ),
    );
    embedder.close();
  });

  it('mixes the titles of a patent into its passages, and leaves empty passages at zero', async () => {
    const embedder = staticEmbedder(MODEL);
    const { dimensions } = embedder;
    const texts = ['The method of claim 1.', '…', 'Solid electrolyte for a battery'];
    const rows = (vectors: Float32Array) =>
      texts.map((_, n) => vectors.subarray(n * dimensions, (n + 1) * dimensions));
    const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, d) => sum + x * b[d]!, 0);
    const titles = 'Surgical stapler\n수술용 스테이플러';
    const title = await embedder.embed([titles], 'query');
    const plain = rows(await embedder.embed(texts, 'passage'));
    const coloured = rows(await embedder.embed(texts, 'passage', titles));
    for (const n of [0, 2]) {
      assert.ok(
        Math.abs(lengthOf(coloured[n]!) - 1) < 1e-5,
        `text ${n}: expected a vector of length 1: ${lengthOf(coloured[n]!)}`,
      );
      assert.ok(
        dot(coloured[n]!, title) > dot(plain[n]!, title) + 0.1,
        `text ${n}: expected a vector nearer to the title: ${dot(coloured[n]!, title)}, ${dot(plain[n]!, title)}`,
      );
      assert.ok(
        dot(coloured[n]!, plain[n]!) > 0.75,
        `text ${n}: expected a vector near the plain one: ${dot(coloured[n]!, plain[n]!)}`,
      );
    }
    assert.equal(lengthOf(coloured[1]!), 0);
    assert.deepEqual(rows(await embedder.embed(texts, 'passage', '…')), plain);
    embedder.close();
  });

  it('treats a lone surrogate as a space', () => {
    const model = openStaticModel(MODEL);
    const { ids, offsets } = model.tokenize(['solid\ud800electrolyte', 'solid electrolyte', 'solid']);
    assert.deepEqual(ids.subarray(0, offsets[1]), ids.subarray(offsets[1], offsets[2]));
    assert.ok(offsets[3]! > offsets[2]!);
    model.close();
  });

  it('shares one mapping among threads and releases it with the last one', async () => {
    assert.equal(native.openStaticModels(), 0);
    const model = openStaticModel(MODEL);
    const script = `
      const { parentPort, workerData } = require('node:worker_threads');
      import(workerData.module).then(({ openStaticModel }) => {
        const model = openStaticModel(workerData.path);
        const { ids } = model.tokenize(['solid electrolyte']);
        parentPort.postMessage(ids);
        model.close();
      });`;
    const module = new URL('../../src/embed/static.js', import.meta.url).href;
    const worker = new Worker(script, { eval: true, workerData: { module, path: MODEL } });
    const ids = await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
    assert.deepEqual(ids, model.tokenize(['solid electrolyte']).ids);
    await worker.terminate();
    assert.equal(native.openStaticModels(), 1);
    model.close();
    assert.equal(native.openStaticModels(), 0);
    assert.throws(() => model.tokenize(['x']), /closed/);
  });

  it('opens the file that is at a path now, also while the one before it is open', async () => {
    const path = join(dir, 'replaced.bin');
    copyFileSync(MODEL, path);
    const before = openStaticModel(path);
    renameSync(await writeOtherModel(join(dir, 'next.bin'), 'other', 64), path);
    const after = openStaticModel(path);
    assert.deepEqual([before.dimensions, after.dimensions], [256, 64]);
    before.close();
    after.close();
  });

  describe('an unusable model', () => {
    const path = join(dir, 'model.bin');
    before(() => copyFileSync(MODEL, path));

    const failsWith = (code: string, pattern: RegExp) =>
      assert.throws(
        () => staticEmbedder(path),
        (error) => error instanceof PriorartError && error.code === code && pattern.test(error.message),
      );

    it('a model with a wrong byte is reported as damaged', () => {
      const bytes = readFileSync(MODEL);
      for (const at of [3, 100, bytes.length >> 1, bytes.length - 60]) {
        bytes[at]! ^= 1;
        writeFileSync(path, bytes);
        failsWith('model_damaged', /model\.bin.*undamaged copy/);
        bytes[at]! ^= 1;
      }
    });

    it('a model without its end is reported as damaged', () => {
      writeFileSync(path, readFileSync(MODEL));
      truncateSync(path, 100_000);
      failsWith('model_damaged', /incomplete/);
      truncateSync(path, 0);
      failsWith('model_damaged', /./);
    });

    it('a missing model is reported as missing', () => {
      rmSync(path);
      failsWith('model_missing', /does not exist/);
    });
  });
});
