import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isPriorartError } from '../../src/errors.js';
import { QUERY_MAX_CHARS } from '../../src/limits.js';
import { parseAnalytics, parseSemantic } from '../../src/search/query.js';
import { type Parse, refused, unhinted } from './refused.js';

const both: [string, Parse][] = [
  ['semantic', parseSemantic],
  ['semantic-analytics', parseAnalytics],
];

for (const [endpoint, parse] of both) {
  describe(`filters of ${endpoint}`, () => {
    it('refuse a wrong type or value as 422, with field, value and expected form', () => {
      const cases: [string, unknown, ...string[]][] = [
        ['query', '   ', 'query', '1 to 10,000'],
        ['query', 5, 'query', '5'],
        ['top_k', '10', '"10"', '1 to 100'],
        ['top_k', 0, '0', '1 to 100'],
        ['top_k', 1.5, '1.5', 'integer'],
        ['top_k', Infinity, 'integer'],
        ['countries', [], '[]'],
        ['countries', ['DE'], 'countries[0]', '"DE"', 'US, KR, JP, CN, EP'],
        ['countries', ['us'], 'countries[0]', '"us"'],
        ['countries', 'US', '"US"', 'list'],
        ['doc_type', 'patent', '"patent"', 'all, application, grant'],
        ['kind_codes', [], 'list'],
        ['kind_codes', ['B12'], 'kind_codes[0]', '"B12"'],
        ['include_utility_model', 'true', '"true"', 'true or false'],
        ['applicant', '', 'applicant', '1 to 500'],
        ['applicant', 'x'.repeat(501), '501 characters', '1 to 500'],
        ['applicant_match', 5, 'applicant_match', '5'],
        ['inventor', ' ', 'inventor'],
        ['ipc_codes', [], 'list'],
        ['ipc_codes', [5], 'ipc_codes[0]', '5'],
        ['ipc_codes', Array(1001).fill('H01M'), '1,001 entries', '1 to 1,000'],
        ['cpc_codes', [], 'list'],
        ['publication_number', '', 'publication_number'],
        ['application_number', {}, 'application_number', '{}'],
        ['family_id', 12, 'family_id', '12'],
      ];
      for (const [name, value, ...words] of cases) {
        refused(parse, { query: 'q', [name]: value }, 'invalid_request', name, ...words);
      }
    });

    it('need a query', () => {
      refused(parse, {}, 'invalid_request', 'query: missing', '1 to 10,000');
      refused(parse, { query: null }, 'invalid_request', 'query: missing');
    });

    it('refuse malformed text as 400', () => {
      refused(
        parse,
        { query: 'q', ipc_codes: ['H01M', '01M'] },
        'bad_classification',
        'ipc_codes[1]',
        '"01M"',
      );
      refused(parse, { query: 'q', cpc_codes: ['H01M 10/05/1'] }, 'bad_classification', 'cpc_codes[0]');
      refused(
        parse,
        { query: 'q', applicant_match: 'fuzzy' },
        'bad_applicant_match',
        'applicant_match',
        '"fuzzy"',
        'contains, prefix, exact',
      );
    });

    it('refuse an empty IPC or CPC prefix as 400', () => {
      for (const code of ['', ' ', '\u3000']) {
        refused(parse, { query: 'q', ipc_codes: [code] }, 'bad_classification', 'ipc_codes[0]', 'malformed');
        refused(parse, { query: 'q', cpc_codes: ['H', code] }, 'bad_classification', 'cpc_codes[1]');
      }
      refused(parse, { query: 'q', ipc_codes: ['H'.repeat(501)] }, 'invalid_request', 'ipc_codes[0]');
    });

    it('refuse an invalid name, with the broken rule', () => {
      for (const field of ['applicant', 'inventor']) {
        for (const value of ['...', '&', '́'])
          refused(parse, { query: 'q', [field]: value }, 'invalid_request', field, 'a letter or digit');
        for (const value of [
          'Co., Ltd.',
          '株式会社',
          '㈜',
          '(주)',
          ' 주식 회사 ',
          'GmbH & Co. KG',
          'Limited',
        ])
          refused(parse, { query: 'q', [field]: value }, 'invalid_request', field, 'not a legal form alone');
        for (const value of ['3', '광주', 'KG Corp.', 'Co., Ltd. Foo']) parse({ query: 'q', [field]: value });
      }
      refused(parse, { query: 'q', applicant: 'S.A.' }, 'invalid_request', 'not a legal form alone');
      parse({ query: 'q', inventor: 'Sa' });
    });

    it('refuse a query without visible characters', () => {
      const blank = [
        '\u0000',
        '\u0007\u001b',
        '\u200b\u200d',
        '\ufeff',
        '\u00ad',
        '\u2060',
        '\u3164',
        '\ufe0f',
      ];
      for (const query of [...blank, '\u{e0041}', ` ${blank.join('')}\n`])
        refused(parse, { query }, 'invalid_request', 'query', '1 to 10,000');
      for (const query of ['q', '\u200b전지', '𝒳', '🔋', '.']) parse({ query });
    });

    it('refuse an unknown field, with the nearest name', () => {
      refused(parse, { query: 'q', topk: 5 }, 'invalid_request', '"topk"', '"top_k"');
      refused(parse, { query: 'q', Country: ['US'] }, 'invalid_request', '"Country"', '"countries"');
      refused(parse, { query: 'q', ipc_code: ['H01M'] }, 'invalid_request', '"ipc_code"', '"ipc_codes"');
      refused(parse, JSON.parse('{"query":"q","__proto__":{"top_k":5}}'), 'invalid_request', '"__proto__"');
      refused(parse, JSON.parse('{"query":"q","constructor":1}'), 'invalid_request', '"constructor"');
      refused(parse, { query: 'q', ['x'.repeat(1e6)]: 1 }, 'invalid_request', 'unknown field');
    });

    it('refuse an unknown field without a similar name, without a hint', () => {
      for (const name of ['q', 'foo', 'limit', 'similarity', 'x'.repeat(40), 'on'])
        unhinted(parse, { query: 'q', [name]: 1 }, `unknown field "${name}"`);
      refused(
        parse,
        { query: 'q', patent_ids: [] },
        'invalid_request',
        '"patent_ids"; it belongs to details',
      );
    });

    it('refuse a body that is not an object', () => {
      for (const input of [null, undefined, [], 'text', 5, true])
        refused(parse, input, 'invalid_request', 'object');
    });

    it('count the characters of a query as code points, after trimming', () => {
      const pair = '𝒳';
      parse({ query: ` ${'x'.repeat(QUERY_MAX_CHARS)} ` });
      parse({ query: pair.repeat(QUERY_MAX_CHARS) });
      refused(parse, { query: 'x'.repeat(QUERY_MAX_CHARS + 1) }, 'invalid_request', '10,001 characters');
      refused(parse, { query: pair.repeat(QUERY_MAX_CHARS + 1) }, 'invalid_request', 'query');
      refused(parse, { query: '\u3000\n' }, 'invalid_request', 'query');
    });

    it('never show the whole of a long value', () => {
      try {
        parse({ query: 'q', countries: Array(500).fill('x'.repeat(5000)) });
        assert.fail('accepted');
      } catch (error) {
        assert.ok(isPriorartError(error), `expected a PriorartError: ${error}`);
        assert.ok(error.message.length < 1500, `${error.message.length} characters`);
      }
    });
  });
}

