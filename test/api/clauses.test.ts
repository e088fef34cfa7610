import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noGit } from '../house/checkout.js';
import { clauseTable } from './clauses.js';

test('every clause of the specification and the decisions has a test', { skip: noGit }, (t) => {
  const table = clauseTable();
  for (const { clause, tests } of table) t.diagnostic(`${clause}: ${tests.length}`);
  assert.deepEqual(
    table.filter(({ tests }) => tests.length === 0).map(({ clause }) => clause),
    [],
  );
});
