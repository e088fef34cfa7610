/** The names of an object's members, compared with those that JSON.parse finds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { memberNames } from '../../../src/ingest/readers/json-members.js';

const own = (json: string): string[] =>
  (memberNames(Buffer.from(json)) ?? []).map((name) => JSON.parse(`"${name}"`) as string);

test('the names of any object, in order', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '{', ':', ',', ']', '\n', '가') });
  const object = fc.dictionary(text, fc.oneof(text, fc.jsonValue(), fc.dictionary(text, text)));
  fc.assert(
    fc.property(object, fc.constantFrom(undefined, 2), (value, indent) => {
      assert.deepEqual(own(JSON.stringify(value, undefined, indent)), Object.keys(value));
    }),
    { numRuns: 500 },
  );
});

test('names behind a text of many megabytes', () => {
  const value = { patent_id: 'US1B2', abstract: 'A "pump" \\ '.repeat(1_500_000), title: 'x' };
  assert.deepEqual(own(JSON.stringify(value)), Object.keys(value));
});
