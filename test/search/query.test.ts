import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { isPriorartError } from '../../src/errors.js';
import {
  DETAILS_MAX_IDS,
  MAX_RESULTS,
  MIN_SCORE,
  PAGE_SIZE,
  QUERY_MAX_CHARS,
  TOP_K,
} from '../../src/limits.js';
import { parseAnalytics, parseDetails, parseSemantic } from '../../src/search/query.js';
import { analyticsSchema, detailsSchema, semanticSchema } from '../../src/search/schema.js';
import fc from '../property.js';
import { refused, unhinted } from './refused.js';

const NO_FILTERS = { docType: 'all', includeUtilityModel: false, dates: {}, values: {} };

describe('semantic request', () => {
  it('says once, and in visible characters, what is wrong with a value', () => {
    const expected = 'expected an integer from 1 to 100';
    unhinted(parseSemantic, { query: 'q', top_k: 1e23 }, `top_k: got 1e+23; ${expected}`);
    unhinted(
      parseSemantic,
      { query: 'q', top_k: Number.POSITIVE_INFINITY },
      `top_k: got a number that is too large; ${expected}`,
    );
    unhinted(parseSemantic, { query: 'q', top_k: Number.NaN }, `top_k: got NaN; ${expected}`);
    unhinted(parseSemantic, { query: 'q', top_k: 5n }, `top_k: got 5n; ${expected}`);
    for (const [query, shown] of [
      ['\u2060', '\\u{2060}'],
      ['\u200b\u3164', '\\u{200b}\\u{3164}'],
    ] as const) {
      const message = `query: got "${shown}"; expected text of 1 to 10,000 characters with a visible one`;
      unhinted(parseSemantic, { query }, message);
    }
  });

  it('needs only a query and fills in the defaults', () => {
    assert.deepEqual(parseSemantic({ query: '  solid electrolyte \n' }), {
      query: 'solid electrolyte',
      topK: 10,
      filters: NO_FILTERS,
    });
  });

  it('normalises every field', () => {
    const parsed = parseSemantic({
      query: '전고체 전지',
      top_k: 100,
      countries: ['KR', 'US', 'KR'],
      doc_type: 'grant',
      kind_codes: ['b1', ' B2 ', 'B1'],
      include_utility_model: true,
      filing_date_from: '2019-01-01',
      publication_date_to: '2020-02-29',
      grant_date_from: '2020-01-01',
      grant_date_to: '2020-01-01',
      priority_date_from: null,
      applicant: ' 삼성 ',
      applicant_match: 'prefix',
      inventor: ' Kim ',
      ipc_codes: ['h01m', 'H01M 10/05', 'H01M10/05'],
      cpc_codes: ['Y02E'],
      publication_number: ' 10-2020-0104349 ',
      application_number: '1020190022222',
      family_id: '12345',
    });
    assert.deepEqual(parsed, {
      query: '전고체 전지',
      topK: 100,
      filters: {
        docType: 'grant',
        kindCodes: ['B1', 'B2'],
        includeUtilityModel: true,
        statesKinds: true,
        dates: {
          filing: { from: '2019-01-01' },
          publication: { to: '2020-02-29' },
          grant: { from: '2020-01-01', to: '2020-01-01' },
        },
        values: {
          countries: ['US', 'KR'],
          applicant: { text: '삼성', match: 'prefix' },
          inventor: 'Kim',
          ipc_codes: ['H01M', 'H01M10/05'],
          cpc_codes: ['Y02E'],
          publication_number: '10-2020-0104349',
          application_number: '1020190022222',
          family_id: '12345',
        },
      },
    });
    assert.equal('everyKind' in parsed.filters, false);
  });

  it('drops soft hyphens of a question, and line breaks of its terms', () => {
    const { query, filters } = parseSemantic({ query: ' bat\u00adtery', must_terms: ['lithium\n  ion'] });
    assert.equal(query, 'battery');
    assert.deepEqual(filters.values.must_terms, ['lithium ion']);
  });

  it('treats an explicit null in every optional field as absent', () => {
    const nulls = Object.fromEntries(Object.keys(semanticSchema.shape).map((name) => [name, null]));
    assert.deepEqual(parseSemantic({ ...nulls, query: 'q' }), parseSemantic({ query: 'q' }));
  });

  it('includes every kind for a number or a family, unless kinds are given', () => {
    for (const name of ['publication_number', 'application_number', 'family_id']) {
      const { filters } = parseSemantic({ query: 'q', [name]: '1', doc_type: null, kind_codes: null });
      assert.equal(filters.everyKind, true, name);
      for (const stated of [{ kind_codes: ['A'] }, { doc_type: 'all' }, { include_utility_model: false }])
        assert.equal('everyKind' in parseSemantic({ query: 'q', [name]: '1', ...stated }).filters, false);
    }
  });

  it('treats all five countries as no filter', () => {
    assert.deepEqual(
      parseSemantic({ query: 'q', countries: ['EP', 'CN', 'JP', 'KR', 'US'] }).filters,
      NO_FILTERS,
    );
  });

  it('names its own date fields for date_range and date_type', () => {
    refused(
      parseSemantic,
      { query: 'q', date_range: {} },
      'invalid_request',
      '"date_range"',
      'filing_date_from',
    );
    refused(
      parseSemantic,
      { query: 'q', date_type: 'grant' },
      'invalid_request',
      '"date_type"',
      'grant_date_to',
    );
  });
});

