/** Requests and answers that the document shows; each is held against its schema by a test. */
import type { z } from 'zod';
import { ADMIN_EXAMPLES } from './admin-examples.js';
import type { SCHEMAS, SchemaName } from './schemas.js';

export type Examples = { [Name in SchemaName]?: Record<string, z.input<(typeof SCHEMAS)[Name]>> };

export const EXAMPLES = {
  SemanticRequest: {
    plain: { query: 'docking a robot vacuum cleaner at its charging station', top_k: 3 },
    filtered: {
      query: '리튬 이차전지용 황화물 고체 전해질',
      countries: ['KR', 'JP'],
      doc_type: 'grant',
      filing_date_from: '2015-01-01',
      ipc_codes: ['H01M 10/05'],
    },
  },
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
  },
  DetailsRequest: {
    whole: { patent_ids: ['KR1020200022285A', 'US11217824B2'] },
    claims: { patent_ids: ['KR1020200022285A', 'no such number'], sections: 'title,claims' },
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
  },
  DetailsResponse: {
    mixed: {
      patents: [
        {
          patent_id: 'US11217824B2',
          metadata: {
            title: 'Solid electrolyte',
            applicant: 'Example Co., Ltd.',
            filing_date: '2019-08-20',
            publication_date: '2022-01-04',
            ipc_codes: ['H01M 10/0562'],
            kind_code: 'B2',
            country: 'US',
          },
          content: '# Solid electrolyte\n\n## Claims\n\n**1.** A solid electrolyte that holds lithium.\n',
        },
        { patent_id: 'no such number', error: 'not_found' },
        {
          patent_id: '10105300',
          error: 'ambiguous',
          candidates: ['JP10105300A', 'US10105300B2'],
        },
      ],
    },
  },
  Coverage: {
    small: {
      total: 101,
      by_country: {
        US: {
          total: 101,
          by_kind: { A1: 60, B2: 41 },
          filing_date: { min: '2015-03-02', max: '2023-11-30' },
          publication_date: { min: '2016-01-07', max: '2024-10-15' },
          languages: ['en'],
        },
      },
      chunks: 1844,
      index: {
        model: 'example 1',
        dimensions: 256,
        generation: 7,
        updated_at: '2025-01-31T09:30:00.000Z',
      },
      generated_at: '2025-01-31T09:30:02.000Z',
    },
  },
  Health: { up: { status: 'ok' }, ready: { status: 'ready' } },
  Error: {
    error: { detail: 'top_k: got 500; expected an integer from 1 to 100' },
  },
  ...ADMIN_EXAMPLES,
} satisfies Examples as Examples;
