/** Questions with a word that has the form of a subclass: a mutation, a steel, a cable. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Engine, open } from '../../src/engine.js';
import { SUBCLASSES } from '../../src/search/subclasses.js';
import { ROOT } from '../house/checkout.js';

const MUTATIONS = ['G12C', 'G12D', 'G12V'];

const RECORDS = [
  ...MUTATIONS.map((mutation) => ({
    title: 'Heterocyclic compounds as inhibitors',
    abstract: `Compounds that inhibit KRAS ${mutation}, and their use in the treatment of cancer.`,
  })),
  {
    title: 'Heterocyclic compounds as inhibitors',
    abstract: 'Compounds that inhibit KRAS, and their use in the treatment of cancer.',
  },
  { title: 'Hair tonic', abstract: 'A composition against loss of hair, classified in A61K.' },
  { title: 'Hair tonic', abstract: 'A composition against loss of hair.' },
].map((record, n) => ({
  ...record,
  patent_id: `US2020000000${n}A1`,
  country: 'US',
  kind_code: 'A1',
  language: 'en',
}));
const HOLDER_OF_CLASS = 'US20200000004A1';

describe('a word that has the form of a subclass', () => {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-like-subclasses-'));
  let engine: Engine;
  before(async () => {
    engine = await open(join(dir, 'data'), { create: true, workers: 0 });
    assert.equal((await engine.ingest(RECORDS)).ingested, RECORDS.length);
  });
  after(async () => {
    await engine.close();
    rmSync(dir, { recursive: true });
  });

  const search = async (query: string) => (await engine.search({ query, explain: true })).results;
  const similarities = async (query: string) => {
    const { results } = await engine.analyze({ query, min_score: 0 });
    return Object.fromEntries(
      results.map(({ patent_id, similarity_score }) => [patent_id, similarity_score]),
    );
  };

  it('counts in the words, the similarity and the statistics', async () => {
    for (const [n, mutation] of MUTATIONS.entries()) {
      const query = `KRAS ${mutation} inhibitor`;
      const [first] = await search(query);
      assert.equal(first!.patent_id, `US2020000000${n}A1`, query);
      assert.ok(
        first!.explanation!.matches.some(({ term }) => term === mutation),
        query,
      );
      assert.notDeepEqual(await similarities(query), await similarities('KRAS inhibitor'), query);
    }
  });

  it('counts in the words alone if it is a subclass', async () => {
    const [first] = await search('A61K hair loss');
    assert.equal(first!.patent_id, HOLDER_OF_CLASS);
    assert.ok(first!.explanation!.matches.some(({ term }) => term === 'A61K'));
    assert.deepEqual(await similarities('A61K hair loss'), await similarities('hair loss'));
  });

  it('does not count as a group of a class', async () => {
    const expected = (await search('hair loss')).map(({ rerank_score }) => rerank_score);
    const found = (await search('A61K 8/00 hair loss')).map(({ rerank_score }) => rerank_score);
    assert.deepEqual(found, expected);
  });

  it('is a subclass if the web page has a title for it', () => {
    const table = readFileSync(join(ROOT, 'src/page/languages/classes/en.tsv'), 'utf8');
    const codes = table.split('\n').map((line) => line.split('\t')[0]!);
    assert.deepEqual([...SUBCLASSES], codes.filter((code) => code.length === 4).sort());
  });
});
