import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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
  assert.equal(filingKey({ country: 'JP', number: '61-123456U', date: '1986-05-30' }), 'JP1986123456U');
  assert.equal(filingKey({ country: 'JP', number: '5-12345 U', date: '1993-03-19' }), 'JP1993012345U');
  assert.equal(filingKey({ ...heisei, date: '2004-04-05' }), 'JP11097727');
});

describe('US serial numbers without their series', () => {
  const cases: [string, string | undefined, string][] = [
    // The EPO prints the serial number, with P for a provisional application.
    ['516238 P', '2003-10-31', 'US60516238'],
    ['331477 P', '2001-11-16', 'US60331477'],
    ['60410 P', '1997-09-30', 'US60060410'],
    ['1933 P', '2007-11-05', 'US61001933'],
    ['989507 P', '2007-11-21', 'US60989507'],
    ['693971', '2003-10-28', 'US10693971'],
    ['777859', '1991-10-16', 'US07777859'],
    ['933870', '2007-11-01', 'US11933870'],
    ['516238', '1990-04-27', 'US07516238'],
    // DOCDB and EPODOC
    ['20100942680', '2010-11-09', 'US12942680'],
    ['US20030533301P', '2003-12-30', 'US60533301'],
    ['2002 291320', '2002-11-08', 'US10291320'],
    // Near a change, the serial number tells the series.
    ['23667', '2004-12-28', 'US11023667'],
    ['788', '2007-12-17', 'US12000788'],
    ['966211', '2007-12-28', 'US11966211'],
    // The number does not fit its day, or the day is unknown: the number keeps its year.
    ['516238', '2003-10-31', 'US20030516238'],
    ['516238 P', '2013-10-31', 'US20130516238P'],
    ['516238 P', '1990-04-27', 'US19900516238P'],
    ['20100942680', undefined, 'US20100942680'],
    ['20100942680', '2013-11-09', 'US20100942680'],
    ['516238 F', '1990-04-27', 'US19900516238'],
    ['516238', undefined, 'US516238'],
    // The series is stated.
    ['60/516,238', '2003-10-31', 'US60516238'],
    ['8/516,238', '1995-10-31', 'US08516238'],
    ['201514865040', '2015-09-25', 'US14865040'],
    ['202062962762 P', '2020-01-17', 'US62962762'],
  ];
  for (const [number, date, key] of cases) {
    it(`${number} of ${date}`, () => assert.equal(filingKey({ country: 'US', number, date }), key));
  }

  it('are no family without a date', () => {
    assert.equal(deriveFamilyId(undefined, [{ country: 'US', number: '516238' }]), undefined);
    const own = { country: 'EP', number: '04106384.3' };
    assert.equal(deriveFamilyId(own, [{ country: 'US', number: '516238' }]), 'EP04106384');
  });
});
