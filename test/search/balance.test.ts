/** `balance` against its definition, over random filters on the fixtures. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Engine, open } from '../../src/engine.js';
import { WORD_CANDIDATES } from '../../src/limits.js';
import type { Country } from '../../src/patent/country.js';
import { byTurns } from '../../src/search/balance.js';
import type { SemanticRequest } from '../../src/search/schema.js';
import { FIXTURES, questions, random } from '../crash/folder.js';
import { openBefore } from './collection.js';
import { ALL, HOLDING, idsWith, OFFICES, type Office, QUESTION } from './holding-words.js';
import { byKind } from './requests.js';

const RUNS = 60;

it('takes the first of each list, then the second of each', () => {
  assert.deepEqual(byTurns([['a', 'b', 'c'], [], ['d'], ['e', 'f']]), ['a', 'd', 'e', 'b', 'f', 'c']);
  assert.deepEqual(byTurns([]), []);
});

describe('balance by its definition', () => {
  const fixtures = openBefore(FIXTURES);

  const groupOf = (id: string, by: 'country' | 'language') => fixtures.collection.patents.get(id)?.[by] ?? '';

  /** Each group has the same number of results before a place, unless it has no more. */
  function assertTurns(ids: readonly string[], by: 'country' | 'language', label: string): void {
    const groups = new Map<string, string[]>();
    for (const id of ids) groups.set(groupOf(id, by), [...(groups.get(groupOf(id, by)) ?? []), id]);
    assert.deepEqual(ids, byTurns([...groups.values()]), label);
  }

  it(`search: the best of each group by turns, ${RUNS} times`, async () => {
    const next = random(61);
    let several = 0;
    for (let n = 0; n < RUNS; n++) {
      const by = (['country', 'language'] as const)[n % 2]!;
      const { fields } = byKind(next, fixtures.patents);
      const request: SemanticRequest = { query: questions(9)[n % 9]!, ...fields };
      const label = JSON.stringify({ ...request, by });
      const how = { rerank: n % 4 > 1, exact: true };
      const all = (await fixtures.engine.search({ ...request, top_k: 100 }, how)).results;
      const found = (await fixtures.engine.search({ ...request, balance: by, top_k: 100 }, how)).results;
      const ids = found.map(({ patent_id }) => patent_id);
      assert.equal(ids.length, all.length, label);
      assertTurns(ids, by, label);
      if (new Set(ids.map((id) => groupOf(id, by))).size > 2) several++;
      // A beginning of the answer is the answer for a smaller number.
      const few = await fixtures.engine.search({ ...request, balance: by, top_k: 7 }, how);
      assert.deepEqual(few.results, found.slice(0, 7), label);
      if (by !== 'country' || how.rerank) continue;
      for (const country of new Set(ids.map((id) => id.slice(0, 2) as Country))) {
        const own = (await fixtures.engine.search({ ...request, countries: [country], top_k: 100 }, how))
          .results;
        const of = found.filter((result) => result.country === country);
        assert.deepEqual(of, own, `${label}: ${country}`);
      }
    }
    assert.ok(several > RUNS / 2, `only ${several} answers have several groups`);
  });

  it('explains the rank of each result by similarity, not by turns', async () => {
    const request = { query: questions(1)[0]!, balance: 'country', top_k: 100, explain: true } as const;
    const { results } = await fixtures.engine.search(request);
    const ranked = results
      .filter(({ explanation }) => explanation?.rank_by_similarity !== undefined)
      .sort((a, b) => a.explanation!.rank_by_similarity! - b.explanation!.rank_by_similarity!);
    assert.ok(ranked.length > 20);
    assert.equal(
      new Set(ranked.map(({ explanation }) => explanation!.rank_by_similarity)).size,
      ranked.length,
    );
    const similarities = ranked.map(({ similarity_score }) => similarity_score);
    assert.deepEqual(
      similarities,
      similarities.toSorted((a, b) => b - a),
    );
  });

  it('never two of one application or family, each group with its best', async () => {
    for (const balance of ['country', 'language'] as const) {
      for (const query of questions(6)) {
        const { results } = await fixtures.engine.search({ query, balance, collapse: 'family', top_k: 100 });
        const families = results.map(({ patent_id }) => {
          const { family_id, country, application_number } = fixtures.collection.patents.get(patent_id)!;
          return family_id ?? (application_number ? `${country}:${application_number}` : patent_id);
        });
        assert.equal(new Set(families).size, families.length, query);
        const all = await fixtures.engine.search({ query, collapse: 'family', top_k: 100 });
        assert.equal(results.length, all.results.length, query);
      }
    }
  });

  it('statistics: the same counts, pages by turns', async () => {
    for (const balance of ['country', 'language'] as const) {
      for (const query of questions(6)) {
        const request = { query, min_score: 0.05, page_size: 100 };
        const [plain, balanced] = [
          await fixtures.engine.analyze(request),
          await fixtures.engine.analyze({ ...request, balance }),
        ];
        assert.deepEqual(balanced.stats, plain.stats, query);
        assert.equal(balanced.total_matched, plain.total_matched, query);
        const ids = balanced.results.map(({ patent_id }) => patent_id);
        assert.deepEqual([...ids].sort(), plain.results.map(({ patent_id }) => patent_id).sort(), query);
        assertTurns(ids, balance, query);
        const pages = [1, 2, 3].map((page) =>
          fixtures.engine.analyze({ ...request, balance, page, page_size: 5 }),
        );
        const some = (await Promise.all(pages)).flatMap(({ results }) => results);
        assert.deepEqual(some, balanced.results.slice(0, 15), query);
      }
    }
  });

  it('a named publication stays before all', async () => {
    const named = fixtures.patents.find((p) => p.country === 'JP' && /^[AB]/.test(p.kind_code))!;
    const { results } = await fixtures.engine.search({
      query: named.patent_id,
      balance: 'country',
      top_k: 20,
    });
    assert.equal(results[0]!.patent_id, named.patent_id);
    assertTurns(
      results.slice(1).map(({ patent_id }) => patent_id),
      'country',
      named.patent_id,
    );
  });
});

