/** The parts of the page that need no browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { languageFor } from '../../src/page/languages/index.js';
import { addressOf, linkTo } from '../../src/page/model/address.js';
import { claimsTree } from '../../src/page/model/claims-tree.js';
import { complaintsOf } from '../../src/page/model/complaints.js';
import { labelledDays } from '../../src/page/model/day-labels.js';
import { documentOf } from '../../src/page/model/document.js';
import { csvOf, curlOf } from '../../src/page/model/export.js';
import { emptySearch, FLAGS, LISTS, parametersOf, searchOf, TEXTS } from '../../src/page/model/fields.js';
import { matchedWords, piecesOf } from '../../src/page/model/passages.js';
import { analyticsRequest, semanticRequest, statisticsDate } from '../../src/page/model/request.js';
import { FILTER_SCHEMAS } from '../../src/search/filter-rows.js';
import type { SearchResult } from '../../src/search/public-types.js';

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

  it('has no cell that a program for tables reads as a formula', () => {
    for (const start of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '＝1']) {
      const line = csvOf([result(start, `"${start}`)]).split('\r\n')[1]!;
      for (const cell of line.split(',')) assert.doesNotMatch(cell, /^"?[\t =+@＝-]/, line);
    }
  });

  it('quotes commas, quotes and lines', () => {
    const [, line] = csvOf([result('a, "b"', 'c')]).split('\r\n');
    assert.match(line!, /^1,US1A1,"a, ""b""",c,/);
  });

  it('as a line of curl is one argument, whatever the question holds', () => {
    const line = curlOf('http://127.0.0.1:8080', { query: `it's $(reboot)` });
    assert.ok(line.endsWith(`-d '{"query":"it'\\''s $(reboot)"}'`), line);
  });
});

describe('the language', () => {
  it('is the first that the browser asks for and the page has', () => {
    assert.equal(languageFor(['fr-FR', 'ko-KR', 'en']).code, 'ko');
    assert.equal(languageFor(['zh-Hant-TW']).code, 'zh');
    assert.equal(languageFor(['de']).code, 'en');
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
