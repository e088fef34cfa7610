/** The files and lines of code that a search is taken along as. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { csvOf, curlOf, jsonOf } from '../../src/page/model/export.js';
import { emptySearch } from '../../src/page/model/fields.js';
import type { DetailsEntry, SearchResult } from '../../src/search/public-types.js';

describe('an export', () => {
  const result = (title: string, applicant: string): SearchResult => ({
    patent_id: 'US1A1',
    title,
    applicant,
    ipc_codes: [],
    kind_code: 'A1',
    country: 'US',
    similarity_score: 0.5,
    rerank_score: -1,
    chunks: [],
  });

  const detailsOf = (inventor: string): DetailsEntry => ({
    patent_id: 'US1A1',
    bibliography: {
      applicants: [],
      inventors: [{ name: inventor }, { name: '김철수' }],
      cpc_codes: ['H01M 10/0562', 'Y02E 60/10'],
      priorities: [{ number: '1', date: '2012-05-01' }],
      priority_date: '2012-05-01',
      citations: [],
      family: [],
    },
    metadata: { ...result('a', 'c'), filing_date: '2013-03-02' },
  });

  const source = {
    search: { ...emptySearch(), query: 'laser', countries: ['US'] as const, as_of: 'US2B2' },
    page: 'http://127.0.0.1:8080/',
    searchedAt: '2026-01-02T03:04:05.000Z',
  };

  it('says which search it answers, when, and where its patents are', () => {
    const [names, line] = csvOf([result('a', 'c')], [], source)
      .slice(1)
      .split('\r\n');
    const cells = line!.split(',');
    const cell = (name: string) => cells[names!.split(',').indexOf(name)];
    assert.equal(cell('link'), 'http://127.0.0.1:8080/#/patent/US1A1');
    assert.equal(cell('question'), 'laser');
    assert.equal(cell('filters'), 'as_of=US2B2; countries=US');
    // All results are in the file, in the order of the answer, whatever the list shows.
    const formed = { ...source, search: { ...source.search, sort: 'newest', titles: 'hidden' } as const };
    assert.ok(csvOf([result('a', 'c')], [], formed).includes(',as_of=US2B2; countries=US,'));
    assert.equal(cell('searched_at'), '2026-01-02T03:04:05.000Z');
    assert.equal(cell('search_link'), 'http://127.0.0.1:8080/#/?query=laser&as_of=US2B2&countries=US');
    const json = JSON.parse(jsonOf({ total: 1, results: [result('a', 'c')] }, source));
    assert.deepEqual([json.request.query, json.request.as_of, json.total], ['laser', 'US2B2', 1]);
    assert.equal(json.search_link, cell('search_link'));
    for (const name of ['inventors', 'priority_date', 'cpc_codes']) assert.equal(cell(name), '', name);
  });

  it('has the inventors, the priority date and the CPC of the details', () => {
    const [names, ...lines] = csvOf(
      [result('a', 'c'), { ...result('b', 'c'), patent_id: 'US2A1' }],
      [detailsOf('Ada'), { ...detailsOf('Bo'), patent_id: 'US3A1' }],
      source,
    )
      .slice(1)
      .trimEnd()
      .split('\r\n');
    const cell = (line: string, name: string) => line.split(',')[names!.split(',').indexOf(name)];
    assert.equal(cell(lines[0]!, 'inventors'), 'Ada; 김철수');
    assert.equal(cell(lines[0]!, 'priority_date'), '2012-05-01');
    assert.equal(cell(lines[0]!, 'cpc_codes'), 'H01M 10/0562; Y02E 60/10');
    assert.equal(cell(lines[1]!, 'inventors'), '', 'details of other patents are not used');
  });

  it('has no cell that a program for tables reads as a formula', () => {
    for (const start of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '＝1']) {
      const line = csvOf([result(start, `"${start}`)], [detailsOf(start)], {
        ...source,
        search: { ...emptySearch(), query: start },
      }).split('\r\n')[1]!;
      for (const cell of line.split(',')) assert.doesNotMatch(cell, /^"?[\t =+@＝-]/, line);
    }
  });

  it('quotes commas, quotes and lines', () => {
    const [, line] = csvOf([result('a, "b"', 'c')], [], source).split('\r\n');
    assert.match(line!, /^1,US1A1,"a, ""b""",c,/);
  });

  it('as a line of curl is one argument, whatever the question holds', () => {
    const line = curlOf('http://127.0.0.1:8080', { query: `it's $(reboot)` });
    assert.ok(line.endsWith(`-d '{"query":"it'\\''s $(reboot)"}'`), line);
  });
});
