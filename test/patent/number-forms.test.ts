/** Numbers in other notations and back: generated ones of every office, and real ones if data is available. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { normaliseApplicationNumber } from '../../src/patent/application-number.js';
import { type Country, isCountry } from '../../src/patent/country.js';
import { parsePatentNumber, publicationNumber } from '../../src/patent/number.js';
import { docdbForm, docdbNumber, literatureForm, officeForm } from '../../src/patent/number-forms.js';
import fc from '../property.js';

interface Numbered {
  country: Country;
  number: string;
  kind_code: string;
}

const serial = (digits: number, from = 1, to = 10 ** digits - 1) =>
  fc.integer({ min: from, max: to }).map((n) => String(n).padStart(digits, '0'));
const year = (from: number, to: number) => fc.integer({ min: from, max: to });
const of = (country: Country, numbers: fc.Arbitrary<string>, ...kinds: string[]): fc.Arbitrary<Numbered> =>
  fc.record({ country: fc.constant(country), number: numbers, kind_code: fc.constantFrom(...kinds) });
const dated = (prefix: string, from: number, digits: number) =>
  fc.tuple(year(from, 2029), serial(digits)).map(([y, n]) => `${prefix}${y}${n}`);

/** Every series of publication numbers of the offices. */
const SERIES: Record<string, fc.Arbitrary<Numbered>> = {
  'KR applications': of('KR', dated('10', 1983, 7), 'A'),
  'KR utility models': of('KR', dated('20', 1983, 7), 'U'),
  // Some look like years: 10-1917335 is of 2018.
  'KR grants': of(
    'KR',
    serial(7).map((n) => `10${n}0000`),
    'B1',
  ),
  'KR utility grants': of(
    'KR',
    serial(7)
      .filter((n) => !/^(?:19|20)/.test(n))
      .map((n) => `20${n}0000`),
    'Y1',
  ),
  // Fewer than a million a year: DOCDB omits the first of the seven digits.
  'US applications': of(
    'US',
    fc.tuple(year(2001, 2029), serial(6)).map(([y, n]) => `${y}0${n}`),
    'A1',
    'A2',
    'A9',
  ),
  'US grants': of('US', serial(8, 1_000_000), 'B1', 'B2', 'A'),
  'US designs': of(
    'US',
    serial(7).map((n) => `D${n}`),
    'S1',
  ),
  'US plants': of(
    'US',
    serial(5).map((n) => `PP0${n}`),
    'P2',
    'P3',
  ),
  'US reissues': of(
    'US',
    serial(5).map((n) => `RE0${n}`),
    'E1',
  ),
  'EP A': of(
    'EP',
    serial(7).map((n) => `0${n}`),
    'A1',
    'A2',
    'A8',
    'A9',
  ),
  'EP B': of(
    'EP',
    serial(7).map((n) => `0${n}`),
    'B1',
    'B9',
  ),
  // Heisei and Reiwa count on from 1989, Showa from 1926.
  'JP applications': of(
    'JP',
    fc.tuple(fc.oneof(year(1, 40), year(46, 63)), serial(6)).map(([y, n]) => String(y).padStart(2, '0') + n),
    'A',
  ),
  'JP translations': of(
    'JP',
    fc.tuple(year(8, 40), serial(6)).map(([y, n]) => String(y).padStart(2, '0') + n),
    'T',
  ),
  'JP re-publications': of(
    'JP',
    fc.tuple(fc.oneof(year(1, 33), year(54, 63)), serial(6)).map(([y, n]) => String(y).padStart(2, '0') + n),
    'A1',
  ),
  'JP grants': of(
    'JP',
    serial(7, 1_000_000).map((n) => `0${n}`),
    'B1',
    'B2',
  ),
  'JP utility models': of(
    'JP',
    serial(7, 3_000_001).map((n) => `0${n}`),
    'U',
  ),
  'JP examined publications': of(
    'JP',
    fc
      .tuple(fc.oneof(year(1, 8), year(20, 63)), serial(6, 1, 199_999))
      .map(([y, n]) => String(y).padStart(2, '0') + n),
    'B',
    'Y',
  ),
  'CN publications': of(
    'CN',
    fc.constantFrom('1', '2').chain((first) => serial(8).map((n) => first + n)),
    'A',
    'B',
    'U',
  ),
};

/** Whether one of the readings of a text is the publication. */
const reads = (text: string, { country, number }: Numbered): boolean =>
  parsePatentNumber(text).some((found) => (found.country ?? country) === country && found.number === number);

