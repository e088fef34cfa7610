import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isPriorartError } from '../../src/errors.js';
import {
  classificationKey,
  matchesPrefix,
  normaliseClassification,
  parseClassificationPrefix,
} from '../../src/patent/classification.js';
import fc from '../property.js';

describe('codes', () => {
  const written: [string, string | undefined][] = [
    ['H01M 10/0525', 'H01M 10/0525'],
    ['h01m10/0525', 'H01M 10/0525'],
    ['A41D001/06', 'A41D 1/06'],
    ['A45F  504', 'A45F 5/04'],
    ['A43B 1314', 'A43B 13/14'],
    ['H01M 10/0525 (2010.01)', 'H01M 10/0525'],
    ['H01M  10/0525  20100101AFI', 'H01M 10/0525'],
    ['Y02E 60/10', 'Y02E 60/10'],
    ['H01M', 'H01M'],
    ['H01M 10', 'H01M 10/00'],
    ['D30160', undefined],
    ['002227000', undefined],
    ['', undefined],
  ];
  for (const [text, expected] of written) {
    it(JSON.stringify(text), () => assert.equal(normaliseClassification(text), expected));
  }
});

describe('prefixes', () => {
  const prefixes: [string, string][] = [
    ['H', 'H'],
    ['h01', 'H01'],
    ['H01M', 'H01M'],
    ['H01M10', 'H01M10/'],
    ['H01M 10/', 'H01M10/'],
    ['H01M1', 'H01M1/'],
    ['H 01 m 10/05', 'H01M10/05'],
    ['Ｈ０１Ｍ', 'H01M'],
    ['H01M 010/0525', 'H01M10/0525'],
    ['H01M0010052500', 'H01M10/0525'],
    ['A61K0031000000', 'A61K31/00'],
    ['C08F  265 / 04', 'C08F265/04'],
    ['C08F 265/04 (2006.01)', 'C08F265/04'],
    ['C08F 265/04 (2006.01)I', 'C08F265/04'],
    ['C08F 265/04  20060101AFI', 'C08F265/04'],
    ['H01M-10/0525', 'H01M10/0525'],
    ['IPC H01M', 'H01M'],
    ['Int. Cl. C08F 265/04', 'C08F265/04'],
    ['(51) Int.Cl.7: C08F 265/04', 'C08F265/04'],
    ['국제특허분류(IPC) H01M 10/0525', 'H01M10/0525'],
    ['国际分类号 H01M10/0525', 'H01M10/0525'],
    ['IPC分类号：H01M10/0525', 'H01M10/0525'],
  ];
  for (const [text, expected] of prefixes) {
    it(text, () => assert.equal(parseClassificationPrefix(text), expected));
  }

  it('an invalid prefix is refused with the valid form', () => {
    for (const text of [
      '',
      'H0',
      'X01M',
      'I01',
      'H01MM',
      'H01M/10',
      'H01M10/0525/1',
      '123',
      'H01M10-05',
      '!',
    ]) {
      assert.throws(
        () => parseClassificationPrefix(text, 'ipc_codes[0]'),
        (error) =>
          isPriorartError(error) &&
          error.code === 'bad_classification' &&
          error.status === 400 &&
          error.message.includes(JSON.stringify(text)) &&
          error.message.includes('H01M 10/0525'),
        text,
      );
    }
  });

  it('main group 10 differs from 100 and 1', () => {
    const ten = parseClassificationPrefix('H01M10');
    assert.equal(matchesPrefix('H01M 10/0525', ten), true);
    assert.equal(matchesPrefix('H01M 100/00', ten), false);
    assert.equal(matchesPrefix('H01M 10/0525', parseClassificationPrefix('H01M1')), false);
    assert.equal(matchesPrefix('H01M 10/0525', parseClassificationPrefix('H01M10/05')), true);
    assert.equal(matchesPrefix('H01M 10/0525', parseClassificationPrefix('H01M10/052')), true);
    assert.equal(matchesPrefix('H01M 10/0525', parseClassificationPrefix('H01M10/06')), false);
  });

  const code = fc
    .tuple(
      fc.constantFrom(...'ABCDEFGHY'),
      fc.integer({ min: 1, max: 99 }),
      fc.constantFrom(...'ABCXYZ'),
      fc.integer({ min: 1, max: 9999 }),
      fc.integer({ min: 0, max: 999_999 }),
    )
    .map(
      ([section, cls, sub, group, sg]) =>
        `${section}${String(cls).padStart(2, '0')}${sub} ${group}/${String(sg).padStart(2, '0')}`,
    );
  it('every level of a code is a prefix that matches it, and a code is its own normal form', () => {
    fc.assert(
      fc.property(code, (full) => {
        assert.equal(normaliseClassification(full), full);
        const [head = '', tail = ''] = full.split(' ');
        const group = tail.split('/')[0] ?? '';
        for (const prefix of [
          full[0] ?? '',
          full.slice(0, 3),
          head,
          head + group,
          full,
          classificationKey(full),
        ]) {
          assert.ok(matchesPrefix(full, parseClassificationPrefix(prefix)), prefix);
        }
      }),
    );
  });
});