describe('fields of the other endpoint', () => {
  it('fields of the other endpoint are refused with its name', () => {
    for (const field of ['min_score', 'max_results', 'stats_group_by', 'page', 'page_size']) {
      const message = `unknown field "${field}"; it belongs to semantic-analytics`;
      unhinted(parseSemantic, { query: 'q', [field]: 1 }, message);
    }
    unhinted(
      parseDetails,
      { patent_ids: ['a'], page: 1 },
      'unknown field "page"; it belongs to semantic-analytics',
    );
    unhinted(
      parseDetails,
      { patent_ids: ['a'], top_k: 1 },
      'unknown field "top_k"; it belongs to semantic and semantic-analytics',
    );
  });

  it('fields of the other endpoint are not searched within date_range', () => {
    unhinted(parseAnalytics, { query: 'q', date_range: { page: 1 } }, 'unknown field "date_range.page"');
  });
});

describe('semantic-analytics request', () => {
  it('needs only a query and fills in the defaults', () => {
    assert.deepEqual(parseAnalytics({ query: 'q' }), {
      query: 'q',
      minScore: 0.5,
      maxResults: 10_000,
      groupBy: ['year', 'country'],
      dateType: 'filing',
      page: 1,
      pageSize: 20,
      filters: NO_FILTERS,
    });
  });

  it('treats an explicit null in every optional field as absent', () => {
    const nulls = Object.fromEntries(Object.keys(analyticsSchema.shape).map((name) => [name, null]));
    assert.deepEqual(parseAnalytics({ ...nulls, query: 'q' }), parseAnalytics({ query: 'q' }));
  });

  it('applies date_range to the date that date_type names', () => {
    const range = { from: '2019-01-01', to: '2019-12-31' };
    assert.deepEqual(parseAnalytics({ query: 'q', date_range: range }).filters.dates, { filing: range });
    const grant = parseAnalytics({ query: 'q', date_range: range, date_type: 'grant' });
    assert.deepEqual([grant.dateType, grant.filters.dates], ['grant', { grant: range }]);
    const open = parseAnalytics({ query: 'q', date_range: { from: '2019-01-01', to: null } });
    assert.deepEqual(open.filters.dates, { filing: { from: '2019-01-01' } });
  });

  it('treats a date_range without a day as absent', () => {
    for (const date_range of [{}, { from: null }, { to: null }, { from: null, to: null }]) {
      assert.deepEqual(parseAnalytics({ query: 'q', date_range }), parseAnalytics({ query: 'q' }));
    }
  });

  it('returns each axis once', () => {
    assert.deepEqual(parseAnalytics({ query: 'q', stats_group_by: ['ipc', 'year', 'ipc'] }).groupBy, [
      'year',
      'ipc',
    ]);
  });

  it('accepts and validates top_k', () => {
    assert.equal('topK' in parseAnalytics({ query: 'q', top_k: 7 }), false);
    refused(parseAnalytics, { query: 'q', top_k: 101 }, 'invalid_request', 'top_k', '101', '1 to 100');
  });

  it('names date_range and date_type for the date fields of semantic', () => {
    for (const type of ['filing', 'publication', 'grant', 'priority']) {
      for (const end of ['from', 'to']) {
        const name = `${type}_date_${end}`;
        const input = { query: 'q', [name]: '2020-01-01' };
        refused(parseAnalytics, input, 'invalid_request', `"${name}"`, 'date_range', `date_type "${type}"`);
      }
    }
  });

  it('refuses a date_range that is reversed, malformed or has other fields', () => {
    const range = (date_range: unknown) => ({ query: 'q', date_range });
    refused(parseAnalytics, range([]), 'invalid_request', 'date_range', '[]', 'object');
    refused(parseAnalytics, range({ from: '2020-01-02', to: '2020-01-01' }), 'invalid_request', '2020-01-02');
    refused(
      parseAnalytics,
      range({ from: '2020-1-2' }),
      'bad_date',
      'date_range.from',
      '2020-1-2',
      'YYYY-MM-DD',
    );
    refused(parseAnalytics, range({ form: '2020-01-02' }), 'invalid_request', '"date_range.form"', '"from"');
  });

  it('refuses values out of range', () => {
    const cases: [string, unknown, string][] = [
      ['min_score', -0.1, '0 to 1'],
      ['min_score', 1.1, '0 to 1'],
      ['min_score', '0.5', '0 to 1'],
      ['max_results', 0, '1 to 10,000'],
      ['max_results', 10_001, '1 to 10,000'],
      ['page', 0, 'integer from 1'],
      ['page', 1.5, 'integer from 1'],
      ['page_size', 0, '1 to 100'],
      ['page_size', 101, '1 to 100'],
      ['date_type', 'expiry', 'filing, publication, grant, priority'],
      ['stats_group_by', [], 'year'],
      ['stats_group_by', ['month'], 'year, country, applicant, ipc'],
    ];
    for (const [name, value, expected] of cases) {
      refused(parseAnalytics, { query: 'q', [name]: value }, 'invalid_request', name, expected);
    }
  });
});

