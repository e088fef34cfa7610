import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { findFiles, fingerprint } from '../../src/onnx/files.js';
import { loadRuntime, ONNXRUNTIME_VERSION } from '../../src/onnx/runtime.js';
import { read } from '../house/checkout.js';

describe('the files of a model', () => {
  const folder = mkdtempSync(join(tmpdir(), 'priorart-files-'));
  after(() => rmSync(folder, { recursive: true }));

  function model(name: string, ...files: string[]): string {
    for (const file of files) {
      const path = join(folder, name, file);
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, file);
    }
    return join(folder, name);
  }

  it('files are found under the names of exporters, full precision first', () => {
    const all = model(
      'a',
      'tokenizer.json',
      'onnx/model.onnx',
      'onnx/model.onnx_data',
      'onnx/model_fp16.onnx',
      'model_quantized.onnx',
    );
    const files = findFiles({ folder: all });
    assert.equal(files.graph, join(all, 'onnx/model.onnx'));
    assert.deepEqual(files.weights, [join(all, 'onnx/model.onnx_data')]);
    assert.equal(findFiles({ folder: all, dtype: 'fp16' }).graph, join(all, 'onnx/model_fp16.onnx'));
    assert.equal(findFiles({ folder: all, dtype: 'int8' }).graph, join(all, 'model_quantized.onnx'));
    assert.equal(
      findFiles({ folder: all, graphFile: 'model_quantized.onnx' }).graph,
      join(all, 'model_quantized.onnx'),
    );
  });

  it('missing files are reported with the expected names and folder', () => {
    const code = 'model_missing';
    assert.throws(() => findFiles({ folder: join(folder, 'none') }), {
      code,
      message: /folder .*none does not exist/,
    });
    const graphless = model('b', 'tokenizer.json', 'model_fp16.onnx');
    assert.throws(() => findFiles({ folder: graphless, dtype: 'q4' }), {
      code,
      message: /looked for model_q4\.onnx, onnx\/model_q4\.onnx\..*graphFile/,
    });
    assert.throws(() => findFiles({ folder: graphless, graphFile: 'x.onnx' }), {
      code,
      message: /looked for x\.onnx/,
    });
    assert.throws(() => findFiles({ folder: model('c', 'model.onnx') }), {
      code,
      message: /tokenizer of the model is not in .*looked for tokenizer\.json/,
    });
    assert.throws(() => findFiles({ folder: model('d', 'tokenizer.json') }), {
      code,
      message: /looked for model\.onnx, onnx\/model\.onnx.* more names/,
    });
  });

  it('the fingerprint changes with any file and with the settings', () => {
    const [a, b] = [join(folder, 'one'), join(folder, 'two')];
    writeFileSync(a, 'graph');
    writeFileSync(b, 'tokens');
    const first = fingerprint([a, b], { pooling: 'mean' });
    assert.match(first, /^[0-9a-f]{12}$/);
    assert.equal(fingerprint([a, b], { pooling: 'mean' }), first);
    assert.notEqual(fingerprint([a, b], { pooling: 'cls' }), first);
    assert.notEqual(fingerprint([b, a], { pooling: 'mean' }), first);
    writeFileSync(b, 'Tokens');
    assert.notEqual(fingerprint([a, b], { pooling: 'mean' }), first);
  });

  it('the fingerprint of large files is fast', () => {
    const large = join(folder, 'large');
    writeFileSync(large, 'x');
    truncateSync(large, 3 * 2 ** 30);
    const before = process.cpuUsage();
    const first = fingerprint([large], {});
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 2e6, `${(user + system) / 1e3} ms of CPU`);
    truncateSync(large, 3 * 2 ** 30 + 1);
    assert.notEqual(fingerprint([large], {}), first);
  });
});

describe('onnxruntime-node', () => {
  it("messages contain the version of the package's peer dependency", () => {
    const { peerDependencies } = JSON.parse(read('package.json')) as {
      peerDependencies: Record<string, string>;
    };
    assert.equal(peerDependencies['onnxruntime-node'], ONNXRUNTIME_VERSION);
  });

  it('a missing onnxruntime-node is reported with the command that installs it', async () => {
    const runtime = await loadRuntime().catch((error: Error) => error);
    if (runtime instanceof Error) {
      assert.match(
        runtime.message,
        /onnxruntime-node is not installed; run `npm install onnxruntime-node@1\.\d+\.\d+`/,
      );
    } else assert.equal(typeof runtime.InferenceSession.create, 'function');
  });
});
