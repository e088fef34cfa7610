import assert from 'node:assert/strict';
import { it } from 'node:test';
import { deriveFamilyId, filingKey } from '../../src/patent/family.js';

it('a first filing and its foreign filings are one family, in any spelling of the offices', () => {
  const first = deriveFamilyId({ country: 'KR', number: '10-2008-0017061' }, []);
  const american = deriveFamilyId({ country: 'US', number: '12345678' }, [
    { country: 'KR', number: '10-2008-0017061', date: '2008-02-26' },
    { country: 'KR', number: '10-2008-0099999', date: '2008-10-10' },
  ]);
  assert.equal(first, 'KR1020080017061');
  assert.equal(american, first);
});

it('the earliest priority is chosen, and of one day the first by key', () => {
  const filings = [
    { country: 'US', number: '60/000,002', date: '2001-01-01' },
    { country: 'US', number: '60/000,001', date: '2001-01-01' },
    { country: 'DE', number: '1' },
  ];
  assert.equal(deriveFamilyId(undefined, filings), 'US60000001');
  assert.equal(deriveFamilyId(undefined, [...filings].reverse()), 'US60000001');
});

it('an international application has one key at every office', () => {
  assert.equal(filingKey({ country: 'US', number: 'PCT/US2007/014647' }), 'WOUS2007014647');
  assert.equal(filingKey({ country: 'WO', number: 'PCT/US2007/014647' }), 'WOUS2007014647');
  assert.equal(deriveFamilyId(undefined, []), undefined);
});

it('the era of a Japanese application number follows from its date', () => {
  const heisei = { country: 'JP', number: '11-097727', date: '1999-04-05' };
  assert.equal(filingKey(heisei), filingKey({ country: 'JP', number: '特願平11-97727' }));
  assert.equal(filingKey({ country: 'JP', number: '61-123456', date: '1986-05-30' }), 'JP1986123456');
  assert.equal(filingKey({ ...heisei, date: '2004-04-05' }), 'JP11097727');
});
