/** OpenAPI operation of POST /api/v1/search/semantic-analytics. */
import { LIMITS, searchErrors } from '../../openapi/answers.js';
import type { Operation } from '../../openapi/operation.js';

export const operation: Operation = {
  id: 'searchSemanticAnalytics',
  tag: 'Search',
  summary: 'Statistics over all patents similar enough, and a page of them',
  description:
    'Counts the patents whose best passage has at least min_score. Ordered by similarity_score, then ' +
    'publication_date (newest first), then patent_id; a publication whose number is the query comes before all. A query ' +
    'that is a classification code counts its whole class, unless min_score is stated. Pages after the first of one query are of the state that the ' +
    'first one saw, for some minutes. Counts against the monthly quota when answered 200.',
  body: 'AnalyticsRequest',
  answers: {
    200: { description: 'Statistics and a page', content: 'AnalyticsResponse', headers: LIMITS },
    ...searchErrors(
      'date_range.from: invalid date "2021-02-29"; expected YYYY-MM-DD',
      'min_score: got 2; expected a number from 0 to 1',
    ),
  },
  examples: {
    AnalyticsRequest: {
      plain: {
        query: 'sulfide solid electrolyte for a lithium secondary battery',
        min_score: 0.5,
        stats_group_by: ['year', 'country', 'applicant', 'ipc'],
        page_size: 5,
      },
      dated: {
        query: '固体電解質',
        date_range: { from: '2015-01-01', to: '2024-12-31' },
        date_type: 'publication',
        page: 2,
      },
      explained: { query: 'H01M 10/0562', countries: ['KR'], page_size: 1, explain: true },
    },
    AnalyticsResponse: {
      counted: {
        query: 'solid electrolyte',
        total_matched: 42,
        min_score_used: 0.5,
        page: 1,
        page_size: 1,
        total_pages: 42,
        stats: { by_year: { '2019': 17, '2020': 25 }, by_country: { KR: 30, US: 12 } },
        results: [
          {
            patent_id: 'KR1020200104349A',
            title: '전고체 전지용 고체 전해질',
            applicant: 'Example Co., Ltd.',
            country: 'KR',
            kind_code: 'A',
            filing_date: '2019-02-26',
            publication_date: '2020-09-03',
            ipc_codes: ['H01M 10/0562'],
            similarity_score: 0.8123,
            chunk_text: '상기 고체 전해질은 황화물계 유리 세라믹이다.',
          },
        ],
      },
      explained: {
        query: 'H01M 10/0562',
        total_matched: 0,
        min_score_used: 0,
        page: 1,
        page_size: 1,
        total_pages: 0,
        stats: { by_year: {}, by_country: {} },
        results: [],
        classification: 'H01M10/0562',
        explanation: { exact: true, documents: 0, scans: [] },
        excluded_by: [{ filter: 'countries', publications: 42 }],
      },
    },
  },
};
