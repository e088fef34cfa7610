/**
 * The Rust tokenizer and vectors, called from JavaScript, against the Python training code (`models/static/train`),
 * on real texts in four languages and on random Unicode. PRIORART_TEST_TEXTS sets the number of texts.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { openStaticModel } from '../../src/embed/static.js';
import { noPython, PYTHON } from '../house/python.js';
import { MODEL, noModel } from './model-file.js';

const DATA = resolve('../shared/data/parallel');
const TRAIN = resolve('models/static/train');
const COUNT = Number(process.env['PRIORART_TEST_TEXTS'] ?? 10_000);

function reasonToSkip(): string | false {
  if (noModel) return noModel;
  if (!existsSync(DATA)) return `no texts at ${DATA}`;
  if (noPython) return noPython;
  const check = 'import numpy, xxhash, unicodedata; assert unicodedata.unidata_version == "14.0.0"';
  const { status } = spawnSync(PYTHON, ['-c', check]);
  return status === 0 ? false : `${PYTHON} is not Python 3.11 with numpy and xxhash`;
}

/** Reproducible numbers in 0..1 (Mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Single fields of lines of every file, evenly. */
function realTexts(count: number): string[] {
  const files = readdirSync(DATA).filter((name) => name.endsWith('.tsv.gz'));
  const each = Math.ceil(count / files.length);
  const texts = files.flatMap((name) => {
    const fields = gunzipSync(readFileSync(join(DATA, name)))
      .toString('utf8')
      .split(/[\t\n]/)
      .filter(Boolean);
    const step = Math.max(1, Math.floor(fields.length / each));
    return fields.filter((_, n) => n % step === 0).slice(0, each);
  });
  return texts.slice(0, count);
}

/** Texts of any characters, mostly from one neighbourhood, so that they combine. */
function randomTexts(count: number, draw: () => number): string[] {
  const below = (n: number) => Math.floor(draw() * n);
  const areas = [
    [0x00, 0x80],
    [0x80, 0x580],
    [0x300, 0x370],
    [0x370, 0x400],
    [0x590, 0x1100],
    [0x1100, 0x1200],
    [0x1ab0, 0x2000],
    [0x2000, 0x2c00],
    [0x3000, 0x3400],
    [0x4e00, 0xa000],
    [0xac00, 0xd7b0],
    [0xd800, 0xe000],
    [0xf900, 0x10000],
    [0x1_0000, 0x2_0000],
    [0x1_d400, 0x1_d800],
    [0x2_0000, 0x3_2400],
    [0, 0x11_0000],
  ] as const;
  return Array.from({ length: count }, () => {
    let text = '';
    for (let part = below(5); part >= 0; part--) {
      const [from, to] = areas[below(areas.length)]!;
      const start = from + below(to - from);
      for (let n = below(8); n >= 0; n--) {
        text += String.fromCodePoint(
          Math.min(0x10ffff, Math.max(0, draw() < 0.5 ? start + below(16) : from + below(to - from))),
        );
      }
      if (draw() < 0.3) text += ['\u0301', '\u0323', '\u3099', '\u1161', '\u11a8', ' ', 'Σ', '①'][below(8)]!;
    }
    return text;
  });
}

/** Every code point alone, and every one between letters and before a combining mark. */
function allCodePoints(): string[] {
  const texts: string[] = [];
  for (let from = 0; from < 0x11_0000; from += 64) {
    const chars = Array.from({ length: 64 }, (_, n) => String.fromCodePoint(from + n));
    texts.push(
      chars.join(' '),
      chars.map((c) => `a${c}b`).join(' '),
      chars.map((c) => `${c}\u0301`).join('.'),
    );
  }
  return texts;
}

it('ids and vectors equal those of the training code', { skip: reasonToSkip() }, (t) => {
  const real = realTexts(Math.floor(COUNT * 0.6));
  const texts = [...real, ...randomTexts(COUNT - real.length, random(4)), ...allCodePoints()];
  const dir = mkdtempSync(join(tmpdir(), 'priorart-identity-'));
  try {
    // JSON.stringify writes lone surrogates as escapes, which Python decodes unchanged.
    writeFileSync(
      join(dir, 'texts'),
      texts.map((text) => JSON.stringify(text).replace(/[\u007f-\uffff]/g, escaped)).join('\n'),
    );
    const stdio = [openSync(join(dir, 'texts'), 'r'), openSync(join(dir, 'out'), 'w'), 'inherit' as const];
    const { status } = spawnSync(PYTHON, [join(TRAIN, 'unpack.py'), MODEL], { stdio });
    assert.equal(status, 0, 'unpack.py failed');
    const out = readFileSync(join(dir, 'out'));
    const expected = out.buffer.slice(out.byteOffset, out.byteOffset + out.byteLength);

    const model = openStaticModel(MODEL);
    const { ids, offsets } = model.tokenize(texts);
    const vectors = model.embed(texts);
    const { dimensions } = model;
    let at = 0;
    let differing = 0;
    let pieces = 0;
    for (const [n, text] of texts.entries()) {
      const count = new DataView(expected).getUint32(at, true);
      const wanted = new Uint32Array(expected, at + 4, count);
      const vector = new Float32Array(expected, at + 4 + 4 * count, dimensions);
      at += 4 + 4 * (count + dimensions);
      pieces += count;
      const got = ids.subarray(offsets[n], offsets[n + 1]);
      assert.deepEqual(got, wanted, `ids of ${JSON.stringify(text)}`);
      const own = vectors.subarray(n * dimensions, (n + 1) * dimensions);
      if (Buffer.compare(Buffer.from(own.slice().buffer), Buffer.from(vector.slice().buffer)) !== 0)
        differing++;
      const near = own.every((x, d) => Math.abs(x - vector[d]!) <= 1e-6);
      assert.ok(near, `vector of ${JSON.stringify(text)}`);
    }
    assert.equal(at, expected.byteLength);
    t.diagnostic(`${texts.length} texts, ${pieces} pieces; vectors that differ in any bit: ${differing}`);
    model.close();
  } finally {
    rmSync(dir, { recursive: true });
  }
});

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
