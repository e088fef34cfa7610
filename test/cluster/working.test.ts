/** Parts of the engine on a cluster that need no cluster. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { queryOf } from '../../src/cluster/clauses.js';
import { occurrences } from '../../src/cluster/forms.js';
import { PublicationsInMemory } from '../../src/cluster/publications.js';
import { SCORE_QUESTION, scoreVector } from '../../src/cluster/working.js';
import type { DocumentHead } from '../../src/store/document.js';
import { resolvePublications } from '../../src/store/resolve.js';
import { random } from '../crash/folder.js';

describe('a score as a vector', () => {
  test('its product with the question is the score, to the last digit of 32 bits', () => {
    const next = random(7);
    const scores = [0, 1, -1, 1e-7, -1e-7, 0.1, ...Array.from({ length: 2_000 }, () => 2 * next() - 1)];
    for (const score of scores) {
      const product = scoreVector(score).reduce((sum, part, n) => sum + part * SCORE_QUESTION[n]!, 0);
      assert.ok(Math.abs(product - score) <= 2 ** -25, `${score} became ${product}`);
    }
  });
});

describe('publications in memory', () => {
  const head = (patent_id: string, number: string) =>
    ({ patent_id, number, country: 'US', kind_code: 'B2', passages: 1 }) as unknown as DocumentHead;

  test('what is read and is not known is noted once, until it is known', () => {
    const publications = new PublicationsInMemory('test');
    assert.deepEqual(resolvePublications(publications, 'US 9971313 B2'), []);
    const missing = publications.takeMissing();
    assert.ok(missing && missing.numbers.size > 0 && missing.ids.size > 0);
    assert.equal(publications.takeMissing(), undefined);
    publications.add({ head: head('US09971313B2', [...missing.numbers][0]!) });
    publications.know(missing);
    assert.deepEqual(resolvePublications(publications, 'US 9971313 B2'), ['US09971313B2']);
    assert.equal(publications.takeMissing(), undefined);
  });

  test('fields that come later are added to a publication', () => {
    const publications = new PublicationsInMemory('test');
    const stored = { head: head('US09971313B2', '09971313') };
    const doc = publications.add(stored);
    assert.equal(publications.add({ ...stored, body: { abstract: 'A cell.' } }), doc);
    assert.equal(publications.bodies.get(doc)?.abstract, 'A cell.');
    assert.equal(publications.size, 1);
  });
});

describe('clauses as queries', () => {
  test('a name with signs of a wildcard is looked for literally', () => {
    const clause = { column: 'applicant_name', test: 'contains' as const, terms: ['a*b?c\\d'] };
    assert.deepEqual(queryOf(clause), {
      wildcard: { 'columns.applicant_name': { value: '*a\\*b\\?c\\\\d*' } },
    });
  });

  test('terms of which one must fit; none of no terms fits', () => {
    const clause = { column: 'ipc', or: ['cpc'], test: 'prefix' as const, terms: ['H01M'] };
    assert.deepEqual(queryOf(clause), {
      bool: {
        should: [
          { prefix: { 'columns.ipc': { value: 'H01M' } } },
          { prefix: { 'columns.cpc': { value: 'H01M' } } },
        ],
        minimum_should_match: 1,
      },
    });
    assert.deepEqual(queryOf({ column: 'ipc', test: 'prefix', terms: [] }), { match_none: {} });
  });

  test('a phrase counts once for each occurrence, and not once for each of its terms', () => {
    assert.deepEqual(occurrences('电池 池膜', 'text', 0.5), {
      match_phrase: { 'terms.text': { query: '电池 池膜', boost: 0.25 } },
    });
    assert.deepEqual(occurrences('cell', 'title'), {
      term: { 'terms.title': { value: 'cell', boost: 1 } },
    });
  });
});
