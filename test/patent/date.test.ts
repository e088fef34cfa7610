import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isPriorartError } from '../../src/errors.js';
import { earliestDate, fromEpochDay, parseDate, parseIsoDate, toEpochDay } from '../../src/patent/date.js';
import fc from '../property.js';

it('every form of the offices is parsed', () => {
  for (const form of [
    '20181221',
    '2018.12.21',
    '2018-12-21',
    '2018/12/21',
    ' 2018.12.21. ',
    20181221,
    '２０１８．１２．２１',
  ]) {
    assert.equal(parseDate(form), '2018-12-21', String(form));
  }
});

it('only real days are dates', () => {
  for (const form of [
    '20041200',
    '2023-02-29',
    '20230431',
    '2018.12-21',
    '',
    '0',
    'x',
    undefined,
    null,
    '18-12-21',
  ]) {
    assert.equal(parseDate(form), undefined, String(form));
  }
  assert.equal(parseDate('20240229'), '2024-02-29');
});

it('requests are parsed strictly: the message names field, value and expected form', () => {
  assert.equal(parseIsoDate('2024-02-29'), '2024-02-29');
  assert.equal(parseIsoDate('0001-01-01'), '0001-01-01');
  for (const value of [
    '20240229',
    '2024-2-29',
    '2023-02-29',
    '2024-13-01',
    '',
    '2024-02-29T00:00:00Z',
    ' 2024-02-29',
    '0000-01-01',
  ]) {
    assert.throws(
      () => parseIsoDate(value, 'filing_date_from'),
      (error) =>
        isPriorartError(error) &&
        error.status === 400 &&
        error.message.includes('filing_date_from') &&
        error.message.includes(value) &&
        error.message.includes('expected YYYY-MM-DD'),
    );
  }
});

it('dates convert to whole days and back', () => {
  assert.equal(toEpochDay('1970-01-01'), 0);
  assert.equal(toEpochDay('1969-12-31'), -1);
  fc.assert(
    fc.property(fc.integer({ min: -90_000, max: 90_000 }), (day) => toEpochDay(fromEpochDay(day)) === day),
  );
});

it('the earliest date is found', () => {
  assert.equal(earliestDate(['2001-01-01', undefined, '1999-12-31']), '1999-12-31');
  assert.equal(earliestDate([]), undefined);
});
