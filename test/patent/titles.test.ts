import assert from 'node:assert/strict';
import { it } from 'node:test';
import { titlesOf } from '../../src/patent/record.js';

it('the titles of all languages are returned, each once', () => {
  assert.equal(titlesOf({ title: 'A', titles: { en: 'A', ko: '가', ja: ' ' } }), 'A\n가');
  assert.equal(titlesOf({ titles: { de: 'B' } }), 'B');
  assert.equal(titlesOf({}), '');
});
