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

test('a claim depends on the claims that its source marks and on those that its text names', () => {
  const patent = {
    patent_id: 'KR1024663890000B1',
    country: 'KR',
    number: '1024663890000',
    kind_code: 'B1',
  } as const;
  const dependence = (text: string, depends_on: number[], number = 18): number[] | undefined =>
    finished({ ...patent, claims: [{ number, text, depends_on }] }).claims?.[0]?.depends_on;
  assert.deepEqual(dependence('제10항, 제13항 또는 제14항에 있어서, 장치.', [13, 14]), [10, 13, 14]);
  assert.deepEqual(
    dependence('The hinge of any one of claims 1 and 13-17.', [1, 13]),
    [1, 13, 14, 15, 16, 17],
  );
  assert.deepEqual(dependence('The hinge as claimed in claims 1 to 8.', [8, 1], 9), [1, 2, 3, 4, 5, 6, 7, 8]);
  // The source may mark what the text does not name, also a later claim.
  assert.deepEqual(dependence('The hinge of claim 1.', [19, 2]), [1, 2, 19]);
  // A text that names a later claim or the claim itself does not make it depend on that.
  assert.deepEqual(dependence('The hinge of claims 17 to 20.', [17]), [17]);
});
