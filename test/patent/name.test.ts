import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  companyKey,
  companyKeys,
  companyMatches,
  isLegalForm,
  personKey,
  personMatches,
} from '../../src/patent/name.js';
import fc from '../property.js';

describe('company names', () => {
  const alike: string[][] = [
    ['가나전자 주식회사', '가나 전자(주)', '㈜가나전자', '주식회사 가나전자', '(주) 가나전자'],
    ['株式会社あさひ', 'あさひ株式会社', '㈱あさひ', '（株）あさひ'],
    ['东山科技有限公司', '东山科技股份有限公司', '东山 科技 有限责任公司'],
    [
      'Foo Bar Co., Ltd.',
      'FOO BAR CO LTD',
      'foo bar',
      'Foo Bar, Inc.',
      'Foo-Bar Corp.',
      'FOO BAR COMPANY, LIMITED',
    ],
    ['Müller GmbH & Co. KG', 'MULLER GMBH', 'Müller AG', 'Muller S.A.', 'Müller B.V.', 'Müller A/S'],
    ['Midori Chemical Co., Ltd.', 'Mido\u00adri Chem\ufeffical Co., L\u2060td.'],
    ['Kabushiki Kaisha Midori', 'Midori K.K.', 'MIDORI KABUSHIKI KAISHA', 'Ｍｉｄｏｒｉ'],
  ];
  for (const names of alike) {
    it(`${names[0]} in ${names.length} spellings has one key`, () => {
      assert.deepEqual(new Set(names.map(companyKey)).size, 1, names.map(companyKey).join(' | '));
    });
  }
  it('legal forms in old characters are known, and the key without them is searched, too', () => {
    for (const name of ['三星電子株式會社', '株式會社三星電子', '三星電子 有限會社', '三星電子合資會社'])
      assert.equal(companyKey(name), '三星電子', name);
    assert.equal(companyKey('株式會社LG化學'), 'lg化學');
    assert.equal(companyKey('學校法人延世大學校'), '延世大學校');
    assert.equal(companyKey('財團法人工業技術研究院'), '工業技術研究院');
    assert.ok(isLegalForm('株式會社') && isLegalForm('學校法人'));
    assert.deepEqual(companyKeys('株式會社LG化學'), ['lg化學', '株式會社lg化學']);
    assert.deepEqual(companyKeys('三星電子株式会社'), ['三星電子']);
    // Keys of stored names.
    assert.equal(companyKey('財団法人電力中央研究所'), '財団法人電力中央研究所');
  });

  it('legal forms are removed at the ends only, and never the whole name', () => {
    assert.equal(companyKey('광주'), '광주');
    assert.equal(companyKey('Agfa'), 'agfa');
    assert.equal(companyKey('Coca Inc Cola'), 'coca inc cola');
    assert.notEqual(companyKey('Co., Ltd.'), '');
    assert.notEqual(companyKey('株式会社'), '');
  });
  it('the key of a name of any length is made in a moment', () => {
    for (const form of ['有限公司', ' co', '(주)', '株式会社 ']) {
      const name = `Acme${form.repeat(100_000 / form.length)}`;
      const started = performance.now();
      const key = companyKey(name);
      assert.ok(performance.now() - started < 1000, form);
      assert.equal(companyKey(key), key);
    }
  });
  it('a long name is compared up to its thousandth character', () => {
    const words = 'abcd '.repeat(198).trim();
    assert.equal(companyKey(`${words} Inc.`), words);
    assert.notEqual(companyKey(`${words}x`), companyKey(`${words}y`));
    assert.equal(companyKey(`${words} abcd abcd efgh`), companyKey(`${words} abcd abcd ijkl`));
  });
  it('a name matches by containing, prefix and the whole', () => {
    const key = companyKey('Midori Chemical Co., Ltd.');
    assert.equal(companyMatches(key, companyKey('chemical'), 'contains'), true);
    assert.equal(companyMatches(key, companyKey('chemical'), 'prefix'), false);
    assert.equal(companyMatches(key, companyKey('MIDORI'), 'prefix'), true);
    assert.equal(companyMatches(key, companyKey('Midori'), 'exact'), false);
    assert.equal(companyMatches(key, companyKey('midori chemical'), 'exact'), true);
  });
  it('the key of a key is the same key', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (name) => {
        const key = companyKey(name);
        assert.equal(companyKey(key), key);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('names of people', () => {
  it('a person is found by either name, in either order', () => {
    for (const term of ['baik', 'BAIK, In', 'In Sub', 'in sub baik', 'Sub']) {
      assert.equal(personMatches('BAIK, In Sub', personKey(term)), true, term);
    }
    assert.equal(personMatches('BAIK, In Sub', personKey('aik')), false);
    assert.equal(personMatches('홍길동', personKey('홍길')), true);
    assert.equal(personMatches('Mül\u00adler, Jür\ufeffgen', personKey('muller')), true);
    assert.equal(personMatches('홍길동', personKey('길동')), false);
    assert.equal(personMatches('Müller, Jürgen', personKey('muller')), true);
  });
});
