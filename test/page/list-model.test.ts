/** What the page does with results and numbers by itself: order, selection, names of files, cited numbers, finding keys. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SHOWN_CODES } from '../../src/http/error-codes.js';
import { en } from '../../src/page/languages/dashboard/en.js';
import { citedName } from '../../src/page/model/cited-number.js';
import { csvOf, curlOf, fileNameOf } from '../../src/page/model/export.js';
import { emptySearch, parametersOf, searchOf } from '../../src/page/model/fields.js';
import { foundKeys } from '../../src/page/model/found-keys.js';
import { CLEAR, relevanceOf, shownSimilarity } from '../../src/page/model/relevance.js';
import { semanticRequest } from '../../src/page/model/request.js';
import { shownResults } from '../../src/page/model/shown-results.js';
import { shownSum } from '../../src/page/model/shown-sum.js';
import type { Chunk, SearchResult } from '../../src/search/public-types.js';
import fc from '../property.js';

const chunk = (section_name: string): Chunk => ({
  text: 'a text',
  chunk_type: 'abstract',
  section_name,
  paragraph_numbers: [],
  claim_numbers: [],
  similarity_score: 0.5,
  rerank_score: 0,
});

function resultOf(patent_id: string, similarity_score: number, day?: string, section = 'Abstract') {
  return {
    patent_id,
    title: 'A title',
    applicant: '',
    ipc_codes: [],
    kind_code: 'B2',
    country: 'US',
    similarity_score,
    rerank_score: 0,
    chunks: [chunk(section)],
    ...(day === undefined ? {} : { publication_date: day }),
  } as SearchResult;
}

describe('a similarity', () => {
  it('is shown on its side of 0.5', () => {
    assert.deepEqual([0.4, 0.494, 0.4951, 0.4966, 0.4999, 0.5, 0.504].map(shownSimilarity), [
      '0.40',
      '0.49',
      '0.495',
      '0.496',
      '0.499',
      '0.50',
      '0.50',
    ]);
    const similarity = fc.float({ min: 0, max: 1, noNaN: true });
    fc.assert(fc.property(similarity, (value) => Number(shownSimilarity(value)) >= CLEAR === value >= CLEAR));
  });
});

describe('the results that a list shows', () => {
  const results = [
    resultOf('a', 0.5, '2010-01-01'),
    resultOf('b', 0.9, '2020-01-01', 'Title'),
    resultOf('c', 0.5),
    resultOf('d', 0.7, '2010-01-01'),
    resultOf('e', 0.1, '1999-12-31'),
  ];
  const shown = (wanted: Partial<Parameters<typeof shownResults>[1]>) =>
    shownResults(results, { sort: 'best', titles: 'shown', ...wanted })
      .map(({ patent_id }) => patent_id)
      .join('');

  it('are in the order that was chosen; equal ones, and those without a date, keep that of the answer', () => {
    assert.equal(shown({}), 'abcde');
    assert.equal(shown({ sort: 'similarity' }), 'bdace');
    assert.equal(shown({ sort: 'newest' }), 'badec');
    assert.equal(shown({ sort: 'oldest' }), 'eadbc');
    assert.equal(results.map(({ patent_id }) => patent_id).join(''), 'abcde', 'the answer is not changed');
  });

  it('can leave out those that have a title only', () => {
    assert.equal(shown({ titles: 'hidden' }), 'acde');
    assert.equal(shown({ titles: 'hidden', sort: 'oldest' }), 'eadc');
  });

  it('are never lost or doubled by an order', () => {
    const day = fc.option(fc.constantFrom('1999-01-01', '2005-05-05', '2020-02-02'), { nil: undefined });
    const some = fc.array(fc.tuple(fc.float({ min: 0, max: 1, noNaN: true }), day), { maxLength: 20 });
    const orders = fc.constantFrom('best', 'similarity', 'newest', 'oldest');
    fc.assert(
      fc.property(some, orders, (pairs, sort) => {
        const all = pairs.map(([score, date], at) => resultOf(String(at), score, date));
        const found = shownResults(all, { sort: sort as 'best', titles: 'shown' });
        assert.deepEqual(new Set(found), new Set(all));
        assert.equal(found.length, all.length);
      }),
    );
  });

  it('are in the address, and not in the request', () => {
    const search = { ...emptySearch(), query: 'laser', sort: 'newest' as const, titles: 'hidden' as const };
    assert.deepEqual(searchOf(parametersOf(search)), search);
    assert.deepEqual(semanticRequest(search), semanticRequest({ ...emptySearch(), query: 'laser' }));
  });
});

describe('the sum that orders the results', () => {
  const thousandths = (text: string) => Math.round(Number(text) * 1000);

  it('is that of the parts that are shown with it', () => {
    assert.deepEqual(shownSum([2.7684, 2.8753, 0]), { parts: ['2.769', '2.875', '0.000'], sum: '5.644' });
    assert.deepEqual(shownSum([1.0006, 1.0007, 0]).parts, ['1.000', '1.001', '0.000']);
    const part = fc.double({ min: -20, max: 20, noNaN: true });
    fc.assert(
      fc.property(part, part, part, (...parts) => {
        const { parts: shown, sum } = shownSum(parts);
        const all = shown.map(thousandths).reduce((a, b) => a + b, 0);
        assert.equal(all, thousandths(sum));
        for (const [at, text] of shown.entries()) assert.ok(Math.abs(Number(text) - parts[at]!) < 0.001);
      }),
    );
  });
});

describe('a list of results', () => {
  const relevance = (...similarities: number[]) =>
    relevanceOf(
      similarities.map((similarity_score) => ({ similarity_score }) as SearchResult),
      20,
    );

  it('has a line where similarity falls below 0.5, if it stays there', () => {
    assert.equal(relevance(0.9, 0.5, 0.49, 0.1).cutAt, 2);
    assert.equal(relevance(0.9, 0.4, 0.6).cutAt, undefined);
    assert.equal(relevance(0.9, 0.8).cutAt, undefined);
    assert.equal(relevance(0.4, 0.3).cutAt, undefined);
  });

  it('that is far but for one result is known as such', () => {
    const far = new Array(19).fill(0.3);
    assert.equal(relevance(0.51, ...far).isNearlyFar, true);
    assert.equal(relevance(...far).isNearlyFar, false, 'nothing at all is clear: the page says so already');
    assert.equal(relevance(0.51, 0.3).isNearlyFar, false, 'a short list is short by its filters');
    assert.equal(relevance(0.9, 0.9, 0.9, ...far).isNearlyFar, false);
  });
});

describe('a file with results', () => {
  const source = (query: string, like: string[] = []) => ({
    search: { ...emptySearch(), query, like },
    page: 'http://127.0.0.1:8080/',
    searchedAt: '2026-01-02T03:04:05.000Z',
  });

  it('has the name of its question and day, which every file system takes', () => {
    assert.equal(
      fileNameOf(source(' Solid electrolyte '), 'csv'),
      'priorart-Solid-electrolyte-2026-01-02.csv',
    );
    assert.equal(fileNameOf(source('리튬 이차전지'), 'json'), 'priorart-리튬-이차전지-2026-01-02.json');
    assert.equal(fileNameOf(source('', ['US1A1']), 'csv'), 'priorart-US1A1-2026-01-02.csv');
    assert.equal(fileNameOf(source('H01M 10/05: "x"'), 'csv'), 'priorart-H01M-10-05-x-2026-01-02.csv');
    assert.equal(fileNameOf(source('../..\u202e/\n?'), 'csv'), 'priorart-2026-01-02.csv');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (query) => {
        const name = fileNameOf(source(query), 'csv');
        assert.match(name, /^priorart-.*2026-01-02\.csv$/su);
        assert.doesNotMatch(name, /[\p{C}\s<>:"/\\|?*]/u);
        assert.ok(Buffer.byteLength(name) <= 255, name);
      }),
    );
  });

  it('has the numbers of the office and the application, and marks what is little like or has only a title', () => {
    const results = [
      resultOf('KR1010606300000B1', 0.5),
      { ...resultOf('CN112345678A', 0.49, '2020-05-01', 'Title') },
    ];
    const details = [
      {
        patent_id: 'KR1010606300000B1',
        bibliography: {
          ...{ applicants: [], inventors: [], cpc_codes: [], citations: [], family: [] },
          application_number: '1020090012345',
        },
      },
    ];
    const [names, ...lines] = csvOf(results, details, source('laser')).slice(1).trimEnd().split('\r\n');
    const cells = (...columns: string[]) =>
      lines.map((line) => columns.map((name) => line.split(',')[names!.split(',').indexOf(name)]));
    assert.deepEqual(cells('office_number', 'application_number', 'below_0.5', 'title_only'), [
      ['KR 10-1060630 B1', '1020090012345', '', ''],
      ['CN 112345678 A', '', 'yes', 'yes'],
    ]);
  });
});

describe('a line of curl', () => {
  it('has a key if there is one', () => {
    assert.match(curlOf('http://127.0.0.1:8080', { query: 'x' }, 'psk_live_1'), /-H "X-API-Key: psk_live_1"/);
    assert.match(curlOf('http://127.0.0.1:8080', { query: 'x' }), /-H "X-API-Key: \$KEY"/);
  });
});

describe('a cited document', () => {
  const name = (number: string, day?: string, kind = 'A') => citedName({ country: 'JP', number, kind }, day);

  it('of Japan has its era year if that is certain', () => {
    // The searcher's example: `2-0272847`, which a source writes without its hyphen.
    assert.equal(name('20272847', '1999-05-04'), 'JP H02-272847 A');
    assert.equal(name('02272847', '2015-05-04'), 'JP H02-272847 A');
    assert.equal(name('11123456'), 'JP H11-123456 A');
    assert.equal(name('61123456'), 'JP S61-123456 A');
    assert.equal(name('25123456', '2015-01-01'), 'JP 2013-123456 A');
    assert.equal(name('80123456', '1997-01-01'), 'JP H08-123456 A');
  });

  it('stays as it is written if it has several readings or none, and if it is of another kind or office', () => {
    assert.equal(name('20272847', '2012-05-04'), 'JP 20272847 A', '1990, or 2008');
    assert.equal(name('60123456', '1999-05-04'), 'JP 60123456 A', '1985, or 1994');
    assert.equal(name('95123456'), 'JP 95123456 A');
    assert.equal(name('02272847', '1988-01-01'), 'JP 02272847 A', 'it would be newer than what cites it');
    assert.equal(name('06235612', '2020-01-01', 'B2'), 'JP 06235612 B2');
    assert.equal(citedName({ country: 'DE', number: '4321', kind: 'A1' }), 'DE 4321 A1');
    assert.equal(citedName({ text: 'Example, A.: Batteries' }), 'Example, A.: Batteries');
  });
});

it('each code of a refusal that the log may have is explained', () => {
  // Of health, of maintenance, and of administration, whose calls have no key.
  const neverLogged = ['maintenance', 'not_ready', 'name_taken'];
  const explained = Object.keys(en.codes);
  assert.deepEqual(
    SHOWN_CODES.filter((code) => !neverLogged.includes(code) && !explained.includes(code)),
    [],
  );
  assert.deepEqual(
    explained.filter((code) => !(SHOWN_CODES as readonly string[]).includes(code)),
    [],
  );
});

describe('keys', () => {
  const key = (id: string, name: string, account: string, prefix?: string) => ({
    ...{ id, name, account, environment: 'production' },
    ...(prefix === undefined ? {} : { prefix }),
  });
  const keys = [
    key('key_A1', 'laptop', 'acc_1', 'psk_live_Xy12ab'),
    key('key_B2', 'server', 'acc_2', 'psk_live_Zz34cd'),
    key('key_C3', 'old', 'acc_2'),
  ];
  const found = (asked: string) =>
    foundKeys(keys, asked, ({ account }) => (account === 'acc_1' ? 'Patent team' : 'Lab')).map(
      ({ id }) => id,
    );

  it('are found by name, id, account, and the first characters of the secret', () => {
    assert.deepEqual(found(' '), ['key_A1', 'key_B2', 'key_C3']);
    assert.deepEqual(found('LAP'), ['key_A1']);
    assert.deepEqual(found('key_c'), ['key_C3']);
    assert.deepEqual(found('lab'), ['key_B2', 'key_C3']);
    assert.deepEqual(found('psk_live_Zz'), ['key_B2']);
    assert.deepEqual(found('Xy12ab'), ['key_A1']);
    assert.deepEqual(found('xy12ab'), [], 'secrets have large and small letters');
  });

  it('are found by a whole secret', () => {
    assert.deepEqual(found(`psk_live_Zz34cd${'0'.repeat(32)}`), ['key_B2']);
    assert.deepEqual(found(`psk_live_Zz34ce${'0'.repeat(32)}`), []);
  });
});
