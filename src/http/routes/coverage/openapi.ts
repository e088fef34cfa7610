/** OpenAPI operation of GET /api/v1/stats/coverage. */
import { IF_NONE_MATCH, INTERNAL, LIMITS, NOT_CHANGED, TOO_MANY_OF_ADDRESS } from '../../openapi/answers.js';
import { errorAnswer as error, type Operation } from '../../openapi/operation.js';

export const operation: Operation = {
  id: 'coverage',
  tag: 'Index',
  summary: 'What the index holds',
  description:
    'Publications by country and kind, ranges of dates, languages, model. May be kept for an hour.',
  parameters: [IF_NONE_MATCH],
  answers: {
    200: {
      description: 'The coverage document',
      content: 'Coverage',
      headers: ['ETag', 'Cache-Control', ...LIMITS],
    },
    304: NOT_CHANGED,
    429: TOO_MANY_OF_ADDRESS,
    500: INTERNAL,
    503: error(
      ['maintenance', 'unavailable', 'overloaded', 'no_data'],
      'The coverage document is unavailable',
      'Retry-After',
    ),
  },
  examples: {
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
  },
};
