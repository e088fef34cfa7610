/** The encoding of KIPRIS Plus bulk tables: UTF-8, or the code page of Korean Windows. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { koreanText, UNREADABLE } from '../../../src/ingest/readers/kipris-tables.js';
import { parseUnit } from '../../../src/ingest/readers/registry.js';

it('a row is UTF-8 or EUC-KR, and neither if it has a syllable that the decoder does not know', () => {
  assert.equal(koreanText(Buffer.from('고체 \u0085')), '고체 \u0085');
  assert.equal(koreanText(Buffer.from('b0edc3bc20c0fcc7d8c1fa', 'hex')), '고체 전해질');
  // 똠
  assert.equal(koreanText(Buffer.from('b0edc3bc208c63', 'hex')), undefined);
});

it('an application with such a row is a failure that says how to convert the file', () => {
  const rows = [{ 출원번호: '1020200000001', 공개번호: '1020210000001' }, { [UNREADABLE]: '' }];
  const { patents, failed } = parseUnit('kipris-tables', Buffer.from(JSON.stringify(rows)));
  assert.deepEqual(patents, []);
  assert.match(failed?.reason ?? '', /iconv -f CP949/);
});
