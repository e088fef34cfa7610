/** What the page calls things: languages, names that are told apart, labels of plots. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LANGUAGES, languageFor, textsIn } from '../../src/page/languages/index.js';
import { labelledDays } from '../../src/page/model/day-labels.js';
import { distinctNames } from '../../src/page/model/distinct-names.js';
import { isolated } from '../../src/page/model/isolated.js';
import { yearAxis } from '../../src/page/model/year-axis.js';

describe('names of accounts and keys', () => {
  it('have the id behind them where two of an account are equal', () => {
    const keys = [
      { id: 'k1', account: 'a', name: 'server' },
      { id: 'k2', account: 'a', name: 'server' },
      { id: 'k3', account: 'b', name: 'server' },
      { id: 'k4', account: 'b', name: 'other' },
    ];
    assert.deepEqual([...distinctNames(keys).values()], ['server (k1)', 'server (k2)', 'server', 'other']);
    assert.deepEqual(
      [...distinctNames(keys.map(({ account: _, ...account }) => account)).values()],
      ['server (k1)', 'server (k2)', 'server (k3)', 'other'],
    );
  });

  it('turn nothing behind them, whatever marks of direction they hold', () => {
    assert.equal(isolated('삼성 SDI, Co.'), '삼성 SDI, Co.', 'most names stay as they are');
    assert.equal(isolated('a\u202eb'), '\u2068a\u202eb\u2069');
    assert.equal(isolated('a\u2069\u202eb'), '\u2068a\u202eb\u2069', 'a name cannot end its isolate');
    assert.equal(isolated('חברה'), '\u2068חברה\u2069');
    const keys = [1, 2].map((n) => ({ id: `k${n}`, name: 'a\u202eb' }));
    assert.equal(distinctNames(keys).get('k1'), '\u2068a\u202eb\u2069 (k1)');
  });
});

describe('the years under a plot', () => {
  it('are all there on a phone, turned if they have to be', () => {
    assert.deepEqual(yearAxis(900, 20), { steps: [1, 2, 5, 10, 20, 50], rotate: 0, height: 32 });
    assert.deepEqual(yearAxis(300, 16), { steps: [1], rotate: -90, height: 46 });
    assert.equal(yearAxis(300, 60).rotate, 0, 'sixty labels fit in no way');
  });
});

describe('the language', () => {
  it('has words of its own for less like this, which is no exclusion, and for the publication of a grant', async () => {
    const excluding = { en: /exclu/i, ko: /제외/, ja: /除/, zh: /排除/ };
    for (const { code, results } of await Promise.all(LANGUAGES.map(textsIn))) {
      assert.doesNotMatch(results.lessLike, excluding[code as keyof typeof excluding], code);
      assert.notEqual(results.publishedGrant, results.published, code);
    }
  });

  it('is the first that the browser asks for and the page has', () => {
    assert.equal(languageFor(['fr-FR', 'ko-KR', 'en']), 'ko');
    assert.equal(languageFor(['zh-Hant-TW']), 'zh');
    assert.equal(languageFor(['de']), 'en');
  });
});

it('the last day of a plot has a label, whatever the step is', () => {
  for (const days of [1, 7, 30, 90])
    for (const step of [1, 2, 5, 20, 200]) {
      const labels = labelledDays(days, step);
      assert.equal(labels.at(-1), days - 1, `${days} ${step}`);
      assert.ok(labels.every((at, n) => at >= 0 && (n === 0 || at - labels[n - 1]! === step)));
      assert.ok(labels[0]! < step, 'none is missing at the beginning');
    }
});