describe('details request', () => {
  it('keeps order and duplicates, and returns sections in printing order', () => {
    assert.deepEqual(parseDetails({ patent_ids: [' b ', 'a', 'b'], sections: 'claims, title,claims' }), {
      patentIds: ['b', 'a', 'b'],
      sections: ['title', 'claims'],
    });
    assert.deepEqual(parseDetails({ patent_ids: ['a'], sections: null }), { patentIds: ['a'] });
  });

  it('refuses values out of range', () => {
    parseDetails({ patent_ids: Array(DETAILS_MAX_IDS).fill('x') });
    refused(
      parseDetails,
      { patent_ids: Array(DETAILS_MAX_IDS + 1).fill('x') },
      'invalid_request',
      '201',
      '1 to 200',
    );
    refused(parseDetails, { patent_ids: [] }, 'invalid_request', 'patent_ids', '[]');
    refused(parseDetails, {}, 'invalid_request', 'patent_ids: missing');
    refused(parseDetails, { patent_ids: [5] }, 'invalid_request', 'patent_ids[0]', '5');
    refused(parseDetails, { patent_ids: [''] }, 'invalid_request', 'patent_ids[0]');
    for (const sections of ['', 'claims,', 'drawings', 'Title']) {
      refused(
        parseDetails,
        { patent_ids: ['a'], sections },
        'invalid_request',
        'sections',
        'title, abstract',
      );
    }
    refused(parseDetails, { patent_ids: ['a'], sections: ['title'] }, 'invalid_request', 'sections');
    refused(
      parseDetails,
      { patent_ids: ['a'], section: 'title' },
      'invalid_request',
      '"section"',
      '"sections"',
    );
  });
});

describe('any request', () => {
  it('any request is either parsed or refused with a PriorartError of status 400 or 422', () => {
    const names = [...Object.keys(semanticSchema.shape), ...Object.keys(analyticsSchema.shape)];
    const field = fc.oneof(fc.constantFrom(...names), fc.string());
    const body = fc.oneof(fc.jsonValue(), fc.dictionary(field, fc.jsonValue()));
    fc.assert(
      fc.property(body, (input) => {
        for (const parse of [parseSemantic, parseAnalytics, parseDetails]) {
          try {
            parse(input);
          } catch (error) {
            assert.ok(isPriorartError(error), String(error));
            assert.ok(error.status === 400 || error.status === 422, error.code);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('schemas', () => {
  it('schemas have the limits and defaults of the parser', () => {
    const jsonSchema = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input' });
    const [semantic, analytics, details] = [semanticSchema, analyticsSchema, detailsSchema].map(jsonSchema);
    assert.ok(semantic && analytics && details);
    const field = (schema: typeof semantic, name: string) => {
      const property = schema.properties?.[name];
      assert.ok(typeof property === 'object', name);
      const inner = property.anyOf?.[0] ?? property;
      assert.ok(typeof inner === 'object');
      return { ...inner, default: property.default };
    };
    assert.deepEqual(
      semantic.anyOf?.map((one) => one.required),
      [['query'], ['like']],
    );
    assert.deepEqual(details.required, ['patent_ids']);
    assert.equal(semantic.additionalProperties, false);
    assert.equal(field(semantic, 'query').maxLength, QUERY_MAX_CHARS);
    const ranges = [
      ['top_k', TOP_K],
      ['min_score', MIN_SCORE],
      ['max_results', MAX_RESULTS],
      ['page_size', PAGE_SIZE],
    ] as const;
    for (const [name, range] of ranges) {
      const { minimum, maximum, default: standard } = field(analytics, name);
      assert.deepEqual({ min: minimum, max: maximum, default: standard }, range, name);
    }
    assert.equal(field(details, 'patent_ids').maxItems, DETAILS_MAX_IDS);
  });
});
