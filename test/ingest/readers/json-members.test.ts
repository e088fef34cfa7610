/** The names of an object's members, compared with those of JSON.parse. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memberNames } from '../../../src/ingest/readers/json-members.js';
import fc from '../../property.js';

const own = (json: string): string[] =>
  (memberNames(Buffer.from(json)) ?? []).map((name) => JSON.parse(`"${name}"`) as string);

test('the names of any object are returned in order', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '{', ':', ',', ']', '\n', '가') });
  const object = fc.dictionary(text, fc.oneof(text, fc.jsonValue(), fc.dictionary(text, text)));
  fc.assert(
    fc.property(object, fc.constantFrom(undefined, 2), (value, indent) => {
      assert.deepEqual(own(JSON.stringify(value, undefined, indent)), Object.keys(value));
    }),
    { numRuns: 500 },
  );
});

test('names after a text of many megabytes are found', () => {
  const value = { patent_id: 'US1B2', abstract: 'A "pump" \\ '.repeat(1_500_000), title: 'x' };
  assert.deepEqual(own(JSON.stringify(value)), Object.keys(value));
});
