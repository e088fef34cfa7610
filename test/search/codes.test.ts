import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutCodes, withoutGroups, withoutNumerals } from '../../src/search/codes.js';

test('codes and numbers beside other words are left out of what is embedded', () => {
  for (const [question, rest] of [
    ['H01M10/0525 固态电解质', '固态电解质'],
    ['固态电解质 H01M 10/0525', '固态电解质'],
    ['A61K hair loss', 'hair loss'],
    ['CN110006408A 激光雷达', '激光雷达'],
    ['like KR 10-2020-0104349 but smaller', 'like   but smaller'],
    ['US 9,971,313 B2 antenna', 'antenna'],
    ['전해질 H01M', '전해질'],
    ['WO 2019/135546 A1 lid', 'lid'],
    ['WO/2019/135546 A1 lid', 'lid'],
    ['PCT/KR2018/016728 lid', 'lid'],
    ['G12C 10/05 lid', 'lid'],
    ['A61K KRAS G12C inhibitor', 'KRAS G12C inhibitor'],
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
    'KRAS G12C inhibitor',
    'KRAS G12D',
    'AKT1 E17K',
    'alpha-synuclein A53T',
    'Cas9 D10A nickase',
    'C45E steel',
    'H07V-K cable',
  ]) {
    assert.equal(withoutCodes(question), question);
  }
});

test('the words of a question keep what has the form of a subclass', () => {
  for (const question of [
    'A61K hair loss',
    'KRAS G12C inhibitor',
    '전해질 H01M',
    'H01M G06F',
    'H01M10/0525',
  ]) {
    assert.equal(withoutGroups(question), question);
  }
  assert.equal(withoutGroups('H01M 10/0525 固态电解质 H01M'), '固态电解质 H01M');
  assert.equal(withoutGroups('A61K CN110006408A lid'), 'A61K   lid');
});

test('a pasted claim loses its number and the numerals of its drawings', () => {
  for (const [claim, rest] of [
    [
      '1. A rice transplanter comprising a frame (1), a seedling box (2a) and a planting arm (10, 12) driven by a motor.',
      ' A rice transplanter comprising a frame  , a seedling box   and a planting arm   driven by a motor.',
    ],
    [
      '【請求項１】回転する苗載台（１０）と、前記苗載台（１０）から苗を受け取る植付爪（１２）とを備える田植機であって、植付爪（12）は支持軸（20）の周りに回転し、植付深さを調整できる田植機。',
      '回転する苗載台 と、前記苗載台 から苗を受け取る植付爪 とを備える田植機であって、植付爪 は支持軸 の周りに回転し、植付深さを調整できる田植機。',
    ],
  ] as const) {
    assert.equal(withoutNumerals(claim), rest);
  }
  assert.equal(withoutNumerals('权利要求1：一种插秧机，包括机架(1)'), '：一种插秧机，包括机架 ');
  assert.equal(withoutNumerals('机架(1)、秧箱(2)、插植臂(3)'), '机架 、秧箱 、插植臂 ');
  for (const question of [
    'silicon (111) and (100) wafers, both polished on one side and bonded to each other',
    'A semiconductor wafer whose surface is a plane with the Miller indices (111), and a method',
    '(10)(12)(14)(16)',
    '1.5 tonnes of steel are rolled to a thickness of 3 mm in a hot mill with three stands',
  ]) {
    assert.equal(withoutNumerals(question), question);
  }
});
