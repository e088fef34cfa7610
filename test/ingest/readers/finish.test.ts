import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finished } from '../../../src/ingest/readers/finish.js';
import type { Name } from '../../../src/patent/record.js';

test('names keep every field; entities are decoded in name and name_en', () => {
  // Stands for a field that a later version adds to a name.
  const name = { name: 'A &amp; B', name_en: 'A &quot;B&quot;', country: 'KR' } as Name;
  const patent = { patent_id: 'EP03539467A1', country: 'EP', number: '03539467', kind_code: 'A1' } as const;
  assert.deepEqual(finished({ ...patent, applicants: [name], inventors: [{ name: 'C' }] }), {
    ...patent,
    applicants: [{ name: 'A & B', name_en: 'A "B"', country: 'KR' }],
    inventors: [{ name: 'C' }],
  });
});

test('a claim does not depend on itself', () => {
  const patent = { patent_id: 'EP03539467A1', country: 'EP', number: '03539467', kind_code: 'A1' } as const;
  const claims = [
    { number: 1, text: 'A hinge.', depends_on: [1] },
    { number: 2, text: 'The hinge.', depends_on: [1, 2] },
  ];
  assert.deepEqual(finished({ ...patent, claims }).claims, [
    { number: 1, text: 'A hinge.' },
    { number: 2, text: 'The hinge.', depends_on: [1] },
  ]);
});
