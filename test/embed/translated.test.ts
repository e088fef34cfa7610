/** Questions with their translations, by the model and the table that are shipped. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { staticEmbedder } from '../../src/embed/static.js';
import { embedTranslated, isTranslationUse } from '../../src/embed/translated.js';

const embedder = staticEmbedder();
const { dimensions } = embedder;
/** Without the dimensions that correct for languages. */
const meaning = embedder.languages?.first ?? dimensions;

/** Cosine of the meaning of two texts. */
const cosine = (a: Float32Array, b: Float32Array) => {
  let [ab, aa, bb] = [0, 0, 0];
  for (let d = 0; d < meaning; d++) {
    ab += a[d]! * b[d]!;
    aa += a[d]! ** 2;
    bb += b[d]! ** 2;
  }
  return ab / Math.sqrt(aa * bb);
};
const question = async (text: string) => embedder.embed([text], 'query');
const passage = async (text: string) => embedder.embed([text], 'passage');

describe('questions with their translations', () => {
  it('a short question is near to its translations', async () => {
    for (const [text, near, far] of [
      ['exoskeleton', '一种外骨骼机器人', '一种水管锅炉'],
      ['Zahnbürste', '一种电动牙刷', '一种数控车床'],
      ['칫솔', '一种电动牙刷', '一种数控车床'],
    ] as const) {
      const asked = await question(text);
      const [right, wrong] = [cosine(asked, await passage(near)), cosine(asked, await passage(far))];
      assert.ok(right > 0.3 && right > wrong + 0.2, `${text}: ${right} for ${near}, ${wrong} for ${far}`);
    }
  });

  it('questions of one call do not change each other', async () => {
    const texts = ['exoskeleton', 'qwrtz', '라이다', '', '二氧化碳捕集'];
    const together = await embedder.embed(texts, 'query');
    for (const [n, text] of texts.entries()) {
      assert.deepEqual(together.slice(n * dimensions, (n + 1) * dimensions), await question(text), text);
    }
  });

  it('adds the mean of the translations by a weight that falls with the number of terms', () => {
    /** Vectors of two dimensions: of the question 1, 0; of its translations 0, 1. */
    const rows = (texts: readonly string[]) =>
      Float32Array.from(texts.flatMap((_, n) => (n === 0 ? [1, 0] : [0, 1])));
    const use = { share: 1, full: 1, most: 2 };
    const weightOf = (text: string) => {
      const [x, y] = embedTranslated(rows, [text], 2, use) as unknown as [number, number];
      assert.ok(Math.abs(Math.hypot(x, y) - 1) < 1e-6, `expected a vector of length 1: ${x}, ${y}`);
      return y / x;
    };
    const near = (text: string, weight: number) => {
      const is = weightOf(text);
      assert.ok(Math.abs(is - weight) < 1e-6, `${text}: ${is}, expected ${weight}`);
    };
    near('lidar', 1);
    near('lidar of an exoskeleton', 0.5);
    near('lidar of an exoskeleton with a toothbrush', 0);
    near('the qwrtz', 0);
    near(`lidar ${'qwrtz '.repeat(70)}`, 0);
  });

  it('refuses numbers that are not positive', () => {
    assert.ok(isTranslationUse({ share: 1, full: 4, most: 20 }));
    for (const use of [{}, { share: 0, full: 4, most: 20 }, { share: 1, full: Number.NaN, most: 20 }]) {
      assert.ok(!isTranslationUse(use), JSON.stringify(use));
    }
  });
});
