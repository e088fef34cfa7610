/** `collapse` and `prefer_countries` against their definition, over random filters on the fixtures. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Engine, open } from '../../src/engine.js';
import { COUNTRIES, type Country } from '../../src/patent/country.js';
import type { Patent } from '../../src/patent/record.js';
import type { SemanticRequest } from '../../src/search/schema.js';
import { FIXTURES, questions, random } from '../crash/folder.js';
import { recordsOf } from './collection.js';
import { byKind, type Filter } from './requests.js';
import { tally } from './truth.js';

const RUNS = 120;

describe('collapse by its definition', () => {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-collapse-'));
  let engine: Engine;
  let patents: Patent[];
  before(async () => {
    // Few families, so that they have members in several countries and segments.
    const next = random(50);
    const records = [...(await recordsOf(FIXTURES)).values()];
    patents = records.map((record) => {
      const { family_id: _, family_derived: __, ...rest } = record;
      const family = Math.floor(next() * 30);
      return family === 0 ? rest : { ...rest, family_id: `F${family}` };
    });
    engine = await open(dir, { create: true, workers: 1 });
    const half = Math.floor(patents.length / 2);
    for (const part of [patents.slice(0, half), patents.slice(half)]) {
      const { failed } = await engine.ingest(part);
      assert.deepEqual(failed, []);
    }
    // Records are stored as they are normalised.
    const stored: Patent[] = [];
    for await (const patent of engine.patents()) stored.push(patent);
    assert.equal(stored.length, patents.length);
    patents = stored;
  });
  after(async () => {
    await engine.close();
    rmSync(dir, { recursive: true });
  });

  const applicationOf = ({ country, application_number, patent_id }: Patent) =>
    application_number ? `${country}:${application_number}` : patent_id;
  const KEY: Record<string, (patent: Patent) => string> = {
    none: ({ patent_id }) => patent_id,
    application: applicationOf,
    family: (patent) => patent.family_id ?? applicationOf(patent),
  };
  const byId = (id: string) => patents.find(({ patent_id }) => patent_id === id)!;

  /** The groups of the allowed publications. */
  function groupsOf(filter: Filter, by: string): Map<string, Patent[]> {
    const groups = new Map<string, Patent[]>();
    for (const patent of patents.filter(filter.matches)) {
      const key = KEY[by]!(patent);
      groups.set(key, [...(groups.get(key) ?? []), patent]);
    }
    return groups;
  }

  const rankOf = (prefer: readonly Country[], { country }: Patent) =>
    prefer.includes(country) ? prefer.indexOf(country) : prefer.length;

  function randomRequest(next: () => number, n: number) {
    const filter = byKind(next, patents);
    const collapse = (['none', 'application', 'family', 'family'] as const)[n % 4]!;
    const prefer =
      n % 4 === 3 ? [...COUNTRIES].sort(() => next() - 0.5).slice(0, 1 + Math.floor(next() * 3)) : undefined;
    const request = {
      query: questions(7)[n % 7]!,
      collapse,
      ...filter.fields,
      ...(prefer ? { prefer_countries: prefer } : {}),
    };
    return { filter, collapse, prefer: prefer ?? [], request };
  }

  /** One result a group, which lists its members, and is of the first preferred country among them. */
  function assertGroups(
    results: readonly { patent_id: string; members?: { patent_id: string }[] }[],
    groups: Map<string, Patent[]>,
    { by, prefer, label }: { by: string; prefer: readonly Country[]; label: string },
  ): void {
    const seen = new Set<string>();
    for (const { patent_id, members } of results) {
      const own = byId(patent_id);
      const key = KEY[by]!(own);
      assert.ok(!seen.has(key), `${label}: two of ${key}`);
      seen.add(key);
      const group = groups.get(key) ?? assert.fail(`${label}: ${patent_id} is not allowed`);
      const expected = group.map(({ patent_id, country, kind_code }) => ({ patent_id, country, kind_code }));
      assert.deepEqual(
        members,
        expected.sort((a, b) => (a.patent_id < b.patent_id ? -1 : 1)),
        `${label}: members of ${patent_id}`,
      );
      const best = Math.min(...group.map((member) => rankOf(prefer, member)));
      assert.equal(rankOf(prefer, own), best, `${label}: ${patent_id} is not of the first country`);
    }
  }

  it(`search: one of each group, with its members, ${RUNS} times`, async () => {
    const next = random(51);
    let larger = 0;
    for (let n = 0; n < RUNS; n++) {
      const { filter, collapse, prefer, request } = randomRequest(next, n);
      const label = JSON.stringify(request);
      const groups = groupsOf(filter, collapse);
      const { results } = await engine.search({ ...request, top_k: 100 });
      assert.equal(results.length, Math.min(100, groups.size), label);
      assertGroups(results, groups, { by: collapse, prefer, label });
      larger += [...groups.values()].filter((group) => group.length > 2).length;
    }
    assert.ok(larger > RUNS, `only ${larger} groups have more than two members`);
  });

  it(`search: the best of each group gives its score, the best of the preferred country is shown, ${RUNS} times`, async () => {
    const next = random(52);
    for (let n = 0; n < RUNS; n++) {
      const { filter, collapse, prefer, request } = randomRequest(next, n);
      const label = JSON.stringify(request);
      const ask = async (fields: SemanticRequest) =>
        (await engine.search({ ...request, ...fields, top_k: 100 }, { rerank: false, exact: true })).results;
      const score = new Map(
        (await ask({ collapse: 'none', prefer_countries: null })).map((one) => [
          one.patent_id,
          one.similarity_score,
        ]),
      );
      // Otherwise, not every publication has a known score.
      if (patents.filter(filter.matches).length > 100) continue;
      for (const { patent_id, similarity_score, chunks } of await ask({})) {
        const group = groupsOf(filter, collapse).get(KEY[collapse]!(byId(patent_id)))!;
        const best = (of: readonly Patent[]) => Math.max(...of.map((member) => score.get(member.patent_id)!));
        assert.equal(similarity_score, best(group), `${label}: ${patent_id}`);
        const first = Math.min(...group.map((member) => rankOf(prefer, member)));
        const rivals = group.filter((member) => prefer.length === 0 || rankOf(prefer, member) === first);
        const own = score.get(patent_id)!;
        assert.equal(own, best(rivals), `${label}: ${patent_id} is the best of its country`);
        assert.equal(Math.max(...chunks.map((chunk) => chunk.similarity_score)), own, `${label}: chunks`);
      }
    }
  });

  /** Scores of the results by group. */
  const scoresOf = (
    results: readonly { patent_id: string; similarity_score: number; rerank_score?: number }[],
  ) =>
    new Map(
      results.map((one) => [KEY['family']!(byId(one.patent_id)), [one.rerank_score, one.similarity_score]]),
    );

  it(`prefer_countries changes which member is shown, not the order of families, ${RUNS} times`, async () => {
    const next = random(54);
    let others = 0;
    for (let n = 0; n < RUNS; n++) {
      const { request, prefer } = randomRequest(next, 4 * n + 3);
      const label = JSON.stringify(request);
      const plain = { ...request, prefer_countries: null, top_k: 100, explain: true };
      const { results: ranked } = await engine.search(plain);
      const { results } = await engine.search({ ...plain, prefer_countries: prefer });
      assert.deepEqual(
        results.map((one) => [one.rerank_score, one.similarity_score]),
        ranked.map((one) => [one.rerank_score, one.similarity_score]),
        label,
      );
      assert.deepEqual(scoresOf(results), scoresOf(ranked), label);
      const best = new Map(ranked.map((one) => [KEY['family']!(byId(one.patent_id)), one]));
      const alone = new Map(
        (await engine.search({ ...plain, collapse: 'none' })).results.map((one) => [one.patent_id, one]),
      );
      for (const { patent_id, chunks, explanation } of results) {
        const family = best.get(KEY['family']!(byId(patent_id)))!;
        const { ranked_by, decided_by, reranker } = explanation!;
        assert.equal(reranker, family.explanation!.reranker, label);
        const isShown = patent_id === family.patent_id;
        assert.equal(ranked_by, isShown ? undefined : family.patent_id, label);
        assert.equal(decided_by, isShown ? family.explanation!.decided_by : undefined, label);
        if (ranked_by !== undefined) others++;
        // Its own passages, with their own similarities.
        const own = alone.get(patent_id);
        const passages = (of: typeof chunks) => of.map((one) => [one.text, one.similarity_score]).sort();
        if (own) assert.deepEqual(passages(chunks), passages(own.chunks), label);
      }
      const count = { query: request.query, collapse: 'family', min_score: 0.3, page_size: 100 } as const;
      const counted = await engine.analyze(count);
      const shown = await engine.analyze({ ...count, prefer_countries: prefer });
      assert.equal(shown.total_matched, counted.total_matched, label);
      const later = (a: (typeof shown.results)[0], b: (typeof shown.results)[0]) =>
        b.similarity_score - a.similarity_score ||
        (b.publication_date ?? '').localeCompare(a.publication_date ?? '') ||
        (a.patent_id < b.patent_id ? -1 : 1);
      assert.deepEqual(shown.results, shown.results.toSorted(later), label);
      assert.deepEqual(scoresOf(shown.results), scoresOf(counted.results), label);
    }
    assert.ok(others > RUNS, `only ${others} families are shown by another member than their best`);
  });

  it('balance goes by the countries of the members that are shown', async () => {
    const request = { query: questions(1)[0]!, collapse: 'family', balance: 'country', top_k: 100 } as const;
    const { results } = await engine.search({ ...request, prefer_countries: ['KR', 'JP'] });
    const families = groupsOf({ fields: {}, matches: () => true }, 'family');
    assert.ok(results.length > 20 && results.length <= families.size);
    const rounds = new Map<string, number>();
    let round = 0;
    for (const { country } of results) {
      const own = (rounds.get(country) ?? 0) + 1;
      rounds.set(country, own);
      assert.ok(own >= round, `${country} has its turn ${own} behind turn ${round}`);
      round = own;
    }
  });

  it(`statistics: counts and pages, ${RUNS} times`, async () => {
    const next = random(53);
    for (let n = 0; n < RUNS; n++) {
      const { filter, collapse, prefer, request } = randomRequest(next, n);
      const label = JSON.stringify(request);
      const groups = groupsOf(filter, collapse);
      const pageSize = 5 + Math.floor(next() * 90);
      const pages = [];
      for (let page = 1; page <= Math.max(1, Math.ceil(groups.size / pageSize)); page++) {
        pages.push(await engine.analyze({ ...request, min_score: 0, page, page_size: pageSize }));
      }
      assert.equal(pages[0]!.total_matched, groups.size, label);
      const results = pages.flatMap((page) => page.results);
      assert.equal(results.length, groups.size, label);
      assertGroups(results, groups, { by: collapse, prefer, label });
      const scores = results.map(({ similarity_score }) => similarity_score);
      assert.deepEqual(
        scores,
        [...scores].sort((a, b) => b - a),
        label,
      );
      const countries = tally(results.map(({ country }) => country));
      assert.deepEqual(pages[0]!.stats.by_country, Object.fromEntries(countries), label);
    }
  });

  it('without collapse, results list no members', async () => {
    const { results } = await engine.search({ query: 'battery' });
    assert.ok(results.length > 0 && results.every((result) => !('members' in result)));
    const { results: counted } = await engine.analyze({ query: 'battery', min_score: 0 });
    assert.ok(counted.length > 0 && counted.every((result) => !('members' in result)));
  });

  it('a number: the named publication represents its family', async () => {
    const named = patents.find((p) => p.family_id === 'F3')!;
    for (const prefer_countries of [null, COUNTRIES.filter((country) => country !== named.country)]) {
      const request = { query: named.patent_id, collapse: 'family', prefer_countries } as const;
      const { results } = await engine.search({ ...request, top_k: 100 });
      assert.equal(results[0]!.patent_id, named.patent_id);
      assert.equal(results.filter(({ patent_id }) => byId(patent_id).family_id === 'F3').length, 1);
    }
  });
});
