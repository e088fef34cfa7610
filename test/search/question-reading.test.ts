/** Questions that are a number or a classification code, and publications as examples. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Patent } from '../../src/patent/record.js';
import { codeAsked, codesAsked, isLikeCodes } from '../../src/search/class-question.js';
import { isNumber } from '../../src/search/number-question.js';
import type { SemanticRequest } from '../../src/search/schema.js';
import { FIXTURES, questions, random } from '../crash/folder.js';
import { openBefore } from './collection.js';
import { byKind, numberSpellings } from './requests.js';
import { applicationsOf, kindOf } from './truth.js';

describe('what a question is read as', () => {
  it('a number and nothing else', () => {
    for (const text of [
      'US 11,217,824 B2',
      'KR1020200104349A',
      ' kr1020200104349a ',
      '10-2020-0104349',
      '10-0866101',
      '9,971,313',
      '11217824',
      '特開2018-524120',
      '特願2018-524120',
      '특허출원 10-2020-0104349',
      'EP20168852.3',
      'EP 3 539 467 A1',
      '201610298414.0',
      'ZL201610298414.0',
      'PCT/KR2020/001234',
      'WO 2010/022988',
      'WO2010022988A1',
      'WO-2010/022988-A1',
      'wo 99/12345',
      'WO/2018/062001',
      'WO/2018/062001 A1',
      'wo/1998/012345',
      'International Publication No. WO/2018/062001',
      'PCT-KR2020-001234',
      'PCT/EP99/01234',
      'WO-A-2004/032928',
      'International Application No. PCT/US2007/014647',
      '국제출원번호 PCT/KR2020/001234',
      '国際公開第2018/062001号',
      '国际公布号 WO2019/135546',
      '16/123,456',
      'US 16/123456',
      'USSN 10/123,456',
      'U.S.S.N. 10/123,456',
      'U.S. Ser. No. 10/123,456',
      'Serial No. 09/742,144',
      'JP-H05123456-A',
      'jp-s6112345-a',
      'JP 361118513 A',
      'USD433143S',
      'ＵＳ１１２１７８２４Ｂ２',
      '特開2021-041306号公報',
      'JP-A-2021-41306',
      'EP-A-0449582',
      'CN103492414(A)',
      '公开号CN109992624A',
      '대한민국 등록특허공보 제10-1234567호',
      'Patent No. 6,334,226',
      'EP 35\u00ad39467 A1',
      '"CN107206890B"',
      '(CN107206890B)',
      'CN107206890B;',
      '등록번호 10-2423139',
      '등록번호 제10-2423139호',
      '출원번호 10-2020-0104349',
      '出願番号 特願2018-524120',
      '专利号: 201610298414.0',
      'US Patent Application No. 16/123,456',
      'Japanese Unexamined Patent Application Publication No. 2018-524120',
    ]) {
      assert.ok(isNumber(text), text);
    }
  });

  it('no number: names, standards, quantities, dates, sentences', () => {
    for (const text of [
      'H.264',
      '1588',
      '802.15.4',
      '802.11',
      '1588-2019',
      'ISO 26262',
      'EN 50155',
      '5G',
      'PM2.5',
      'D1',
      'WO3',
      'WO4 2010',
      'WO/2018',
      'WO/2018/062001 and WO/2018/062002',
      'Al2O3/WO3 2018',
      'and/or 2018/062001',
      'PCT 2010 rules',
      '国際公開第2018号',
      'WO 2010/022988 and WO 2010/022989',
      '2020-01-31',
      '2019-2021',
      '100,000',
      '3.14159265',
      '12345A',
      'battery 11217824',
      'US11217824B2 battery',
      'US11217824B2 and US11217825B2',
      `US${'1'.repeat(100)}`,
      '9'.repeat(9_999),
      'EP-A-0449582 discloses a pump',
      '特開2021-041306号公報に記載の電池',
      'Patent No. 6,334,226 and others',
      'Vitamin B-12345',
      'Application 2020',
      'USSN',
      'USSN of a pump',
      'JP-H05',
      'JP-H05123456-A discloses a pump',
      'JP 361118513 yen',
      'H-05123456 pump',
      'Serial number of a pump',
      'Serial No. 10/123,456 of a pump',
      '10/123,456 pumps',
      '10/123',
      '1/123,456',
      '1/2',
      '24/7 service',
      '特願'.repeat(5_000),
      'patent application publication',
      '출원번호',
    ]) {
      assert.ok(!isNumber(text), text);
    }
  });

  it('a classification code and nothing else', () => {
    const codes: [string, string][] = [
      ['H01M', 'H01M'],
      ['h01m 10/0525', 'H01M10/0525'],
      ['H01M10', 'H01M10/'],
      ['Y02E 60/10', 'Y02E60/10'],
      ['Ｈ０１Ｍ　１０／０５', 'H01M10/05'],
      ['C10H16/00', 'C10H16/00'],
      ['"H01M10/0562"', 'H01M10/0562'],
      ['H01M-10/0562;', 'H01M10/0562'],
      ['IPC: H01M 10/0562 (2010.01)', 'H01M10/0562'],
      ['H01M010/0562', 'H01M10/0562'],
      ['H01M0010056200', 'H01M10/0562'],
      ['C08F  265 / 04', 'C08F265/04'],
      ['C08F 265/04 (2006.01)I', 'C08F265/04'],
      ['Int.Cl.7 H01M 10/0562', 'H01M10/0562'],
      ['(51) Int. Cl. H01M 10/0562', 'H01M10/0562'],
      ['국제특허분류 H01M 10/0562', 'H01M10/0562'],
      ['国际分类号 H01M10/0562', 'H01M10/0562'],
      ['IPC分类号 H01M10/0562', 'H01M10/0562'],
    ];
    for (const [text, prefix] of codes) assert.equal(codeAsked(text), prefix, text);
    // Adamantane, perfluorinated fullerene; a section and a class are words.
    for (const text of [
      'C10H16',
      'C60F36',
      'H',
      'H01',
      'I01M',
      'H01M battery',
      'H01M 0/00',
      'A61K 00/10',
      'A4',
      'B-52',
      '5G',
      'H01M 10/0525, H01M 4/13',
      'A 12 345',
      'Int. Cl.',
      'IPC',
      '분류 battery',
    ])
      assert.equal(codeAsked(text), undefined, text);
  });

  it('a list of codes; ranges and impossible codes have the form of codes only', () => {
    assert.deepEqual(codesAsked('H01M10/0525; H01M4/13'), ['H01M10/0525', 'H01M4/13']);
    assert.deepEqual(codesAsked('IPC H01M 10/0525 (2010.01), H01G, H01M'), ['H01M10/0525', 'H01G', 'H01M']);
    const lists: [string, string[]][] = [
      ['H01M 10/0525, 10/058', ['H01M10/0525', 'H01M10/058']],
      ['H01M 10/0525, 10/058; H01G 9/00, 9/02', ['H01M10/0525', 'H01M10/058', 'H01G9/00', 'H01G9/02']],
      ['H01M 10/0525 10/058', ['H01M10/0525', 'H01M10/058']],
      ['H01M 10/0525 H01M 4/13', ['H01M10/0525', 'H01M4/13']],
      ['h01m 10/0525\r\nh01m 4/13\n', ['H01M10/0525', 'H01M4/13']],
      ['H01M 10/0525 (2010.01)\nH01M 4/13 (2010.01)', ['H01M10/0525', 'H01M4/13']],
      ['H01M10/0525(2010.01)I H01M4/13(2010.01)I', ['H01M10/0525', 'H01M4/13']],
      ['H01M10/0525(2010.01)H01M4/13(2010.01)', ['H01M10/0525', 'H01M4/13']],
      ['Int. Cl. H01M 10/0525, 10/058', ['H01M10/0525', 'H01M10/058']],
      ['IPC: H01M 10/0525; CPC: H01M 4/13', ['H01M10/0525', 'H01M4/13']],
      ['H01M 10/0525, 10/058, H01G', ['H01M10/0525', 'H01M10/058', 'H01G']],
      ['H01M, 10/0525', ['H01M', 'H01M10/0525']],
      ['H01M 10/0525|H01M 4/13', ['H01M10/0525', 'H01M4/13']],
      ['H01M-10/0525 H01M-4/13', ['H01M10/0525', 'H01M4/13']],
    ];
    for (const [text, codes] of lists) assert.deepEqual(codesAsked(text), codes, text);
    for (const text of [
      'B16F10, A20A5',
      'H01M, batteries',
      'H01M 10/0525, 10/058 batteries',
      'batteries H01M 10/0525, 10/058',
      'H01M 10/0525 and 10/058',
      'H01M H01G',
      'H01M 10 58',
      'H01M 10/0525, 10',
      '10/0525, 10/058',
      'A61K 31/00, 500 mg',
      'H01M10/0525; ',
      `${'H01M 4/13, '.repeat(30)}H01M`,
    ])
      assert.ok((codesAsked(text)?.length ?? 0) < 2, text);
    for (const text of [
      'H01M 10/05-10/0587',
      'H01M 10/05 - H01M 10/0587',
      'H01M 0/00',
      'A61K 00/10',
      'H01M 10/05 ~ 10/0587',
      'H01M 10/05–10/0587',
      'H01M 4/13, 10/05-10/0587',
      'H01M 4/13 H01M 10/05 - H01M 10/0587',
      'H01M 4/13, H01M 0/00',
      'Int. Cl. H01M 10/05 - 10/0587',
    ])
      assert.ok(codesAsked(text) === undefined && isLikeCodes(text), text);
    for (const text of [
      'H01M',
      'B16F10',
      'H01M 10/05 battery',
      'solid electrolyte H01M 10/05',
      'a battery of H01M 10/05 - 10/0587',
      '전해질 H01M10/0525',
      '10/05',
      'battery',
      ';'.repeat(9_999),
      ' '.repeat(9_999),
    ])
      assert.ok(!isLikeCodes(text), text);
  });
});

const RUNS = 60;

describe('numbers, codes and examples in the fixtures', () => {
  const fixtures = openBefore(FIXTURES);

  const pick = <T>(next: () => number, from: readonly T[]): T => from[Math.floor(next() * from.length)]!;
  const linkOf = ({ country, application_number, patent_id }: Patent) =>
    application_number === undefined ? patent_id : `${country}/${application_number}`;
  const isSearched = (p: Patent) => /^(application|grant)$/.test(kindOf(p));
  const ids = async (request: SemanticRequest) =>
    (await fixtures.engine.search({ top_k: 100, ...request })).results.map(({ patent_id }) => patent_id);

  it('reranks by all examples, in whatever order they stand', async () => {
    const next = random(43);
    let kept = 0;
    for (let n = 0; n < 20; n++) {
      const like = [0, 1, 2].map(() => pick(next, fixtures.patents).patent_id);
      const first = await fixtures.engine.search({ like, top_k: 10 });
      const second = await fixtures.engine.search({ like: like.toReversed(), top_k: 10 });
      const found = new Set(first.results.map(({ patent_id }) => patent_id));
      kept += second.results.filter(({ patent_id }) => found.has(patent_id)).length;
    }
    assert.ok(kept >= 160, `${kept} of 200 results are the same`);
  });

  it('has the similarity of the other words if codes and numbers are among them', async () => {
    const similarities = async (query: string) => {
      const { results } = await fixtures.engine.analyze({ query, min_score: 0, page_size: 100 });
      return new Map(results.map(({ patent_id, similarity_score }) => [patent_id, similarity_score]));
    };
    const expected = await similarities('solid electrolyte');
    assert.ok(expected.size > 20);
    for (const query of [
      'H01M10/0525 solid electrolyte',
      'solid electrolyte H01M10/0525',
      'solid electrolyte CN110006408A',
    ])
      assert.deepEqual(await similarities(query), expected);
  });

  it('puts the grant first if the index lacks the application of the same number', async () => {
    const grant = fixtures.patents.find(
      (one) =>
        one.country === 'CN' &&
        kindOf(one) === 'grant' &&
        !fixtures.patents.some((other) => other.patent_id === one.patent_id.replace(/B\d?$/, 'A')),
    );
    assert.ok(grant);
    const query = grant.patent_id.replace(/[A-Z]\d?$/, 'A');
    assert.equal((await ids({ query }))[0], grant.patent_id);
    const { reading } = await fixtures.engine.explain({ query });
    assert.deepEqual(reading, { as: 'number', publications: [grant.patent_id], anotherKind: true });
  });

  it(`puts the publication first, in any spelling, ${RUNS} times`, async () => {
    const next = random(41);
    for (let n = 0; n < RUNS; n++) {
      const named = pick(next, fixtures.patents);
      const query = pick(next, numberSpellings(named));
      const answer = await fixtures.engine.search({ query, top_k: 100 });
      const found = answer.results.map(({ patent_id }) => patent_id);
      const scores = answer.results.map(({ rerank_score }) => rerank_score);
      const label = `${query} is ${named.patent_id}`;
      assert.deepEqual(
        scores,
        scores.toSorted((a, b) => b - a),
        label,
      );
      assert.equal(found[0], named.patent_id, label);
      assert.equal(new Set(found).size, found.length, label);
      const all = fixtures.patents.filter((p) => isSearched(p) || p === named);
      assert.equal(found.length, Math.min(100, applicationsOf(all)), label);
      const { reading } = await fixtures.engine.explain({ query });
      assert.deepEqual(reading, { as: 'number', publications: [named.patent_id] }, label);

      const { results, total_matched } = await fixtures.engine.analyze({
        query,
        min_score: 0,
        page_size: 100,
      });
      const inStatistics = results.map(({ patent_id }) => patent_id);
      assert.equal(inStatistics[0], named.patent_id, label);
      assert.equal(total_matched, applicationsOf(all), label);
    }
  });

  it('scores the words of the publication that the question names', async () => {
    const next = random(44);
    for (let n = 0; n < RUNS / 4; n++) {
      const named = pick(next, fixtures.patents);
      const { results } = await fixtures.engine.search({ query: named.patent_id, explain: true });
      const [first] = results;
      const { reranker, lexical, lexical_weight, language, found_by, matches } = first!.explanation!;
      assert.equal(found_by, 'number');
      assert.ok(matches.length > 0 && lexical_weight > 0, named.patent_id);
      assert.ok(lexical > 0, `${named.patent_id} holds its own words`);
      assert.ok(first!.rerank_score > reranker + lexical_weight * lexical + language - 1e-5, named.patent_id);
    }
  });

  it('puts the publications of an application number first, as one result', async () => {
    const named = fixtures.patents.find(
      (p) =>
        isSearched(p) &&
        p.application_number &&
        !fixtures.patents.some((o) => o.number === p.application_number),
    )!;
    const query = `${named.country}${named.application_number}`;
    const { reading } = await fixtures.engine.explain({ query });
    const same = fixtures.patents
      .filter((p) => linkOf(p) === linkOf(named))
      .map(({ patent_id }) => patent_id);
    assert.deepEqual(reading, { as: 'number', publications: same.sort() });
    const found = await ids({ query });
    assert.equal(found.filter((id) => same.includes(id)).length, 1);
    assert.ok(same.includes(found[0]!), `expected ${found[0]} among ${same}`);
  });

  it('takes the number of an application alone for its publications, in examples and as_of', async () => {
    const named = fixtures.patents.find(
      (p) =>
        p.country === 'KR' &&
        isSearched(p) &&
        p.application_number?.startsWith('10') &&
        !fixtures.patents.some((o) => o.number === p.application_number),
    )!;
    const same = new Set(
      fixtures.patents.filter((p) => linkOf(p) === linkOf(named)).map(({ patent_id }) => patent_id),
    );
    const number = named.application_number!.replace(/^(\d\d)(\d{4})/, '$1-$2-');
    for (const asked of [number, `KR ${number}`]) {
      const found = await ids({ like: [asked], top_k: 100 });
      assert.ok(found.length > 0 && !found.some((id) => same.has(id)), asked);
      assert.deepEqual(found, await ids({ like: [[...same].sort()[0]!], top_k: 100 }), asked);
      assert.ok(
        (await ids({ query: 'a battery', unlike: [asked] })).every((id) => !same.has(id)),
        asked,
      );
      const asOf = (as_of: string) => fixtures.engine.search({ query: 'a battery', as_of });
      assert.equal((await asOf(asked)).as_of_day, (await asOf(named.patent_id)).as_of_day, asked);
    }
  });

  it('knows an application by the word before its number, in questions, examples and details', async () => {
    const named = fixtures.patents.find((p) => p.country === 'KR' && isSearched(p) && p.application_number)!;
    const same = fixtures.patents
      .filter((p) => linkOf(p) === linkOf(named))
      .map(({ patent_id }) => patent_id)
      .sort();
    const number = named.application_number!.replace(/^(\d\d)(\d{4})/, '$1-$2-');
    for (const query of [
      `출원번호 ${number}`,
      `특허출원 제${number}호`,
      `Korean Patent Application No. ${number}`,
    ]) {
      const { reading } = await fixtures.engine.explain({ query });
      assert.deepEqual(reading, { as: 'number', publications: same }, query);
      const found = await ids({ like: [query], top_k: 100 });
      assert.ok(found.length > 0 && !found.some((id) => same.includes(id)), query);
      const [detail] = (await fixtures.engine.details({ patent_ids: [query] })).patents;
      const known = detail && 'candidates' in detail ? detail.candidates : [detail?.patent_id];
      assert.deepEqual(known, same.length > 1 ? same : [named.patent_id], query);
    }
  });

  it('respects the filter, and looks for an unknown number in texts alone', async () => {
    const named = fixtures.patents.find((p) => p.country === 'US' && isSearched(p))!;
    const found = await ids({ query: named.patent_id, countries: ['KR'] });
    assert.ok(
      found.length > 0 && found.every((id) => id.startsWith('KR')),
      `expected Korean documents only: ${found}`,
    );
    const unknown = 'US7777777B2';
    assert.deepEqual((await fixtures.engine.explain({ query: unknown })).reading, {
      as: 'number',
      publications: [],
    });
    for (const query of [unknown, 'B99Z 10/00']) {
      const { results } = await fixtures.engine.search({ query, top_k: 10 });
      assert.ok(results.length > 0, query);
      for (const { patent_id, similarity_score } of results) {
        assert.ok(similarity_score < 0.1, `${query}: ${patent_id} has the similarity ${similarity_score}`);
      }
      const { total_matched } = await fixtures.engine.analyze({ query });
      assert.equal(total_matched, 0, query);
    }
    assert.ok(!('reading' in (await fixtures.engine.explain({ query: 'a battery' }))));
  });

  it(`finds and counts the documents of a classification code, ${RUNS} times`, async () => {
    const next = random(42);
    const codes = fixtures.patents.flatMap((p) => [...(p.ipc_codes ?? []), ...(p.cpc_codes ?? [])]);
    for (let n = 0; n < RUNS; n++) {
      const code = pick(next, codes);
      const query = next() < 0.5 ? code.slice(0, 4) : code;
      const kinds = byKind(next, fixtures.patents);
      const isUnder = (p: Patent) =>
        [...(p.ipc_codes ?? []), ...(p.cpc_codes ?? [])].some((own) =>
          own.replace(' ', '').startsWith(query.replace(' ', '')),
        );
      const allowed = fixtures.patents.filter((p) => kinds.matches(p) && isUnder(p));
      const isCollapsed = (kinds.fields.doc_type ?? 'all') === 'all' && !kinds.fields.kind_codes;
      const expected = isCollapsed ? applicationsOf(allowed) : allowed.length;
      const label = JSON.stringify({ query, ...kinds.fields });
      const request = { query, ...kinds.fields };
      const { results } = await fixtures.engine.search({ ...request, top_k: 100 });
      assert.equal(results.length, Math.min(100, expected), label);
      const under = new Set(allowed.map(({ patent_id }) => patent_id));
      for (const { patent_id } of results) assert.ok(under.has(patent_id), `${label}: ${patent_id}`);
      const scores = results.map(({ similarity_score }) => similarity_score);
      assert.deepEqual(
        scores,
        [...scores].sort((a, b) => b - a),
        label,
      );
      const counts = await fixtures.engine.analyze(request);
      assert.deepEqual([counts.total_matched, counts.min_score_used], [expected, 0], label);
      const near = await fixtures.engine.analyze({ ...request, min_score: 0.5, page_size: 100 });
      assert.ok(
        near.results.every(({ similarity_score }) => similarity_score >= 0.5),
        label,
      );
      const { reading } = await fixtures.engine.explain(request);
      const all = fixtures.patents.filter(isUnder).length;
      assert.deepEqual(
        reading,
        { as: 'classification', code: query.replace(' ', ''), documents: all },
        label,
      );
    }
    const known = (code: string) => codes.some((own) => own.startsWith(code));
    const group = codes.map((code) => code.split('/')[0]!).find((one) => !known(`${one}/00`))!;
    const [whole, main] = [`${group}/00`, `${group.replace(' ', '')}/`];
    const { reading: ofGroup } = await fixtures.engine.explain({ query: whole });
    assert.ok(ofGroup?.as === 'classification' && ofGroup.documents > 0, whole);
    assert.equal(ofGroup.code, main, 'a main group with nothing under /00 itself');
    const two = [codes[0]!, codes.find((code) => code.slice(0, 4) !== codes[0]!.slice(0, 4))!];
    const { reading: ofList } = await fixtures.engine.explain({ query: two.join('; ') });
    const under = fixtures.patents.filter((p) =>
      [...(p.ipc_codes ?? []), ...(p.cpc_codes ?? [])].some((own) =>
        two.some((code) => own.startsWith(code)),
      ),
    );
    assert.deepEqual(ofList, {
      as: 'classification',
      code: two.map((code) => code.replace(' ', '')).join(', '),
      documents: under.length,
    });
    for (const between of [' ', '\n'])
      assert.deepEqual((await fixtures.engine.explain({ query: two.join(between) })).reading, ofList);
    assert.deepEqual((await fixtures.engine.explain({ query: 'B99Z' })).reading, {
      as: 'classification',
      code: 'B99Z',
      documents: 0,
    });
    assert.ok((await ids({ query: 'B99Z' })).length > 0);
  });

  it(`leaves out the examples and their applications, ${RUNS} times`, async () => {
    const next = random(43);
    const queries = questions(5);
    const some = () => Array.from({ length: 1 + Math.floor(next() * 3) }, () => pick(next, fixtures.patents));
    for (let n = 0; n < RUNS; n++) {
      const [liked, unliked] = [some(), some()];
      const fields = {
        ...(next() < 0.5 ? { query: pick(next, queries) } : {}),
        like: liked.map((p) => pick(next, numberSpellings(p))),
        ...(next() < 0.5 ? { unlike: unliked.map((p) => p.patent_id) } : {}),
      };
      const examples = new Set([...liked, ...('unlike' in fields ? unliked : [])].map(linkOf));
      const allowed = fixtures.patents.filter((p) => isSearched(p) && !examples.has(linkOf(p)));
      const label = JSON.stringify(fields);
      const found = await ids(fields);
      assert.equal(found.length, Math.min(100, applicationsOf(allowed)), label);
      for (const id of found)
        assert.ok(!examples.has(linkOf(fixtures.collection.patents.get(id)!)), `${label}: ${id}`);
      const { total_matched, query } = await fixtures.engine.analyze({ ...fields, min_score: 0 });
      assert.equal(total_matched, applicationsOf(allowed), label);
      assert.equal(query, 'query' in fields ? fields.query : '', label);
    }
  });

  it('like raises the scores of what is like it, unlike lowers them', async () => {
    const like = fixtures.patents.find(
      (p) => isSearched(p) && p.country === 'KR' && (p.abstract ?? '').length > 200,
    )!;
    const [twin] = await ids({ like: [like.patent_id] });
    const query = 'a robot cleans floors';
    const scoreIn = async (request: SemanticRequest) => {
      const { results } = await fixtures.engine.search(
        // Each publication by itself: an application may be shown by its grant.
        { ...request, top_k: 100, collapse: 'none' },
        { rerank: false, exact: true },
      );
      return results.find(({ patent_id }) => patent_id === twin)?.similarity_score ?? 0;
    };
    const plain = await scoreIn({ query });
    assert.ok(plain < (await scoreIn({ query, like: [like.patent_id] })));
    assert.ok(plain > (await scoreIn({ query, unlike: [like.patent_id] })) || plain === 0);
    const other = fixtures.patents.find(
      (p) => isSearched(p) && p.patent_id !== twin && linkOf(p) !== linkOf(like),
    )!;
    const away = { like: [other.patent_id], unlike: [like.patent_id] };
    assert.ok((await scoreIn({ like: [other.patent_id] })) >= (await scoreIn(away)));
  });

  it('counts an example once if several spellings name it', async () => {
    const [one, other] = fixtures.patents.filter((p) => isSearched(p) && p.country === 'US');
    const query = 'a robot cleans floors';
    for (const field of ['like', 'unlike'] as const) {
      const found = async (...numbers: string[]) =>
        (await fixtures.engine.search({ query, [field]: [...numbers, other!.patent_id], top_k: 20 })).results;
      const spelled = [one!.patent_id, ` ${one!.patent_id.toLowerCase()}`, ...numberSpellings(one!)];
      assert.ok(spelled.length > 3);
      assert.deepEqual(await found(...spelled), await found(one!.patent_id), field);
    }
  });

  it('names all unknown examples, and those that several applications have', async () => {
    await assert.rejects(
      fixtures.engine.search({
        like: ['US7777777B2', fixtures.patents[0]!.patent_id, 'x'],
        unlike: ['EP7777777A1'],
      }),
      {
        code: 'invalid_request',
        message:
          'like: the index has no publication "US7777777B2", "x"; expected numbers of stored ones. ' +
          'unlike: the index has no publication "EP7777777A1"; expected numbers of stored ones',
      },
    );
  });
});
