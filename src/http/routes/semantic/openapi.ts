/** OpenAPI operation of POST /api/v1/search/semantic. */
import { LIMITS, searchErrors } from '../../openapi/answers.js';
import type { Operation } from '../../openapi/operation.js';

export const operation: Operation = {
  id: 'searchSemantic',
  tag: 'Search',
  summary: 'Ranked patents with matched passages',
  description:
    'Finds the patents nearest in meaning to a query in Korean, English, Japanese or Chinese. Ordered by ' +
    'rerank_score, then similarity_score, then patent_id; a publication whose number is the query comes before all, and balance takes ' +
    'countries or languages by turns. Counts against the monthly quota when answered 200.',
  body: 'SemanticRequest',
  answers: {
    200: { description: 'The patents found', content: 'SearchResponse', headers: LIMITS },
    ...searchErrors(
      'filing_date_from: invalid date "2021-02-29"; expected YYYY-MM-DD',
      'top_k: got 500; expected an integer from 1 to 100',
    ),
  },
  examples: {
    SemanticRequest: {
      plain: { query: 'docking a robot vacuum cleaner at its charging station', top_k: 3 },
      filtered: {
        query: '리튬 이차전지용 황화물 고체 전해질',
        countries: ['KR', 'JP'],
        doc_type: 'grant',
        filing_date_from: '2015-01-01',
        ipc_codes: ['H01M 10/05'],
      },
      priorArt: { query: 'docking a robot vacuum cleaner', as_of: 'US11217824B2' },
      onePerFamily: { query: 'wind turbine blade', collapse: 'family', prefer_countries: ['KR', 'US'] },
      everyOffice: { query: 'lidar for vehicles', balance: 'country' },
      moreLikeThis: { like: ['US11217824B2'], unlike: ['KR1022419060000B1'], countries: ['JP'] },
    },
    SearchResponse: {
      found: {
        total: 1,
        results: [
          {
            patent_id: 'KR1020200104349A',
            title: '전고체 전지용 고체 전해질',
            applicant: 'Example Co., Ltd.',
            filing_date: '2019-02-26',
            publication_date: '2020-09-03',
            ipc_codes: ['H01M 10/0562'],
            kind_code: 'A',
            country: 'KR',
            similarity_score: 0.8123,
            rerank_score: 3.2175,
            representative_figure: 'KR1020200104349A-D00001.webp',
            chunks: [
              {
                text: '상기 고체 전해질은 황화물계 유리 세라믹이다.',
                chunk_type: 'claim',
                section_name: 'Claims',
                paragraph_numbers: [],
                claim_numbers: [2],
                similarity_score: 0.8123,
                rerank_score: 3.1042,
              },
            ],
          },
        ],
      },
    },
  },
};
