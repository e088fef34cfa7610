import assert from 'node:assert/strict';
import { it } from 'node:test';
import { claimedPriority, priorityDate } from '../../src/patent/priority.js';

const filing_date = '2011-01-01';
const claim = (date?: string) => ({ number: '1', ...(date === undefined ? {} : { date }) });

it('the priority date is the earliest claim, in any order of the claims', () => {
  for (const priorities of [
    [claim('2010-01-01'), claim('2009-05-05'), claim()],
    [claim(), claim('2009-05-05'), claim('2010-01-01')],
  ])
    assert.equal(priorityDate({ priorities, filing_date }), '2009-05-05');
});

it('a stated priority date counts as it is', () => {
  const stated = { priority_date: '2010-02-02', priorities: [claim('2010-01-01')], filing_date };
  assert.equal(priorityDate(stated), '2010-02-02');
});

it('without claims the filing date counts; of claims without days the date is unknown', () => {
  assert.equal(priorityDate({ filing_date }), filing_date);
  assert.equal(priorityDate({ priorities: [], filing_date }), filing_date);
  assert.equal(priorityDate({ priorities: [claim()], filing_date }), undefined);
  assert.equal(claimedPriority({}), undefined);
});