describe('dates of semantic', () => {
  it('dates may be long ago', () => {
    for (const day of ['1699-12-31', '1623-06-25', '0099-02-28', '0004-02-29']) {
      const { dates } = parseSemantic({ query: 'q', filing_date_from: day }).filters;
      assert.deepEqual(dates, { filing: { from: day } });
    }
    for (const day of ['0099-02-29', '0000-02-29'])
      refused(parseSemantic, { query: 'q', filing_date_from: day }, 'bad_date', day);
  });

  it('dates are real days written YYYY-MM-DD', () => {
    for (const value of [
      '2021-02-29',
      '2020-13-01',
      '20200101',
      '2020-1-1',
      '',
      ' 2020-01-01',
      '2020-01-01T00:00',
    ]) {
      refused(
        parseSemantic,
        { query: 'q', filing_date_from: value },
        'bad_date',
        'filing_date_from',
        value,
        'YYYY-MM-DD',
      );
    }
    refused(parseSemantic, { query: 'q', grant_date_to: 2020 }, 'invalid_request', 'grant_date_to', '2020');
  });

  it('ranges are not reversed', () => {
    const input = { query: 'q', priority_date_from: '2020-01-02', priority_date_to: '2020-01-01' };
    refused(
      parseSemantic,
      input,
      'invalid_request',
      'priority_date_from',
      '2020-01-02',
      'priority_date_to',
      '2020-01-01',
    );
  });
});
