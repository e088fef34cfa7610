/** Nested bodies are refused by their bytes, before they reach a parser or a validator. */
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { describe, it } from 'node:test';
import { depthExceeds } from '../../src/http/json-body.js';
import { BODY_MAX_BYTES, JSON_MAX_DEPTH } from '../../src/limits.js';
import { ANALYTICS, DETAILS, onEachAdapter, SEMANTIC, Service } from '../api/service.js';
import fc from '../property.js';

describe('the depth of JSON', () => {
  function depthOf(value: unknown): number {
    if (typeof value !== 'object' || value === null) return 0;
    return 1 + Math.max(0, ...Object.values(value).map(depthOf));
  }

  it('the depth ignores the content of strings', () => {
    const texts = fc.string({ unit: fc.constantFrom('[', '{', ']', '}', '"', '\\', 'é', ',') });
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        texts,
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(texts, tie('tree'), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        const bytes = Buffer.from(JSON.stringify(value));
        const depth = depthOf(value);
        assert.equal(depthExceeds(bytes, depth), false);
        if (depth > 0) assert.equal(depthExceeds(bytes, depth - 1), true);
      }),
    );
  });

  it('a megabyte of brackets is measured in linear time', () => {
    const started = performance.now();
    for (let i = 0; i < 1_000; i++)
      assert.ok(depthExceeds(new Uint8Array(BODY_MAX_BYTES).fill(0x5b), JSON_MAX_DEPTH));
    assert.ok(
      performance.now() - started < 3_000,
      `expected less than 3 s: ${performance.now() - started} ms`,
    );
  });
});

onEachAdapter('nested bodies', (adapter) => {
  it('a depth above the limit is 400 at every endpoint, sign-in included', async (t) => {
    const service = await Service.start(adapter, 10_000, {}, { adminSecret: 'the secret of this test' });
    t.after(() => service.stop());
    const paths = [SEMANTIC, ANALYTICS, DETAILS, '/admin/api/v1/session'];
    for (const path of paths) {
      for (const depth of [JSON_MAX_DEPTH, 5_000, 200_000]) {
        for (const [open, close] of [
          ['[', ']'],
          ['{"a":', '}'],
        ] as const) {
          const value = open.repeat(depth) + (open === '[' ? '' : '1') + close.repeat(depth);
          const { status, json } = await service.post(path, `{"secret":${value}}`.slice(0, BODY_MAX_BYTES));
          assert.equal(status, 400, `${path}: ${JSON.stringify(json)}`);
          assert.match(String((json as { detail: string }).detail), /nested more than 32 levels deep/);
        }
      }
      const few = JSON_MAX_DEPTH - 1;
      const shallow = await service.post(path, `{"secret":${'['.repeat(few)}${']'.repeat(few)}}`);
      assert.equal(shallow.status, 422, shallow.text);
    }
  });
});
