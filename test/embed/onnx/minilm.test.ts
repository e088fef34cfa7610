/**
 * A published model, MiniLM, as an ONNX graph: its vectors, its speed compared with the runtime alone, and worker
 * threads.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { openOnnxEmbedder } from '../../../src/embed/onnx/embedder.js';
import { loadRuntime } from '../../../src/onnx/runtime.js';
import { makeModels, noOnnx, referenceVectors } from '../../onnx/models.js';

const TEXTS = [
  'A battery module whose cells are immersed in a dielectric liquid that flows along their sides.',
  'Cooling of electrochemical cells with a coolant',
  'A surgical stapler with a cartridge that holds rows of staples.',
  'Größe der Straße; élève',
  'a b c',
  'The method of claim 1, wherein the housing is made of aluminium. '.repeat(40),
];

describe('MiniLM', { skip: noOnnx }, () => {
  let folder: string;
  before(() => {
    folder = `${makeModels('--minilm')}/minilm`;
  });

  const open = () =>
    openOnnxEmbedder({
      kind: 'onnx',
      folder,
      pooling: 'mean',
      dimensions: 384,
      maxTokens: 512,
      windowTokens: 128,
      threads: 1,
    });

  it('has the vectors of Python, and similar vectors for similar meanings', async () => {
    const common = { folder, graph: 'onnx/model.onnx', pooling: 'mean', windowTokens: 128 };
    const [expected] = referenceVectors([{ ...common, texts: TEXTS }]) as [number[][]];
    const embedder = await open();
    const vectors = await embedder.embed(TEXTS, 'passage');
    const row = (n: number) => vectors.subarray(n * 384, (n + 1) * 384);
    for (const [n, wanted] of expected.entries()) {
      const far = wanted.reduce((most, x, d) => Math.max(most, Math.abs(x - row(n)[d]!)), 0);
      assert.ok(far < 1e-3, `text ${n} differs by ${far}`);
    }
    const cosine = (a: number, b: number) => row(a).reduce((sum, x, d) => sum + x * row(b)[d]!, 0);
    assert.ok(cosine(0, 1) > cosine(0, 2) + 0.1, `${cosine(0, 1)}, ${cosine(0, 2)}`);
    await embedder.close();
  });

  it('gives a text the same vector with any concurrent requests, quantised, too', async () => {
    const int8 = {
      kind: 'onnx',
      folder: `${folder}-int8`,
      pooling: 'mean',
      dimensions: 384,
      maxTokens: 512,
      threads: 1,
    } as const;
    const embedder = await openOnnxEmbedder(int8);
    const short = TEXTS.slice(0, 5);
    const together = await embedder.embed(short, 'passage');
    for (const [n, text] of short.entries()) {
      assert.deepEqual(await embedder.embed([text], 'passage'), together.subarray(n * 384, (n + 1) * 384));
    }
    await embedder.close();
  });

  it('costs at most 10 % more than the runtime alone for the same batches', async (t) => {
    const { InferenceSession } = await loadRuntime();
    const embedder = await open();
    const bare = await InferenceSession.create(`${folder}/onnx/model.onnx`, {
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
    });
    const texts = Array.from({ length: 64 }, (_, n) => TEXTS[n % 3]!.repeat(1 + (n % 4)));
    const ratios: number[] = [];
    // Processor time, and the lowest of several ratios, because other programs on the machine raise single ones.
    for (let round = 0; round < 4 && !ratios.some((ratio) => ratio < 1.05); round++) {
      const runs: Record<string, Tensor>[] = [];
      const restore = recordRuns(InferenceSession, runs);
      const whole = await cpuOf(() => embedder.embed(texts, 'passage'));
      restore();
      const core = await cpuOf(async () => {
        for (const feeds of runs) await bare.run(feeds, ['last_hidden_state']);
      });
      ratios.push(whole / core);
    }
    t.diagnostic(
      `processor time of embedding / of the bare runs: ${ratios.map((x) => x.toFixed(3)).join(', ')}`,
    );
    assert.ok(Math.min(...ratios) < 1.1, ratios.join(', '));
    await Promise.all([embedder.close(), bare.release()]);
  });

  it('runs in several worker threads at once, which may end without closing it', async () => {
    const url = new URL('../../../src/embed/onnx/embedder.js', import.meta.url).href;
    const config = { kind: 'onnx', folder, pooling: 'mean', dimensions: 384, maxTokens: 512, threads: 1 };
    const code = `
      const { parentPort } = require('node:worker_threads');
      import(${JSON.stringify(url)})
        .then(({ openOnnxEmbedder }) => openOnnxEmbedder(${JSON.stringify(config)}))
        .then((embedder) => embedder.embed(['battery'], 'query'))
        .then((vector) => parentPort.postMessage(vector));`;
    const vectors = await Promise.all(
      [1, 2].map(async () => {
        const worker = new Worker(code, { eval: true });
        const vector = await new Promise<Float32Array>((resolve, reject) => {
          worker.once('message', resolve);
          worker.once('error', reject);
        });
        await worker.terminate();
        return vector;
      }),
    );
    const embedder = await open();
    const own = await embedder.embed(['battery'], 'query');
    for (const vector of vectors) assert.deepEqual(vector, own);
    await embedder.close();
  });
});

/** Records the inputs of every run of any session, until the returned function is called. */
function recordRuns(sessions: { prototype: InferenceSession }, runs: Record<string, Tensor>[]): () => void {
  const { run } = sessions.prototype;
  sessions.prototype.run = function (this: InferenceSession, feeds, fetches) {
    runs.push(feeds);
    return run.call(this, feeds, fetches);
  };
  return () => {
    sessions.prototype.run = run;
  };
}

async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
