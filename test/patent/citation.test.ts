import assert from 'node:assert/strict';
import { it } from 'node:test';
import { citedNumbers, citedPatent, priorityOf } from '../../src/patent/citation.js';

it('a cited publication has the name of its record if office and kind are known', () => {
  assert.deepEqual(citedPatent('US', '9,971,313', 'B2'), {
    ...{ patent_id: 'US09971313B2', country: 'US', number: '09971313', kind: 'B2' },
  });
  assert.deepEqual(citedPatent('JP', '2018-524120', 'A'), {
    ...{ patent_id: 'JP30524120A', country: 'JP', number: '30524120', kind: 'A' },
  });
  assert.deepEqual(citedPatent('EP', '3539467'), { country: 'EP', number: '03539467' });
  assert.deepEqual(citedPatent('DE', '10 2010 020 315 ', 'A1'), {
    ...{ country: 'DE', number: '10 2010 020 315', kind: 'A1' },
  });
  assert.deepEqual(
    citedPatent('US', '62454417', 'B'),
    { country: 'US', number: '62454417', kind: 'B' },
    'a provisional application is not a publication, with any kind code of the source',
  );
  assert.deepEqual(
    citedPatent('US', '09/742,144', 'A'),
    { country: 'US', number: '09/742,144', kind: 'A' },
    'an application is not the patent with its digits',
  );
  assert.deepEqual(citedNumbers({ country: 'US', number: '09/742,144', kind: 'A' }), [
    { country: 'US', number: '09742144', application: true },
  ]);
  assert.deepEqual(citedPatent('EP', 'none', 'A1'), { country: 'EP', number: 'none', kind: 'A1' });
});

it('a cited Japanese examined publication has its own kind, whatever digit the source adds', () => {
  const cited = citedPatent('JP', 'H0578571', 'B2');
  assert.deepEqual(cited, { patent_id: 'JP05078571B', country: 'JP', number: '05078571', kind: 'B2' });
  assert.deepEqual(citedNumbers(cited), [{ country: 'JP', number: '05078571', kind: 'B', isEra: true }]);
  assert.equal(citedPatent('JP', '5-78571', 'B2').patent_id, 'JP05078571B');
  const registered = citedPatent('JP', '5078571', 'B2');
  assert.equal(registered.patent_id, 'JP05078571B2');
  assert.deepEqual(citedNumbers(registered), [{ country: 'JP', number: '05078571', kind: 'B2' }]);
  assert.deepEqual(citedPatent('JP', '63-64444'), { country: 'JP', number: '63064444' });
  assert.deepEqual(citedNumbers({ text: 'a book' }), []);
});

it('a cited Japanese number without a kind keeps what tells it from a registration', () => {
  const era = { country: 'JP', number: 'H05160085' };
  assert.deepEqual(citedPatent('JP', '5-160085'), era);
  assert.deepEqual(citedPatent('JP', '5160085', undefined, '19930600'), era);
  assert.deepEqual(citedPatent('JP', '05160085', undefined, '1993-06-25'), era);
  assert.deepEqual(citedNumbers(era), [{ country: 'JP', number: '05160085', isEra: true }]);
  assert.deepEqual(citedPatent('JP', '7-23484').number, 'H07023484');
  assert.deepEqual(citedPatent('JP', '5160085', undefined, '20130313').number, '05160085');
  assert.deepEqual(citedPatent('JP', '2500001', undefined, '19960529').number, '02500001');
  assert.deepEqual(citedPatent('JP', '1234567', undefined, '19850300').number, '01234567');
  assert.deepEqual(citedPatent('JP', 'A-10-100907'), {
    ...{ patent_id: 'JP10100907A', country: 'JP', number: '10100907', kind: 'A' },
  });
  assert.equal(citedPatent('JP', '5160085', 'B2', '19931000').patent_id, 'JP05160085B');
  assert.equal(citedPatent('JP', '5160085', 'B2', '20130313').patent_id, 'JP05160085B2');
});

it('a priority has the form of application numbers', () => {
  assert.deepEqual(priorityOf({ country: 'KR', number: '10-2008-0017061', date: '2008-02-26' }), {
    ...{ country: 'KR', number: '1020080017061', date: '2008-02-26' },
  });
  assert.deepEqual(priorityOf({ country: 'US', number: 'PCT/US2007/014647' }), {
    ...{ country: 'WO', number: 'US2007014647' },
  });
  assert.equal(priorityOf({ country: 'US', number: ' - ' }), undefined);
  // An invalid country is left out; the rest of the priority stays.
  assert.deepEqual(priorityOf({ country: 'J@', number: '2008-017061' }), { number: '2008017061' });
});
