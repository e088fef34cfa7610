/** The memory of the workers' copies of a model, and the threshold of its warning. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { MODEL_COPIES_SHARE } from '../../src/limits.js';
import { DEFAULT_MODELS } from '../../src/models/config.js';
import { adviceOnCopies, bytesAWorker } from '../../src/models/copies.js';
import fc from '../property.js';

test('graph and weights of every ONNX model count, the static model does not', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'priorart-copies-'));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'onnx'));
  writeFileSync(join(folder, 'onnx/model.onnx'), Buffer.alloc(1000));
  writeFileSync(join(folder, 'onnx/model.onnx_data'), Buffer.alloc(20_000));
  writeFileSync(join(folder, 'tokenizer.json'), '{}');
  const embedder = { kind: 'onnx', folder } as const;
  const reranker = { kind: 'onnx', folder, graphFile: 'onnx/model.onnx' } as const;
  assert.equal(bytesAWorker(DEFAULT_MODELS), 0);
  assert.equal(bytesAWorker({ ...DEFAULT_MODELS, embedder }), 21_000);
  assert.equal(bytesAWorker({ embedder, reranker }), 42_000);
  const elsewhere = { ...embedder, folder: join(folder, 'no') };
  assert.throws(() => bytesAWorker({ ...DEFAULT_MODELS, embedder: elsewhere }), { code: 'model_missing' });
});

test('there is no advice for the advised number of workers', () => {
  const gib = 2 ** 30;
  assert.match(adviceOnCopies(2 * gib, 8, 24 * gib)!, /2\.0 GiB.* 16\.0 GiB of 24\.0 GiB.*--workers 6/);
  assert.equal(adviceOnCopies(0, 1024, gib), undefined);
  const bytes = fc.integer({ min: 1, max: 64 * gib });
  fc.assert(
    fc.property(bytes, fc.integer({ min: 1, max: 1024 }), bytes, (size, workers, memory) => {
      const advice = adviceOnCopies(size, workers, memory);
      const fits = size * workers <= memory * MODEL_COPIES_SHARE;
      assert.equal(advice === undefined, fits || workers === 1);
      const named = Number(advice?.match(/--workers (\d+)/)?.[1] ?? 1);
      assert.ok(named <= workers, `expected at most ${workers} copies: ${named}`);
      assert.equal(adviceOnCopies(size, named, memory), undefined);
    }),
  );
});
