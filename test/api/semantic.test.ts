/** Specification 4.1 and the decisions on its requests. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onEachAdapter, Service } from './service.js';

onEachAdapter('4.1 POST /api/v1/search/semantic', (adapter) => {
  let service: Service;
  before(async () => {
    service = await Service.start(adapter);
  });
  after(() => service.stop());

  async function refused(body: unknown, status: number, ...words: string[]): Promise<void> {
    const asked = service.engine.queries.length;
    const answer = await service.search(body);
    assert.equal(answer.status, status, answer.text);
    assert.deepEqual(Object.keys(answer.json), ['detail']);
    for (const word of words)
      assert.ok(answer.json.detail.includes(word), `"${word}" not in: ${answer.json.detail}`);
    assert.equal(service.engine.queries.length, asked, 'the engine was not called');
  }

  it('SPEC 4.1 response 200 is {total, results}; total is the length of results', async () => {
    const answer = await service.search({ query: '연료 전지 냉각', top_k: 7 });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'application/json');
    assert.deepEqual(Object.keys(answer.json), ['total', 'results']);
    assert.equal(answer.json.total, 7);
    assert.equal(answer.json.results.length, 7);
    assert.equal(answer.json.results[3].title, '연료 전지 3');
  });

  it('SPEC 4.1 top_k; SPEC 8 top_k: default 10; a value that is not an integer from 1 to 100 is 422', async () => {
    assert.equal((await service.search({ query: 'q' })).json.total, 10);
    assert.equal((await service.search({ query: 'q', top_k: null })).json.total, 10);
    assert.equal((await service.search({ query: 'q', top_k: 100 })).json.total, 100);
    for (const top_k of [0, 101, -1, 1.5, '10', true, []]) {
      await refused({ query: 'q', top_k }, 422, 'top_k', JSON.stringify(top_k), '1 to 100');
    }
  });

  it('SPEC 1 languages: the engine gets the query as sent, in any language, and the filters', async () => {
    for (const query of ['고체 전해질', 'solid electrolyte', '固体電解質', '固态电解质', '😀']) {
      await service.search({ query: ` ${query}\n`, countries: ['JP'], inventor: '山田' });
      const asked = service.engine.queries.at(-1);
      assert.equal(asked?.query, query);
      assert.deepEqual(asked?.filters, {
        docType: 'all',
        includeUtilityModel: false,
        dates: {},
        values: { countries: ['JP'], inventor: '山田' },
      });
    }
  });

  it('every parameter of the table is accepted', async () => {
    const answer = await service.search({
      query: 'q',
      top_k: 5,
      countries: ['KR', 'US', 'CN', 'JP', 'EP'],
      doc_type: 'application',
      kind_codes: ['A1'],
      include_utility_model: true,
      filing_date_from: '2001-01-01',
      filing_date_to: '2001-01-01',
      publication_date_from: '2001-01-01',
      publication_date_to: '2001-01-01',
      grant_date_from: '2001-01-01',
      grant_date_to: '2001-01-01',
      priority_date_from: '2001-01-01',
      priority_date_to: '2001-01-01',
      applicant: 'Example',
      applicant_match: 'exact',
      inventor: 'Kim',
      ipc_codes: ['H01M'],
      cpc_codes: ['Y02E 60/10'],
      publication_number: '1020200104349',
      application_number: '1020190022222',
      family_id: '123',
    });
    assert.equal(answer.status, 200, answer.text);
  });

  it('SPEC 4.1 query; DECISIONS query; SPEC 7 422: missing, of another type, empty or over 10,000 characters is 422', async () => {
    await refused({}, 422, 'query', 'missing');
    await refused({ query: null }, 422, 'query', 'missing');
    await refused({ unlike: ['US11000001B2'] }, 422, 'query', 'missing');
    await refused({ like: null }, 422, 'query', 'missing');
    await refused({ query: ['q'] }, 422, 'query');
    await refused({ query: ' \n ' }, 422, 'query', '1 to 10,000');
    await refused({ query: 'ㄱ'.repeat(10_001) }, 422, 'query', '10,001', '1 to 10,000');
    assert.equal((await service.search({ query: 'ㄱ'.repeat(10_000) })).status, 200);
  });

  it('SPEC 7 400 date: an invalid YYYY-MM-DD day is 400, with the value and the expected form', async () => {
    for (const date of ['2020-02-30', '20200101', '2020/01/01', 'yesterday', '']) {
      await refused(
        { query: 'q', grant_date_from: date },
        400,
        'grant_date_from',
        date,
        'expected YYYY-MM-DD',
      );
    }
  });

  it('SPEC 7 400 IPC: a malformed IPC or CPC prefix is 400', async () => {
    await refused({ query: 'q', ipc_codes: ['H0M'] }, 400, 'ipc_codes', 'H0M');
    await refused({ query: 'q', cpc_codes: ['H01M', '?'] }, 400, 'cpc_codes', '?');
  });

  it('SPEC 7 400 applicant_match: an unknown value is 400', async () => {
    await refused(
      { query: 'q', applicant: 'x', applicant_match: 'like' },
      400,
      'applicant_match',
      'like',
      'contains',
    );
  });

  it('SPEC 7 422; DECISIONS 400 or 422: an unknown value of another enum, an empty list, a reversed range and an unknown field are 422', async () => {
    await refused({ query: 'q', countries: ['DE'] }, 422, 'countries', 'DE', 'US, KR, JP, CN, EP');
    await refused({ query: 'q', doc_type: 'b' }, 422, 'doc_type', 'application');
    await refused({ query: 'q', countries: [] }, 422, 'countries');
    await refused(
      { query: 'q', filing_date_from: '2020-01-02', filing_date_to: '2020-01-01' },
      422,
      'filing_date_from',
      '2020-01-02',
    );
    await refused({ query: 'q', top_n: 5 }, 422, '"top_n"', '"top_k"');
    await refused(
      { query: 'q', date_range: { from: '2020-01-01' } },
      422,
      '"date_range"',
      'filing_date_from',
    );
  });

  it('DECISIONS 400 or 422: a body that is not JSON is 400, and JSON that is not an object is 422', async () => {
    for (const body of ['', '{', '{"query":"q"', 'query=q', '{"query":"q",}', '\u0000'])
      await refused(body, 400);
    await refused(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d), 400, 'UTF-8');
    await refused('['.repeat(500_000), 400);
    for (const body of ['[]', '"q"', '5', 'null', 'true']) await refused(body, 422, 'JSON object');
  });

  it('SPEC 5.3 Content-Type must be application/json, else 415', async () => {
    for (const type of [
      undefined,
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=euc-kr',
    ]) {
      // fetch adds text/plain to a string body, but not to bytes.
      const answer = await service.search(Buffer.from('{"query":"q"}'), { 'content-type': type });
      assert.equal(answer.status, 415, `${type}: ${answer.text}`);
      assert.ok(
        answer.json.detail.includes('application/json'),
        `expected the right content type in the message: ${answer.json.detail}`,
      );
    }
    for (const type of [
      'application/json',
      'Application/JSON; charset=UTF-8',
      'application/json;charset="utf-8"',
    ]) {
      assert.equal((await service.search({ query: 'q' }, { 'content-type': type })).status, 200, type);
    }
    assert.equal((await service.search({ query: 'q' }, { 'content-encoding': 'gzip' })).status, 415);
  });

  it('DECISIONS order of checks: a body of more than a mebibyte is 413', async () => {
    const answer = await service.search(`{"query":"${'x'.repeat(1 << 20)}"}`);
    assert.equal(answer.status, 413);
    assert.ok(
      answer.json.detail.includes('1,048,576'),
      `expected the limit in the message: ${answer.json.detail}`,
    );
    assert.equal((await service.search(`{"query":"q"${' '.repeat((1 << 20) - 13)}}`)).status, 200);
  });
});