describe('balance with documents that only words find', () => {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-balance-'));
  let engine: Engine;
  before(async () => {
    engine = await open(join(dir, 'data'), { create: true, workers: 0 });
    const { ingested } = await engine.ingest(ALL);
    assert.equal(ingested, ALL.length);
  });
  after(async () => {
    await engine.close();
    rmSync(dir, { recursive: true });
  });

  for (const balance of ['country', 'language'] as const) {
    it(`${balance}: each group has its own`, async () => {
      const request = { query: QUESTION, balance, explain: true };
      const { results } = await engine.search({ ...request, top_k: 100 });
      const byWords = results.filter(({ explanation }) => explanation!.found_by === 'words');
      const of = (country: Office) =>
        byWords.flatMap((result) => (result.country === country ? result.patent_id : []));
      assert.deepEqual(of('CN').sort(), idsWith('CN'));
      assert.deepEqual(of('US'), idsWith('US'));
      assert.ok(of('KR').length > 20);
      const { words } = await engine.explain({ ...request, top_k: 1 });
      assert.equal(words.added, WORD_CANDIDATES.short / 2 + HOLDING.CN + HOLDING.US);
      // The best of each group come first.
      const holding = new Set(OFFICES.flatMap(idsWith));
      assert.ok(results.slice(0, 3).every(({ patent_id }) => holding.has(patent_id)));
      for (const top_k of [1, 7, 30]) {
        const few = await engine.search({ ...request, top_k });
        assert.deepEqual(few.results, results.slice(0, top_k));
      }
    });
  }

  it('filters hold, and a family is one result', async () => {
    const request = { query: QUESTION, balance: 'country', top_k: 100, explain: true } as const;
    const only = (
      await engine.search({
        ...request,
        must_terms: [QUESTION],
        translate_terms: true,
        countries: ['CN', 'US'],
      })
    ).results;
    assert.deepEqual(
      only.map(({ patent_id }) => patent_id).sort(),
      [...idsWith('CN'), ...idsWith('US')].sort(),
    );
    const without = (await engine.search({ ...request, must_not_terms: [QUESTION], translate_terms: true }))
      .results;
    assert.ok(without.every(({ explanation }) => explanation!.found_by === 'similarity'));
    const families = (await engine.search({ ...request, collapse: 'family' })).results;
    const members = families.flatMap(({ members }) => members!.map(({ patent_id }) => patent_id));
    assert.equal(new Set(members).size, members.length);
    assert.equal(families.filter(({ explanation }) => explanation!.found_by === 'words').length, HOLDING.CN);
    const wanted = [...idsWith('CN'), ...idsWith('US')];
    assert.ok(wanted.every((id) => members.includes(id)));
  });

  it('without a reranking, words add nothing', async () => {
    const { results } = await engine.search({
      query: QUESTION,
      balance: 'country',
      rerank: 'off',
      top_k: 100,
      explain: true,
    });
    assert.ok(results.every(({ explanation }) => explanation!.found_by === 'similarity'));
  });
});
