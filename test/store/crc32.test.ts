/** Both implementations of the checksum, and its published check value. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, crc32ByTable } from '../../src/store/crc32.js';
import fc from '../property.js';

test('CRC-32 of "123456789" is cbf43926', () => {
  for (const sum of [crc32, crc32ByTable]) assert.equal(sum(Buffer.from('123456789')), 0xcbf43926);
});

test('node:zlib and the own implementation give the same checksum', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => crc32(bytes) === crc32ByTable(bytes)));
});

test('a checksum can be continued', () => {
  for (const sum of [crc32, crc32ByTable])
    assert.equal(sum(Buffer.from('6789'), sum(Buffer.from('12345'))), 0xcbf43926);
});
