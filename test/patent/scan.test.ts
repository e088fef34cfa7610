import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beforeFirst, digitsAtEnd, lastDigits, withoutEnd, withoutStart } from '../../src/patent/scan.js';

test('characters are removed at the ends', () => {
  assert.equal(withoutEnd('Foo, ; ', /[,;\s]/), 'Foo');
  assert.equal(withoutEnd(' ;', /[,;\s]/), '');
  assert.equal(withoutEnd('', /\s/), '');
  assert.equal(withoutStart('--- a-b', /[\s-]/), 'a-b');
  assert.equal(withoutStart('--', /[\s-]/), '');
});

test('digits are read from the end', () => {
  assert.equal(digitsAtEnd('CLM-00012'), '00012');
  assert.equal(digitsAtEnd('12a'), undefined);
  assert.equal(lastDigits('p12-0034, end'), '0034');
  assert.equal(lastDigits('none'), undefined);
});

test('a text ends before a mark', () => {
  assert.equal(beforeFirst('A (b) (c)', /\(/), 'A ');
  assert.equal(beforeFirst('A', /\(/), 'A');
});
