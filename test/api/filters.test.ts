/** Specification 4.1 and the decisions on filters, over HTTP, against records with known answers. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { searchResponseSchema } from '../../src/search/answer-schema.js';
import { ANALYTICS, onEachAdapter } from './service.js';
import { idsWhere, isPatent, serveWorld, WORLD } from './world.js';

onEachAdapter('filters of semantic search', (adapter) => {
  const served = serveWorld(adapter);

  async function found(filter: Record<string, unknown>): Promise<string[]> {
    const answer = await served.service.search({
      query: 'pump that cools battery cells',
      top_k: 100,
      ...filter,
    });
    assert.equal(answer.status, 200, answer.text);
    const { total, results } = searchResponseSchema.parse(answer.json);
    assert.equal(total, results.length);
    return results.map(({ patent_id }) => patent_id).sort();
  }
  /** With application and grant as separate results, so that each is found. */
  const each = async (filter: Record<string, unknown>) =>
    [
      ...(await found({ doc_type: 'application', ...filter })),
      ...(await found({ doc_type: 'grant', ...filter })),
    ].sort();

  it('SPEC 1 all five jurisdictions are searched in one call', async () => {
    const ids = await found({});
    assert.deepEqual([...new Set(ids.map((id) => id.slice(0, 2)))].sort(), ['CN', 'EP', 'JP', 'KR', 'US']);
  });

  it('SPEC 2.1 fields of a result; SPEC 2.2 fields of a chunk', async () => {
    const { json } = await served.service.search({ query: 'pump', countries: ['US'], doc_type: 'grant' });
    const record = WORLD.find(({ patent_id }) => patent_id === 'US11000001B2')!;
    const { similarity_score, rerank_score, chunks, ...shown } = json.results[0];
    assert.deepEqual(shown, {
      patent_id: record.patent_id,
      title: record['title'],
      applicant: 'Samsung Electronics Co., Ltd.',
      filing_date: '2019-05-05',
      publication_date: '2021-05-11',
      ipc_codes: ['H01M 10/0562', 'B60L 50/64'],
      kind_code: 'B2',
      country: 'US',
    });
    assert.ok(
      similarity_score >= 0 && similarity_score <= 1,
      `expected a similarity from 0 to 1: ${similarity_score}`,
    );
    assert.equal(typeof rerank_score, 'number');
    assert.ok(chunks.length >= 1 && chunks.length <= 5, `expected 1 to 5 passages: ${chunks.length}`);
    assert.deepEqual(Object.keys(chunks[0]).sort(), [
      'chunk_type',
      'claim_numbers',
      'paragraph_numbers',
      'rerank_score',
      'section_name',
      'similarity_score',
      'text',
    ]);
  });

  it('SPEC 4.1 countries: a subset, default all five', async () => {
    for (const countries of [['JP'], ['KR', 'CN'], ['US', 'US']]) {
      assert.deepEqual(
        await each({ countries }),
        idsWhere((r) => isPatent(r) && countries.includes(r.country)),
      );
    }
  });

  it('SPEC 4.1 doc_type: all is one result for an application and its grant; DECISIONS doc_type "all"', async () => {
    const all = await found({});
    const pair = ['KR1020200000001A', 'KR1023000010000B1'];
    assert.equal(all.filter((id) => pair.includes(id)).length, 1);
    assert.deepEqual(await found({ doc_type: 'all' }), all);
    const grants = idsWhere((r) => /^B/.test(r.kind_code));
    assert.deepEqual(await found({ doc_type: 'grant' }), grants);
    assert.deepEqual(
      await found({ doc_type: 'application' }),
      idsWhere((r) => /^A/.test(r.kind_code)),
    );
  });

  it('SPEC 4.1 kind_codes: only the given kinds; SPEC 4.1 rule 2: doc_type is then ignored', async () => {
    const wanted = idsWhere((r) => r.kind_code === 'B1');
    assert.deepEqual(await found({ kind_codes: ['B1'] }), wanted);
    assert.deepEqual(await found({ kind_codes: ['b1'], doc_type: 'application' }), wanted);
  });

  it('SPEC 4.1 include_utility_model; DECISIONS utility models, designs: found only on request', async () => {
    const utility = idsWhere((r) => /^Y/.test(r.kind_code));
    assert.ok((await found({ include_utility_model: true })).includes(utility[0]!));
    for (const none of [{}, { include_utility_model: false }, { doc_type: 'grant' }])
      assert.ok(!(await found(none)).includes(utility[0]!));
    const designs = idsWhere((r) => r.kind_code === 'S1');
    assert.ok(!(await found({ include_utility_model: true })).includes(designs[0]!));
    assert.deepEqual(await found({ kind_codes: ['S1'] }), designs);
    assert.deepEqual(await found({ kind_codes: ['Y1'], include_utility_model: false }), utility);
  });

  const DATES = [
    ['filing', '2019-01-01', '2019-05-05'],
    ['publication', '2021-01-07', '2021-07-01'],
    ['priority', '2018-05-05', '2019-06-01'],
  ] as const;
  for (const [type, from, to] of DATES) {
    it(`SPEC 4.1 ${type}_date_from, ${type}_date_to; DECISIONS date ranges: inclusive, without a date no match`, async () => {
      const field = `${type}_date`;
      // The priority date of a record without priority is its filing date.
      const date = (r: (typeof WORLD)[number]) =>
        (r[field] ?? (type === 'priority' ? r['filing_date'] : undefined)) as string | undefined;
      const within = (low: string, high: string) =>
        idsWhere((r) => isPatent(r) && date(r) !== undefined && date(r)! >= low && date(r)! <= high);
      const names = { from: `${field}_from`, to: `${field}_to` };
      assert.deepEqual(await each({ [names.from]: from, [names.to]: to }), within(from, to));
      assert.deepEqual(await each({ [names.from]: from }), within(from, '9999-12-31'));
      assert.deepEqual(await each({ [names.to]: to }), within('0000-00-00', to));
    });
  }

  it('DECISIONS date ranges: a day before all patents is valid', async () => {
    const dated = idsWhere((r) => isPatent(r) && r['filing_date'] !== undefined);
    for (const day of ['0001-01-01', '1623-06-25'])
      assert.deepEqual(await each({ filing_date_from: day }), dated);
    assert.deepEqual(await each({ filing_date_to: '1699-12-31' }), []);
  });

  it('SPEC 4.1 grant_date_from, grant_date_to; DECISIONS grant dates: grant publications only; stated date or publication date', async () => {
    const filter = { grant_date_from: '2021-05-11', grant_date_to: '2022-02-20' };
    const wanted = ['EP03500001B1', 'KR1023000010000B1', 'US11000001B2'];
    assert.deepEqual(await each(filter), wanted);
    assert.deepEqual(await found({ ...filter, doc_type: 'application' }), []);
    assert.deepEqual(await each({ grant_date_from: '2022-02-21' }), [], 'the office states the 20th');
  });

  it('SPEC 4.1 applicant: case-insensitive, in the native language; SPEC 4.1 rule 1: not expanded', async () => {
    assert.deepEqual(await each({ applicant: 'SAMSUNG' }), ['US11000001B2']);
    assert.deepEqual(await each({ applicant: '삼성전자' }), ['KR1020200000001A', 'KR1023000010000B1']);
    assert.deepEqual(await each({ applicant: '示例' }), ['CN110000001B']);
  });

  it('SPEC 4.1 applicant_match: contains, prefix, exact; default contains', async () => {
    const of = (applicant: string, applicant_match?: string) => each({ applicant, applicant_match });
    assert.deepEqual(await of('electronics'), ['US11000001B2']);
    assert.deepEqual(await of('electronics', 'contains'), ['US11000001B2']);
    assert.deepEqual(await of('electronics', 'prefix'), []);
    assert.deepEqual(await of('samsung', 'prefix'), ['US11000001B2']);
    assert.deepEqual(await of('samsung', 'exact'), []);
    assert.deepEqual(await of('samsung electronics', 'exact'), ['US11000001B2']);
  });

  it('SPEC 4.1 inventor: prefix; DECISIONS several inventors, applicants: any of them matches, shown joined', async () => {
    assert.deepEqual(await each({ inventor: 'kim' }), ['US11000001B2']);
    assert.deepEqual(await each({ inventor: 'im, Min' }), []);
    for (const inventor of ['Smith', 'Doe', 'Jane D'])
      assert.deepEqual(await each({ inventor }), ['US20210000002A1'], inventor);
    for (const applicant of ['foo', 'bar']) assert.deepEqual(await each({ applicant }), ['US20210000002A1']);
    const { json } = await served.service.search({ query: 'pump', inventor: 'Doe' });
    assert.equal(json.results[0].applicant, 'Foo Inc.; Bar LLC');
  });

  it('SPEC 4.1 ipc_codes, cpc_codes; DECISIONS IPC/CPC prefix: spaces and case are ignored', async () => {
    const battery = ['KR1020200000001A', 'KR1023000010000B1', 'US11000001B2'];
    for (const code of ['H01M', 'h01m', 'H01M10', 'H01M 10/05', 'H', 'H01'])
      assert.deepEqual(await each({ ipc_codes: [code] }), battery, code);
    assert.deepEqual(await each({ ipc_codes: ['H01M 10/0562'] }), ['US11000001B2']);
    assert.deepEqual(await each({ ipc_codes: ['H01M1'] }), [], 'a main group is complete');
    assert.deepEqual(await each({ ipc_codes: ['A47L', 'B60L'] }), ['US11000001B2', 'US20210000002A1']);
    assert.deepEqual(await each({ cpc_codes: ['Y02E'] }), ['US11000001B2']);
    assert.deepEqual(await each({ cpc_codes: ['H01M'], ipc_codes: ['H01M'] }), ['KR1020200000001A']);
  });

  it('SPEC 4.1 publication_number, application_number; DECISIONS numbers as input: in any spelling', async () => {
    for (const publication_number of ['US11000001B2', 'US 11,000,001 B2', '11000001', 'us-11000001-b2'])
      assert.deepEqual(await each({ publication_number }), ['US11000001B2'], publication_number);
    assert.deepEqual(await each({ publication_number: '03500001' }), ['EP03500001A1', 'EP03500001B1']);
    for (const application_number of ['10-2020-0000001', '1020200000001'])
      assert.deepEqual(
        await each({ application_number }),
        ['KR1020200000001A', 'KR1023000010000B1'],
        application_number,
      );
    assert.deepEqual(await each({ publication_number: 'US99999999B2' }), []);
  });

  it('DECISIONS utility models, designs: a number or a family finds every kind, unless kinds are given', async () => {
    const [utility, design] = ['KR2020200000005Y1', 'USD0900001S1'];
    assert.deepEqual(await found({ publication_number: utility }), [utility]);
    assert.deepEqual(await found({ publication_number: 'USD900001' }), [design]);
    assert.deepEqual(await found({ application_number: '20-2020-0000005' }), [utility]);
    assert.deepEqual(await found({ application_number: '29/700,001' }), [design]);
    assert.deepEqual(await found({ family_id: 'F2' }), [utility, design]);
    assert.deepEqual(await found({ family_id: 'F2', kind_codes: ['S1'] }), [design]);
    assert.deepEqual(await found({ family_id: 'F2', include_utility_model: true }), [utility]);
    for (const stated of [{ doc_type: 'all' }, { doc_type: 'grant' }, { include_utility_model: false }])
      assert.deepEqual(await found({ family_id: 'F2', ...stated }), []);
    const { json } = await served.service.post(ANALYTICS, { query: 'pump', family_id: 'F2', min_score: 0 });
    assert.equal(json.total_matched, 2);
  });

  it('SPEC 4.1 family_id: exact; DECISIONS family_id: as the source gives it', async () => {
    assert.deepEqual(await each({ family_id: 'F1' }), [
      'KR1020200000001A',
      'KR1023000010000B1',
      'US11000001B2',
    ]);
    assert.deepEqual(await each({ family_id: 'F' }), []);
  });

  it('DECISIONS null, empty: null is absent, an empty list is 422', async () => {
    const nulls = { countries: null, doc_type: null, kind_codes: null, applicant: null, ipc_codes: null };
    assert.deepEqual(await found({ ...nulls, filing_date_from: null, family_id: null }), await found({}));
    for (const field of ['countries', 'kind_codes', 'ipc_codes', 'cpc_codes'])
      assert.equal((await served.service.search({ query: 'q', [field]: [] })).status, 422, field);
  });

  it('DECISIONS order of results: rerank_score, similarity_score, patent_id; equal requests get equal answers', async () => {
    const ask = () => served.service.search({ query: 'pump that cools battery cells', top_k: 100 });
    const [first, second] = [await ask(), await ask()];
    assert.equal(first.text, second.text);
    const { results } = first.json;
    for (let i = 1; i < results.length; i++) {
      const [a, b] = [results[i - 1], results[i]];
      const order =
        b.rerank_score - a.rerank_score ||
        b.similarity_score - a.similarity_score ||
        (a.patent_id < b.patent_id ? -1 : 1);
      assert.ok(order < 0, `${a.patent_id} before ${b.patent_id}`);
    }
  });

  it('DECISIONS scores: a patent has its best chunk’s similarity, chunks are ordered by rerank_score, types and sections are named', async () => {
    const { json } = await served.service.search({ query: 'pump that cools battery cells', top_k: 100 });
    for (const { similarity_score, chunks } of json.results) {
      assert.equal(similarity_score, Math.max(...chunks.map((c: typeof chunks) => c.similarity_score)));
      const ranks = chunks.map((c: typeof chunks) => c.rerank_score);
      assert.deepEqual(
        ranks,
        ranks.toSorted((a: number, b: number) => b - a),
      );
      for (const { chunk_type, section_name } of chunks) {
        assert.ok(
          ['abstract', 'claim', 'description'].includes(chunk_type),
          `expected a kind of passage: ${chunk_type}`,
        );
        assert.equal(section_name, 'Abstract');
      }
    }
  });
});
