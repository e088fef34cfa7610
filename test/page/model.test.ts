/** The parts of the page that need no browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LANGUAGES, languageFor, textsIn } from '../../src/page/languages/index.js';
import { activeCount, leftOutCountries, withoutCountry, withoutFilter } from '../../src/page/model/active.js';
import { addressOf, linkTo } from '../../src/page/model/address.js';
import { asOfDate, publicationOfAsOf } from '../../src/page/model/as-of.js';
import { claimsTree } from '../../src/page/model/claims-tree.js';
import { complaintsOf } from '../../src/page/model/complaints.js';
import { labelledDays } from '../../src/page/model/day-labels.js';
import { distinctNames } from '../../src/page/model/distinct-names.js';
import { documentOf } from '../../src/page/model/document.js';
import { csvOf, curlOf, jsonOf } from '../../src/page/model/export.js';
import {
  emptySearch,
  FLAGS,
  LISTS,
  parametersOf,
  type Search,
  searchOf,
  TEXTS,
} from '../../src/page/model/fields.js';
import { isUtilityModel, leftOutOf, withDesigns } from '../../src/page/model/kinds.js';
import { printedNumber } from '../../src/page/model/number.js';
import { matchedWords, piecesOf } from '../../src/page/model/passages.js';
import { missingWords } from '../../src/page/model/question-words.js';
import { relevanceOf } from '../../src/page/model/relevance.js';
import { analyticsRequest, semanticRequest, statisticsDate } from '../../src/page/model/request.js';
import { lessLike, moreLike, priorArtFor, publishedBefore } from '../../src/page/model/steps.js';
import { yearAxis } from '../../src/page/model/year-axis.js';
import { FILTER_SCHEMAS } from '../../src/search/filter-rows.js';
import type { Coverage, DetailsEntry, SearchResult } from '../../src/search/public-types.js';

const text = fc.string({ unit: 'grapheme', maxLength: 40 });

describe('the address', () => {
  it('holds every part and parameter', () => {
    fc.assert(
      fc.property(fc.array(text.filter(Boolean)), fc.array(fc.tuple(text, text)), (parts, pairs) => {
        const parameters = new URLSearchParams(pairs);
        const found = addressOf(linkTo(parts, parameters));
        assert.deepEqual(found.parts, parts);
        assert.equal(found.parameters.toString(), parameters.toString());
      }),
    );
  });

  it('holds a whole search, and what it does not know is left out', () => {
    const search = {
      ...emptySearch(),
      query: '고체 전해질 & "quoted"',
      countries: ['KR', 'CN'] as const,
      must_terms: ['solid, dry', '電池'],
      filing_date_from: '2015-01-01',
      include_utility_model: true,
      collapse: 'none' as const,
      view: 'statistics' as const,
    };
    assert.deepEqual(searchOf(parametersOf(search)), search);
    const strange = new URLSearchParams('countries=XX&countries=US&view=nothing&top_k=7&colour=red');
    assert.deepEqual(searchOf(strange), { ...emptySearch(), countries: ['US'] });
  });

  it('that is broken is still an address', () => {
    assert.deepEqual(addressOf('#/patent/%E0%A4%A').parts, ['patent', '%E0%A4%A']);
  });
});

describe('names of accounts and keys', () => {
  it('have the id behind them where two of an account are equal', () => {
    const keys = [
      { id: 'k1', account: 'a', name: 'server' },
      { id: 'k2', account: 'a', name: 'server' },
      { id: 'k3', account: 'b', name: 'server' },
      { id: 'k4', account: 'b', name: 'other' },
    ];
    assert.deepEqual([...distinctNames(keys).values()], ['server (k1)', 'server (k2)', 'server', 'other']);
    assert.deepEqual(
      [...distinctNames(keys.map(({ account: _, ...account }) => account)).values()],
      ['server (k1)', 'server (k2)', 'server (k3)', 'other'],
    );
  });
});

describe('requests', () => {
  it('can state every filter of the API', () => {
    const known: ReadonlySet<string> = new Set([
      'countries',
      'doc_type',
      'applicant_match',
      ...TEXTS,
      ...LISTS,
      ...FLAGS,
    ]);
    const missing = Object.keys(FILTER_SCHEMAS).filter((field) => !known.has(field));
    assert.deepEqual(missing, [], 'add them to src/page: see ARCHITECTURE.md, "To add a filter"');
  });

  it('have the fields that are stated, and no others', () => {
    const search = { ...emptySearch(), query: ' laser ', applicant: 'Bosch', ipc_codes: ['H01S'] };
    assert.deepEqual(semanticRequest(search), {
      query: 'laser',
      ipc_codes: ['H01S'],
      applicant: 'Bosch',
      collapse: 'family',
      top_k: 20,
      explain: true,
      highlight: true,
    });
  });

  it('for statistics keep one range of dates, and name those they leave out', () => {
    const search = {
      ...emptySearch(),
      query: 'laser',
      grant_date_from: '2020-01-01',
      priority_date_to: '2010-12-31',
    };
    assert.deepEqual(statisticsDate(search), { kind: 'grant', ignored: ['priority'] });
    const { date_type, date_range } = analyticsRequest(search);
    assert.deepEqual([date_type, date_range], ['grant', { from: '2020-01-01' }]);
    assert.equal(statisticsDate({ ...search, date_type: 'priority' }).kind, 'priority');
  });
});

describe('kinds that a search leaves out', () => {
  const coverage = {
    by_country: {
      KR: { total: 10, by_kind: { A: 5, U: 2, Y1: 1, S: 2 }, languages: [] },
      US: { total: 4, by_kind: { A1: 1, B2: 1, S1: 2 }, languages: [] },
    },
  } as unknown as Coverage;
  const search = { ...emptySearch(), query: 'laser' };

  it('are counted in its countries', () => {
    assert.deepEqual(leftOutOf(search, coverage), { utilityModels: 3, designs: 4 });
    assert.deepEqual(leftOutOf({ ...search, countries: ['US'] }, coverage), { utilityModels: 0, designs: 2 });
    assert.deepEqual(leftOutOf({ ...search, include_utility_model: true }, coverage), {
      utilityModels: 0,
      designs: 4,
    });
  });

  it('are none if it states kinds, or a number, which finds every kind', () => {
    const none = { utilityModels: 0, designs: 0 };
    assert.deepEqual(leftOutOf({ ...search, kind_codes: ['A1'] }, coverage), none);
    assert.deepEqual(leftOutOf({ ...search, publication_number: '2020123456' }, coverage), none);
  });

  it('come in with the kinds that it had', () => {
    const designs = withDesigns(search, coverage);
    assert.deepEqual(designs.kind_codes, ['A', 'A1', 'B2', 'S', 'S1']);
    const all = withDesigns({ ...search, include_utility_model: true }, coverage);
    assert.deepEqual(all.kind_codes, ['A', 'A1', 'B2', 'S', 'S1', 'U', 'Y1']);
    assert.equal(isUtilityModel('CN', 'U') && !isUtilityModel('CN', 'S'), true);
  });
});

describe('filters in use', () => {
  const search = { ...emptySearch(), query: 'laser' };

  it('are counted once each, without the question, its examples and the form of the list', () => {
    assert.equal(activeCount({ ...search, like: ['US1A1'], collapse: 'none', applicant_match: 'exact' }), 0);
    const used: Search = {
      ...search,
      countries: ['US', 'KR'],
      ipc_codes: ['H01M', 'H01S'],
      applicant: 'Bosch',
      filing_date_from: '2019-01-01',
      filing_date_to: '2020-01-01',
      as_of: '2020-01-01',
      include_utility_model: true,
    };
    assert.equal(activeCount(used), 6);
  });

  it('of countries can be all but one or two', () => {
    const one = withoutCountry(search, 'CN');
    assert.deepEqual(one.countries, ['US', 'KR', 'JP', 'EP']);
    const two = withoutCountry(one, 'KR');
    assert.deepEqual([leftOutCountries(one), leftOutCountries(two)], [['CN'], ['KR', 'CN']]);
    assert.deepEqual(withoutCountry(two, 'CN').countries, ['US', 'JP', 'CN', 'EP']);
    assert.deepEqual(withoutCountry(one, 'CN'), search);
    // A third one leaves two countries, which the search then names.
    assert.deepEqual(withoutCountry(two, 'JP').countries, ['US', 'EP']);
    assert.deepEqual(leftOutCountries({ countries: ['US', 'EP'] }), []);
    assert.deepEqual(withoutCountry({ ...search, countries: ['US'] }, 'US').countries, [
      ...['KR', 'JP', 'CN', 'EP'],
    ]);
    assert.deepEqual(leftOutCountries(search), []);
  });

  it('that leave nothing are taken away by the name of the API', () => {
    const dated = { ...search, as_of: 'US1A1', publication_date_to: '2020-01-01' };
    assert.deepEqual(withoutFilter(dated, 'publication_date'), search);
    assert.deepEqual(withoutFilter({ ...search, as_of: 'US1A1' }, 'publication_date'), search);
    const named = {
      ...search,
      applicant: 'Bosch',
      applicant_match: 'exact',
      applicant_expand: true,
    } as const;
    assert.deepEqual(withoutFilter(named, 'applicant'), search);
    assert.equal(withoutFilter(search, 'doc_type'), undefined);
  });
});

describe('a patent as the next step of a search', () => {
  const search = { ...emptySearch(), query: 'laser', countries: ['US'] as const, ipc_codes: ['H01S'] };

  it('keeps the filters', () => {
    for (const step of [moreLike, lessLike, priorArtFor, publishedBefore]) {
      const { countries, ipc_codes } = step(search, 'US1A1');
      assert.deepEqual([countries, ipc_codes], [['US'], ['H01S']], step.name);
    }
  });

  it('as prior art is like the patent and before it', () => {
    const { query, like, as_of } = priorArtFor(search, 'US1A1');
    assert.deepEqual([query, like, as_of], ['', ['US1A1'], 'US1A1']);
    const later = { ...search, publication_date_from: '2005-01-01', filing_date_to: '2020-12-31' };
    const { publication_date_from, filing_date_to } = priorArtFor(later, 'US1A1');
    assert.deepEqual([publication_date_from, filing_date_to], ['', '2020-12-31']);
    assert.deepEqual(publishedBefore(emptySearch(), 'US1A1'), priorArtFor(emptySearch(), 'US1A1'));
  });
});

describe('an error of the API', () => {
  it('is told by the fields that it names', () => {
    const detail =
      'ipc_codes[0]: malformed code "ZZ"; expected a prefix. It has a section. ' +
      'filing_date_from: got "x"; expected YYYY-MM-DD';
    assert.deepEqual(complaintsOf(detail), [
      { field: 'ipc_codes', message: 'malformed code "ZZ"; expected a prefix. It has a section' },
      { field: 'filing_date_from', message: 'got "x"; expected YYYY-MM-DD' },
    ]);
    assert.deepEqual(complaintsOf('internal error'), [{ field: undefined, message: 'internal error' }]);
  });
});

describe('a passage', () => {
  it('keeps its text, whatever the highlights are', () => {
    const highlight = fc.record({ from: fc.nat(60), to: fc.nat(60) });
    fc.assert(
      fc.property(text, fc.array(highlight), (passage, highlights) => {
        const ordered = highlights.sort((a, b) => a.from - b.from);
        assert.equal(
          piecesOf(passage, ordered)
            .map((piece) => piece.text)
            .join(''),
          passage,
        );
      }),
    );
  });

  it('marks words that overlap once', () => {
    assert.deepEqual(
      piecesOf('이차전지용', [
        { from: 0, to: 2 },
        { from: 1, to: 4 },
      ]),
      [
        { text: '이차전지', isMarked: true },
        { text: '용', isMarked: false },
      ],
    );
  });

  it('names the longest words only, the rarest first', () => {
    const at = (term: string, documents: number, from: number) => ({
      term,
      documents,
      chunk: 0,
      from,
      to: from + term.length,
    });
    const words = matchedWords([
      at('이차', 38, 5),
      at('이차전지', 8, 5),
      at('전지', 51, 7),
      at('고체', 126, 0),
    ]);
    assert.deepEqual(
      words.map(({ word }) => word),
      ['이차전지', '고체'],
    );
  });
});

describe('words of a question', () => {
  const matches = (...terms: [string, string?][]) =>
    terms.map(([term, translation_of]) => ({
      term,
      ...(translation_of === undefined ? {} : { translation_of }),
      documents: 1,
      chunk: 0,
      from: 0,
      to: 1,
    }));

  it('that no passage holds are named, without those that say nothing', () => {
    const question = 'Solid electrolyte of a Li2S battery, wherein the LED is blue';
    assert.deepEqual(missingWords(question, matches(['Solid'], ['battery'])), [
      'electrolyte',
      'Li2S',
      'LED',
      'blue',
    ]);
  });

  it('are held with a particle, by pairs of characters, and by a translation', () => {
    assert.deepEqual(missingWords('황화물 전해질을 포함하는', matches(['화물'], ['전해질'], ['포함'])), [
      '황화물',
    ]);
    assert.deepEqual(missingWords('固体电解质的研究', matches(['固体'], ['电解'], ['解质'])), ['研究']);
    assert.deepEqual(missingWords('リチウム 二次電池', matches(['리튬', 'リチウム'])), ['二次', '電池']);
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

describe('a document', () => {
  const markdown = `# Title

## Abstract

First.

## Claims

**1.** A device.

## Abstract

**2.** A device of claim 1, wherein **7.** holds.

**3.** The device of claim 1 or 2.

**4.** A method.

## Description

### Field

[0001] Text with <script>alert(1)</script> and [0002] inside.

![FIG. 1](/base/api/v1/drawings/US1A1/D00001.webp)

![US1A1 D00002.webp](/base/api/v1/drawings/US1A1/US1A1%20D00002.webp)

![not ours](https://example.com/x.png)

## Claims
`;
  it('is taken apart, and text that looks like markup stays text', () => {
    const { abstract, claims, description, drawings } = documentOf(markdown);
    assert.deepEqual(abstract, ['First.']);
    assert.deepEqual(
      claims.map(({ number }) => number),
      [1, 2, 3, 4],
    );
    assert.equal(claims[0]!.text, 'A device.\n## Abstract');
    assert.deepEqual(drawings, [
      { label: 'FIG. 1', source: 'api/v1/drawings/US1A1/D00001.webp' },
      { label: '', source: 'api/v1/drawings/US1A1/US1A1%20D00002.webp' },
    ]);
    assert.equal(description[0]!.heading, 'Field');
    assert.deepEqual(
      description[0]!.paragraphs.map((paragraph) => [paragraph.number, paragraph.text, paragraph.drawings]),
      [
        ['0001', 'Text with <script>alert(1)</script> and [0002] inside.', [0, 1]],
        ['', '![not ours](https://example.com/x.png)', []],
        ['', '## Claims', []],
      ],
    );
  });

  it('has its claims in a tree', () => {
    const tree = claimsTree(documentOf(markdown).claims);
    assert.deepEqual(
      tree.map(({ number, children }) => [number, children.map((child) => [child.number, child.alsoOn])]),
      [
        [
          1,
          [
            [2, []],
            [3, [2]],
          ],
        ],
        [4, []],
      ],
    );
  });
});

describe('the day of a search for prior art', () => {
  const entry = (dates: Partial<DetailsEntry['bibliography']>, filing?: string): DetailsEntry => ({
    patent_id: 'US1A1',
    metadata: {
      ...{ title: '', applicant: '', ipc_codes: [], kind_code: 'A1', country: 'US' },
      ...(filing === undefined ? {} : { filing_date: filing }),
    },
    bibliography: { applicants: [], inventors: [], cpc_codes: [], citations: [], family: [], ...dates },
  });
  const search = { ...emptySearch(), query: 'laser', as_of: 'US1A1' };
  const [priority, filing] = ['2012-05-01', '2013-03-02'];

  it('is the priority date of a publication, or its filing date if the visitor chooses it', () => {
    const both = entry({ priority_date: priority }, filing);
    assert.equal(publicationOfAsOf(search), 'US1A1');
    const found = asOfDate(search, both)!;
    assert.deepEqual([found.kind, found.day, found.other?.day], ['priority', priority, filing]);
    const chosen = found.other!.search;
    assert.deepEqual(chosen, { ...search, as_of: filing });
    // The address does not say whose filing date it is, unless there is an example.
    assert.equal(publicationOfAsOf(chosen), undefined);
    const like = { ...chosen, like: ['US1A1'] };
    assert.equal(publicationOfAsOf(like), 'US1A1');
    const back = asOfDate(like, both)!;
    assert.deepEqual([back.kind, back.day, back.other?.day], ['filing', filing, priority]);
    assert.equal(back.other?.search.as_of, 'US1A1');
    assert.equal(publicationOfAsOf({ ...like, like: ['US1A1', 'US2A1'] }), undefined);
  });

  it('leaves no choice without an earlier priority, and is not told if it is unknown', () => {
    assert.deepEqual(asOfDate(search, entry({}, filing)), { kind: 'priority', day: filing });
    assert.deepEqual(asOfDate(search, entry({ priority_date: filing }, filing)), {
      ...{ kind: 'priority', day: filing },
    });
    const undated = entry({ priorities: [{ number: '1' }] }, filing);
    assert.equal(asOfDate(search, undated), undefined);
    assert.equal(asOfDate(search, { patent_id: 'US1A1', error: 'not_found' }), undefined);
    const day = { ...search, as_of: '2012-12-31', like: ['US1A1'] };
    assert.equal(asOfDate(day, entry({ priority_date: priority }, filing)), undefined, 'another day');
    assert.equal(publicationOfAsOf(emptySearch()), undefined);
  });
});

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

describe('a number', () => {
  it('is printed as its office prints it; other texts stay as they are', () => {
    for (const [id, printed] of [
      ['KR1010606300000B1', 'KR 10-1060630 B1'],
      ['KR1020200104349A', 'KR 10-2020-0104349 A'],
      ['US11217824B2', 'US 11,217,824 B2'],
      ['USD1050455S1', 'US D1,050,455 S1'],
      ['JP30524120A', '特開2018-524120'],
      ['EP00546210B2', 'EP 546 210 B2'],
      ['CN110010963A', 'CN 110010963 A'],
      ['KR102214943B1', 'KR102214943B1'],
      ['2020-05-31', '2020-05-31'],
      ['<b>', '<b>'],
    ])
      assert.equal(printedNumber(id!), printed);
  });
});

describe('the years under a plot', () => {
  it('are all there on a phone, turned if they have to be', () => {
    assert.deepEqual(yearAxis(900, 20), { steps: [1, 2, 5, 10, 20, 50], rotate: 0, height: 32 });
    assert.deepEqual(yearAxis(300, 16), { steps: [1], rotate: -90, height: 46 });
    assert.equal(yearAxis(300, 60).rotate, 0, 'sixty labels fit in no way');
  });
});

describe('the language', () => {
  it('has words of its own for less like this, which is no exclusion, and for the publication of a grant', async () => {
    const excluding = { en: /exclu/i, ko: /제외/, ja: /除/, zh: /排除/ };
    for (const { code, results } of await Promise.all(LANGUAGES.map(textsIn))) {
      assert.doesNotMatch(results.lessLike, excluding[code as keyof typeof excluding], code);
      assert.notEqual(results.publishedGrant, results.published, code);
    }
  });

  it('is the first that the browser asks for and the page has', () => {
    assert.equal(languageFor(['fr-FR', 'ko-KR', 'en']), 'ko');
    assert.equal(languageFor(['zh-Hant-TW']), 'zh');
    assert.equal(languageFor(['de']), 'en');
  });
});

it('the last day of a plot has a label, whatever the step is', () => {
  for (const days of [1, 7, 30, 90])
    for (const step of [1, 2, 5, 20, 200]) {
      const labels = labelledDays(days, step);
      assert.equal(labels.at(-1), days - 1, `${days} ${step}`);
      assert.ok(labels.every((at, n) => at >= 0 && (n === 0 || at - labels[n - 1]! === step)));
      assert.ok(labels[0]! < step, 'none is missing at the beginning');
    }
});
