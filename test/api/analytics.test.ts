/** Specification 4.2 and its decisions, over HTTP: validation, then statistics over known records. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { analyticsResponseSchema } from '../../src/search/answer-schema.js';
import { ANALYTICS, type Answer, onEachAdapter, Service } from './service.js';
import { idsWhere, isPatent, openWorld, serveWorld, WORLD } from './world.js';

onEachAdapter('4.2 POST /api/v1/search/semantic-analytics', (adapter) => {
  const served = serveWorld(adapter);

  const QUERY = { query: 'pump that cools battery cells', min_score: 0 };
  const ask = (body: Record<string, unknown>): Promise<Answer> =>
    served.service.post(ANALYTICS, { ...QUERY, ...body });
  async function answered(body: Record<string, unknown>) {
    const answer = await ask(body);
    assert.equal(answer.status, 200, answer.text);
    return analyticsResponseSchema.parse(answer.json);
  }
  async function refused(body: Record<string, unknown>, status: number, ...words: string[]): Promise<void> {
    const answer = await served.memory.post(ANALYTICS, { query: 'q', ...body });
    assert.equal(answer.status, status, answer.text);
    assert.deepEqual(Object.keys(answer.json), ['detail']);
    for (const word of words) assert.ok(answer.json.detail.includes(word), answer.json.detail);
    assert.equal(served.memory.engine.analyticsQueries.length, 0, 'the engine was not called');
  }
  const counts = (values: (string | undefined)[]): Record<string, number> => {
    const map: Record<string, number> = {};
    for (const value of values.toSorted()) if (value !== undefined) map[value] = (map[value] ?? 0) + 1;
    return map;
  };
  /** The answer names the publication that represents an application and its grant. */
  const recordsOf = (ids: string[]) => ids.map((id) => WORLD.find(({ patent_id }) => patent_id === id)!);

  it('SPEC 4.2 response: query, total_matched, min_score_used, page, page_size, total_pages, stats, results', async () => {
    const answer = await answered({});
    assert.deepEqual(Object.keys(answer), [
      'query',
      'total_matched',
      'min_score_used',
      'page',
      'page_size',
      'total_pages',
      'stats',
      'results',
    ]);
    const { query, total_matched, min_score_used, page, page_size, total_pages } = answer;
    assert.deepEqual(
      { query, total_matched, min_score_used, page, page_size, total_pages },
      { query: QUERY.query, total_matched: 7, min_score_used: 0, page: 1, page_size: 20, total_pages: 1 },
    );
  });

  it('explain: how the documents were counted, and without it nothing of that', async () => {
    const { explanation, classification, excluded_by, ...plain } = await answered({ explain: true });
    assert.deepEqual(plain, await answered({}));
    const documents = idsWhere(isPatent).length;
    assert.deepEqual(explanation, { exact: true, documents, scans: ['exact'] });
    assert.deepEqual([classification, excluded_by], [undefined, undefined]);
  });

  it('explain: a question that is read as a classification code', async () => {
    assert.equal((await answered({ query: 'H01M 10/0562', explain: true })).classification, 'H01M10/0562');
  });

  it('explain: what leaves everything out, if the filters allow nothing', async () => {
    const nothing = await answered({ applicant: 'Unknown Ltd.', explain: true });
    assert.deepEqual(nothing.explanation, { exact: true, documents: 0, scans: [] });
    assert.deepEqual(nothing.excluded_by?.[0], { filter: 'applicant', publications: WORLD.length });
    // The dates have the names of the request, each by itself.
    const never = { date_range: { to: '1800-01-01' }, as_of: '0001-01-01', explain: true };
    for (const date_type of ['filing', 'publication']) {
      const { excluded_by: dated = [] } = await answered({ ...never, date_type });
      const { length } = WORLD;
      assert.deepEqual(
        dated
          .filter(({ publications }) => publications === length)
          .map(({ filter }) => filter)
          .sort(),
        ['as_of', 'date_range'],
      );
    }
    const tooFar = await answered({ query: 'umbrella', min_score: 1, explain: true });
    assert.equal(tooFar.total_matched, 0);
    assert.ok(tooFar.explanation!.documents > 0);
    assert.equal(tooFar.excluded_by, undefined, 'the filters allow documents');
    await refused({ explain: 'yes' }, 422, 'explain', 'true or false');
  });

  it('SPEC 2.3 fields of a result: one passage, and no chunks, rerank_score or figure', async () => {
    const { results } = await answered({ countries: ['US'], doc_type: 'grant' });
    const { similarity_score, chunk_text, ...rest } = results[0]!;
    assert.ok(
      similarity_score >= 0 && similarity_score <= 1,
      `expected a similarity from 0 to 1: ${similarity_score}`,
    );
    assert.match(chunk_text, /number 2\.$/);
    assert.deepEqual(rest, {
      patent_id: 'US11000001B2',
      title: 'Pump 2',
      applicant: 'Samsung Electronics Co., Ltd.',
      country: 'US',
      kind_code: 'B2',
      filing_date: '2019-05-05',
      publication_date: '2021-05-11',
      ipc_codes: ['H01M 10/0562', 'B60L 50/64'],
    });
  });

  it('SPEC 2.4 statistics: each axis gives its member; SPEC 4.2 stats_group_by: year and country when absent', async () => {
    const { stats: both } = await answered({});
    assert.deepEqual(Object.keys(both).sort(), ['by_country', 'by_year']);
    const members = { year: 'by_year', country: 'by_country', applicant: 'top_applicants', ipc: 'top_ipc' };
    for (const [axis, member] of Object.entries(members)) {
      const { stats } = await answered({ stats_group_by: [axis] });
      assert.deepEqual(Object.keys(stats), [member]);
    }
    const { stats, results } = await answered({ stats_group_by: Object.keys(members), page_size: 100 });
    const records = recordsOf(results.map(({ patent_id }) => patent_id));
    assert.deepEqual(stats.by_country, counts(records.map(({ country }) => country)));
    const applicants = counts(records.flatMap((r) => (r['applicants'] as string[] | undefined) ?? []));
    assert.deepEqual(
      Object.fromEntries(stats.top_applicants!.map(({ name, count }) => [name, count])),
      applicants,
    );
  });

  it('DECISIONS top_ipc, by_year: 4-character subclass; year of the chosen date; a record without the date is only absent from by_year', async () => {
    for (const date_type of ['filing', 'publication'] as const) {
      const { stats, results, total_matched } = await answered({
        date_type,
        stats_group_by: ['year', 'ipc'],
        page_size: 100,
      });
      const records = recordsOf(results.map(({ patent_id }) => patent_id));
      const years = records.map((r) => (r[`${date_type}_date`] as string | undefined)?.slice(0, 4));
      assert.deepEqual(stats.by_year, counts(years));
      const subclasses = records.flatMap((r) => [
        ...new Set(((r['ipc_codes'] as string[] | undefined) ?? []).map((code) => code.slice(0, 4))),
      ]);
      assert.deepEqual(
        Object.fromEntries(stats.top_ipc!.map(({ code, count }) => [code, count])),
        counts(subclasses),
      );
      assert.equal(total_matched, 7);
    }
  });

  it('SPEC 4.2 min_score: only documents with this score or a higher one; default 0.5; SPEC 4.2 total_matched', async () => {
    const all = await answered({ page_size: 100 });
    const scores = all.results.map(({ similarity_score }) => similarity_score);
    for (const min_score of [scores[2]!, scores[5]!, 1]) {
      const { total_matched, results, min_score_used } = await answered({ min_score, page_size: 100 });
      assert.equal(min_score_used, min_score);
      assert.equal(total_matched, scores.filter((score) => score >= min_score).length);
      assert.equal(results.length, total_matched);
    }
    const plain = await served.service.post(ANALYTICS, { query: QUERY.query });
    assert.equal(plain.json.min_score_used, 0.5);
    assert.equal(plain.json.total_matched, scores.filter((score) => score >= 0.5).length);
    for (const min_score of [-0.1, 1.1, '0.5', true])
      await refused({ min_score }, 422, 'min_score', '0 to 1');
  });

  it('SPEC 4.2 max_results: 1 to 10,000, the maximum number of documents considered', async () => {
    const all = await answered({ page_size: 100 });
    for (const max_results of [1, 3, 10_000]) {
      const { total_matched, stats } = await answered({ max_results });
      const expected = Math.min(max_results, all.total_matched);
      assert.equal(total_matched, expected);
      assert.equal(
        Object.values(stats.by_country!).reduce((sum, n) => sum + n, 0),
        expected,
      );
    }
    for (const max_results of [0, 10_001, 1.5, '5'])
      await refused({ max_results }, 422, 'max_results', '1 to 10,000');
  });

  it('SPEC 4.2 date_range, date_type: one range of the named date, default filing', async () => {
    const ids = async (body: Record<string, unknown>) => {
      const apart = await Promise.all(
        ['application', 'grant'].map((doc_type) => answered({ doc_type, page_size: 100, ...body })),
      );
      return apart.flatMap(({ results }) => results.map(({ patent_id }) => patent_id)).sort();
    };
    const range = { from: '2019-01-01', to: '2020-01-10' };
    for (const date_type of [undefined, 'filing', 'publication'] as const) {
      const field = `${date_type ?? 'filing'}_date`;
      const within = idsWhere((r) => {
        const date = r[field] as string | undefined;
        return isPatent(r) && date !== undefined && date >= range.from && date <= range.to;
      });
      assert.deepEqual(await ids({ date_range: range, date_type }), within, field);
    }
    assert.deepEqual(await ids({ date_range: { from: '2022-01-01' }, date_type: 'grant' }), [
      'KR1023000010000B1',
    ]);
    assert.deepEqual(
      await ids({ date_range: { to: '2018-12-31' }, date_type: 'priority' }).then((found) =>
        found.includes('US11000001B2'),
      ),
      true,
    );
    const everything = await ids({});
    assert.deepEqual(await ids({ date_range: {} }), everything);
    assert.deepEqual(await ids({ date_range: { from: null, to: null } }), everything);
    await refused({ date_range: 'x' }, 422, 'date_range', '{from, to}');
    await refused({ date_range: { from: '2020-13-01' } }, 400, '2020-13-01', 'expected YYYY-MM-DD');
    await refused({ date_range: { from: '2020-01-02', to: '2020-01-01' } }, 422, 'date_range.from');
    await refused({ date_type: 'birth' }, 422, 'date_type', 'filing');
  });

  it('SPEC 4.2 page, page_size: 1-based, default 20, 1 to 100; the pages together hold all results', async () => {
    const all = (await answered({ page_size: 100 })).results;
    const pages = [];
    for (let page = 1; page <= 4; page++) {
      const answer = await answered({ page, page_size: 2 });
      assert.deepEqual([answer.page, answer.page_size, answer.total_pages], [page, 2, 4]);
      pages.push(...answer.results);
    }
    assert.deepEqual(pages, all);
    for (const page of [0, -1, 1.5, '1']) await refused({ page }, 422, 'page');
    for (const page_size of [0, 101, 1.5]) await refused({ page_size }, 422, 'page_size', '1 to 100');
  });

  it('DECISIONS page past the end: 200 without results', async () => {
    for (const page of [5, 1_000, Number.MAX_SAFE_INTEGER]) {
      const answer = await answered({ page, page_size: 2 });
      assert.deepEqual(answer.results, []);
      assert.equal(answer.total_matched, 7);
    }
  });

  it('DECISIONS order of results: similarity_score, publication_date newest first, patent_id', async () => {
    const { results } = await answered({ page_size: 100 });
    for (let i = 1; i < results.length; i++) {
      const [a, b] = [results[i - 1]!, results[i]!];
      assert.ok(
        a.similarity_score >= b.similarity_score,
        `expected ${a.patent_id} (${a.similarity_score}) before ${b.patent_id} (${b.similarity_score})`,
      );
      if (a.similarity_score > b.similarity_score) continue;
      assert.ok(
        (a.publication_date ?? '') >= (b.publication_date ?? ''),
        `expected the later date first: ${a.publication_date}, ${b.publication_date}`,
      );
      if (a.publication_date === b.publication_date)
        assert.ok(
          a.patent_id < b.patent_id,
          `expected ${a.patent_id} before ${b.patent_id} at equal scores and dates`,
        );
    }
  });

  it('DECISIONS total_matched: an application and its grant count once', async () => {
    const all = await answered({ countries: ['KR'] });
    assert.equal(all.total_matched, 1);
    assert.deepEqual(all.stats.by_country, { KR: 1 });
  });

  it('SPEC 4.2 takes the other fields of 4.1; DECISIONS top_k on semantic-analytics: validated, without effect', async () => {
    const filters = {
      applicant: 'samsung',
      ipc_codes: ['H01M'],
      kind_codes: ['B2'],
      include_utility_model: true,
    };
    const one = await answered({ ...filters, top_k: 1 });
    assert.deepEqual(
      one.results.map(({ patent_id }) => patent_id),
      ['US11000001B2'],
    );
    assert.equal((await answered({ top_k: 1 })).results.length, 7);
    await refused({ top_k: 101 }, 422, 'top_k', '1 to 100');
    await refused({ stats_group_by: ['inventor'] }, 422, 'stats_group_by', 'applicant');
    await refused({ stats_group_by: [] }, 422, 'stats_group_by');
  });

  it('DECISIONS fields of the other endpoint: 422 that names their endpoint, on both', async () => {
    for (const type of ['filing', 'publication', 'grant', 'priority']) {
      for (const end of ['from', 'to'])
        await refused(
          { [`${type}_date_${end}`]: '2020-01-01' },
          422,
          `${type}_date_${end}`,
          'date_range',
          type,
        );
    }
    for (const field of ['date_range', 'date_type']) {
      const answer = await served.memory.search({ query: 'q', [field]: 'filing' });
      assert.equal(answer.status, 422);
      assert.ok(answer.json.detail.includes('filing_date_from'), answer.json.detail);
    }
  });

  it('SPEC 8 top_applicants, top_ipc: at most 20 entries', async () => {
    const many = await openWorld(
      Array.from({ length: 25 }, (_, i) => ({
        ...WORLD[2]!,
        patent_id: `US${11_000_100 + i}B2`,
        applicants: [`Applicant ${i} Inc.`],
        ipc_codes: [`A${String(i + 1).padStart(2, '0')}B 1/00`],
        application_number: `16/${200_000 + i}`,
      })),
    );
    const other = await Service.start(adapter, 30_000, { engine: many.engine });
    try {
      const { json } = await other.post(ANALYTICS, { ...QUERY, stats_group_by: ['applicant', 'ipc'] });
      assert.equal(json.total_matched, 25);
      assert.equal(json.stats.top_applicants.length, 20);
      assert.equal(json.stats.top_ipc.length, 20);
    } finally {
      await other.stop();
      await many.close();
    }
  });
});
