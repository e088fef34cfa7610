import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fiCode, fTerm, nationalClass } from '../../../src/ingest/readers/national-codes.js';

describe('classifications of single offices', () => {
  it('USPC codes of fixed columns have one form', () => {
    const codes = ['4353201', '428 641', 'D14387', 'D 6626', '600300000', '002069000', '416134100', 'PLT156'];
    assert.deepEqual(codes.map(nationalClass), [
      ...['435/320.1', '428/64.1', 'D14/387', 'D6/626', '600/300', '2/69', '416/134.1', 'PLT/156'],
    ]);
    assert.deepEqual(['', '705', '   123'].map(nationalClass), [undefined, undefined, undefined]);
  });

  it('FI symbols and F-terms have one form in every source', () => {
    for (const written of [
      'E04D13/064 501A',
      'E04D13/064,501A',
      '4E04D13  /064  501A',
      'Ｅ０４Ｄ１３／０６４　５０１Ａ',
    ])
      assert.equal(fiCode(written), 'E04D 13/064 501A', written);
    assert.equal(fiCode('4E04D13/068@B'), 'E04D 13/068 B');
    assert.equal(fiCode(' no code '), 'no code');
    assert.deepEqual(['2E108/AA01', '2E108AA01', '2E108 AA01'].map(fTerm), Array(3).fill('2E108AA01'));
  });
});
