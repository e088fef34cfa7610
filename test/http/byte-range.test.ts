import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { byteRange } from '../../src/http/byte-range.js';
import fc from '../property.js';

describe('byte ranges', () => {
  it('ranges agree with the examples in RFC 9110, 14.1.2, for 10,000 bytes', () => {
    assert.deepEqual(byteRange('bytes=0-499', 10_000), { from: 0, to: 499 });
    assert.deepEqual(byteRange('bytes=500-999', 10_000), { from: 500, to: 999 });
    assert.deepEqual(byteRange('bytes=-500', 10_000), { from: 9_500, to: 9_999 });
    assert.deepEqual(byteRange('bytes=9500-', 10_000), { from: 9_500, to: 9_999 });
  });

  it('several ranges, other units and malformed ranges are ignored', () => {
    for (const header of [
      undefined,
      '',
      'bytes',
      'bytes=',
      'bytes=-',
      'bytes=0-0,-1',
      'bytes=a-b',
      'bytes=5-4',
      'bytes=-1-2',
      'items=0-5',
      `bytes=${'9'.repeat(20)}-`,
    ])
      assert.equal(byteRange(header, 10), undefined, header);
  });

  it('ranges never exceed the image', () => {
    const number = fc.option(fc.nat(40), { nil: undefined });
    fc.assert(
      fc.property(number, number, fc.nat(30), (first, last, size) => {
        const range = byteRange(`bytes=${first ?? ''}-${last ?? ''}`, size);
        if (range === undefined || range === 'beyond') return;
        assert.ok(
          range.from >= 0 && range.from <= range.to && range.to < size,
          `expected a range within ${size} bytes: ${range.from} to ${range.to}`,
        );
      }),
    );
    assert.equal(byteRange('bytes=10-', 10), 'beyond');
    assert.equal(byteRange('bytes=-0', 10), 'beyond');
    assert.equal(byteRange('bytes=0-', 0), 'beyond');
  });
});
