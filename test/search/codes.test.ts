import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutCodes } from '../../src/search/codes.js';

test('codes and numbers beside other words are left out of what is embedded', () => {
  for (const [question, rest] of [
    ['H01M10/0525 固态电解质', '固态电解质'],
    ['固态电解质 H01M 10/0525', '固态电解质'],
    ['A61K hair loss', 'hair loss'],
    ['CN110006408A 激光雷达', '激光雷达'],
    ['like KR 10-2020-0104349 but smaller', 'like   but smaller'],
    ['US 9,971,313 B2 antenna', 'antenna'],
    ['전해질 H01M', '전해질'],
  ] as const) {
    assert.equal(withoutCodes(question), rest);
  }
});

test('a question of codes alone, and what only resembles a code, stays', () => {
  for (const question of [
    'H01M10/0525',
    'H01M G06F',
    'CN110006408A',
    'LiFePO4 cathode',
    'ISO 26262 brake',
    'B2B marketplace',
    'C10H16 synthesis',
    'PCT-50 valve',
    'CN 7 connector',
    'H2O2 sensor',
    '5G NR',
  ]) {
    assert.equal(withoutCodes(question), question);
  }
});