describe('spellings of a number', () => {
  for (const [name, publications] of Object.entries(SERIES)) {
    it(`${name}: each is parsed to its number`, () => {
      fc.assert(
        fc.property(publications, (publication) => {
          const forms = [docdbForm(publication), officeForm(publication), literatureForm(publication)];
          for (const form of forms) {
            if (form !== undefined)
              assert.ok(reads(form, publication), `${form} is not ${JSON.stringify(publication)}`);
          }
          const { country, number, kind_code: kind } = publication;
          assert.equal(publicationNumber(country, docdbNumber(publication), kind), number);
          assert.equal(publicationNumber(country, number, kind), number, 'its own form');
        }),
      );
    });
  }

  it('notations agree with the offices', () => {
    const shown = (country: Country, number: string, kind_code: string): string =>
      [docdbForm, officeForm, literatureForm].map((form) => form({ country, number, kind_code })).join(' | ');
    assert.equal(shown('KR', '1020200104349', 'A'), 'KR20200104349A | 10-2020-0104349 | 202000104349A0');
    assert.equal(shown('KR', '1022149430000', 'B1'), 'KR102214943B1 | 10-2214943 | 000102214943B1');
    assert.equal(shown('KR', '1019173350000', 'B1'), 'KR101917335B1 | 10-1917335 | 000101917335B1');
    assert.equal(shown('KR', '1020200010000', 'A'), 'KR20200010000A | 10-2020-0010000 | 202000010000A0');
    assert.equal(shown('US', '20180184900', 'A1'), 'US2018184900A1 | US 2018/0184900 A1 | 201800184900A1');
    assert.equal(shown('US', '09971313', 'B2'), 'US9971313B2 | US 9,971,313 B2 | 000009971313B2');
    assert.equal(shown('US', 'D1050455', 'S1'), 'USD1050455S1 | US D1,050,455 S1 | ');
    assert.equal(shown('EP', '03539467', 'A1'), 'EP3539467A1 | EP 3 539 467 A1 | 000003539467A1');
    assert.equal(shown('EP', '00546210', 'B2'), 'EP0546210B2 | EP 0 546 210 B2 | 000000546210B2');
    assert.equal(shown('JP', '30524120', 'T'), 'JP2018524120A | 特表2018-524120 | 201800524120T0');
    assert.equal(shown('JP', '30062001', 'A1'), 'JPWO2018062001A1 | 再表2018/062001 | 201800062001A1');
    assert.equal(shown('JP', '61123456', 'A'), 'JP1986123456A | 特開1986-123456 | 198600123456A0');
    assert.equal(shown('JP', '06235612', 'B2'), 'JP6235612B2 | 特許第6235612号 | 000006235612B2');
    assert.equal(shown('JP', '06105321', 'B'), 'JPH06105321B | 特公平6-105321 | 000006105321B0');
    assert.equal(shown('JP', '61012345', 'Y'), 'JPS61012345Y | 実公昭61-12345 | 000061012345Y0');
    assert.equal(shown('JP', '06235612', 'B'), 'JP6235612B | 特許第6235612号 | 000006235612B0');
    assert.equal(shown('CN', '105942993', 'A'), 'CN105942993A | CN 105942993 A | ');
  });
});

const FAMILY = resolve('../shared/data/patents/KR/kipris-bulk-txt/yc-song__Family.txt');
const skip = existsSync(FAMILY) ? false : `no documents at ${FAMILY}`;

/** Each row has three names of one publication: KIPRIS's or DOCDB's number; country and kind; literature number. */
describe('numbers of real families', { skip }, () => {
  it('numbers in KIPRIS or DOCDB form and literature numbers are one publication', () => {
    const rows = readFileSync(FAMILY, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.split('¶'));
    let compared = 0;
    const wrong: string[] = [];
    for (const [, source = '', written = '', country = '', , kind = '', , literature = ''] of rows) {
      if (!isCountry(country) || country === 'CN' || !/^\d{12}\w\w$/.test(literature)) continue;
      const number = publicationNumber(country, written.slice(2), kind);
      const read = parsePatentNumber(literature).find((found) => found.country === country)?.number;
      compared++;
      const publication = { country, number: number ?? '', kind_code: kind };
      const isBack =
        number !== undefined &&
        reads(docdbForm(publication), publication) &&
        reads(officeForm(publication), publication);
      if (number === undefined || number !== read || !isBack)
        wrong.push(`${source} ${written} ${kind} ${literature}: ${number}, ${read}`);
    }
    assert.deepEqual(wrong, []);
    assert.ok(compared >= 200, `${compared} numbers`);
  });

  it('in China, the literature number is the application number in any spelling', () => {
    const rows = readFileSync(FAMILY, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.split('¶'));
    let compared = 0;
    for (const [, , , country = '', , , application = '', literature = ''] of rows) {
      if (country !== 'CN' || !/^(?:19|20)\d{10}\w0$/.test(literature) || application.trim() === '') continue;
      const [reading] = parsePatentNumber(literature);
      assert.deepEqual(
        [reading?.application, reading?.number],
        [true, normaliseApplicationNumber('CN', application)],
        literature,
      );
      compared++;
    }
    assert.ok(compared >= 50, `${compared} numbers`);
  });
});
