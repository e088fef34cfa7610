/** Numbers of offices that no record is of. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isOfOtherOffice } from '../../src/patent/other-office.js';
import { isNumber } from '../../src/search/number-question.js';

it('reads the numbers of other offices in their spellings', () => {
  for (const text of [
    ...[
      'DE102007003914A1',
      'DE 10 2007 003 914 A1',
      'DE 10 2007 003 914.1',
      'DE 197 12 345 C2',
      'DE19712345',
    ],
    ...['DE-A-10 2007 003 914', 'DE-OS 1 234 567', 'DE-A1-19712345', 'DE 20 2007 003 914 U1', 'DD123456A1'],
    ...['GB2345678A', 'GB 2,345,678', 'GB-A-2345678', 'GB 2345678 (A)', 'FR2912345A1', 'FR 2 912 345'],
    ...['TW201812345A', 'TWI612345B', 'TW I612345', 'AU2018123456B2', 'AU 2018/123456 A1', 'AU-B-12345/88'],
    ...[
      'CA2345678C',
      'CA 2,345,678 A1',
      'RU2345678C1',
      'RU 2 345 678 C1',
      'RU 2018123456 A',
      'SU 1234567 A1',
    ],
    ...['BR112018012345A2', 'BR 11 2018 012345-2 A2', 'BRPI0612345A2', 'CH 706 543 A2', 'IN 201841012345 A'],
    ...[
      'ES2345678T3',
      'SE 543210 C2',
      'LU 92345 A1',
      'IT 102018000012345',
      'NL 2012345 C2',
      'MX 2018012345 A',
    ],
  ]) {
    assert.ok(isOfOtherOffice(text), text);
    assert.ok(isNumber(text), text);
    assert.ok(isNumber(` "${text.toLowerCase()}" `), text);
  }
  assert.ok(isNumber('Patent No. DE102007003914A1'));
});

it('reads no words, quantities, standards and names of products', () => {
  for (const text of [
    ...[
      'DE 10 mm screw',
      'CA 125 antigen',
      'AU 2020 solar',
      'CA 125',
      'AU 2020',
      'DE 2020',
      'IN 2018 2019 2020',
    ],
    ...['GB 18030', 'GB 18030-2005', 'GB/T 12345-2010', 'GB 50016', 'IS 456789', 'AT 89C51', 'AT24C02'],
    ...['CO 12345', 'CO2 1234567', 'IN 100,000', 'AT 100 000 Hz', 'BE 1234567 and more', 'IT 12 34 56 78'],
    ...['DE', 'DE A1', 'CA19-9', 'IL-2', 'TH 17', 'SE 1 2 3 4 5 6 7', 'AU 2018 2019', 'DE 2020-01-31'],
    ...['a pump of DE102007003914A1', 'DE102007003914A1 and GB2345678A', 'XX1234567A', 'DEN 1234567'],
    ...[`DE${'1'.repeat(80)}`, `DE ${'1 '.repeat(40)}`, 'DE 102007003914 A1 B2', 'DE-102007003914-A1-'],
  ]) {
    assert.ok(!isOfOtherOffice(text), text);
    assert.ok(!isNumber(text), text);
  }
});
