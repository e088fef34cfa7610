/** OpenAPI operation of POST /api/v1/patents/details. */
import { bodyErrors, LIMITS } from '../../openapi/answers.js';
import type { Operation } from '../../openapi/operation.js';

export const operation: Operation = {
  id: 'patentDetails',
  tag: 'Documents',
  summary: 'Whole documents by number',
  description:
    'Markdown and metadata of up to 200 publications. Numbers are taken in any spelling; one entry for each, in ' +
    'request order, also for those that are not found. Not counted against the quota.',
  body: 'DetailsRequest',
  answers: {
    200: {
      description: 'An entry for each requested id',
      content: 'DetailsResponse',
      headers: ['ETag', 'Cache-Control', ...LIMITS],
    },
    ...bodyErrors(
      ['bad_json', 'bad_request'],
      'patent_ids: missing; expected a list of 1 to 200 publication numbers',
    ),
  },
  examples: {
    DetailsRequest: {
      whole: { patent_ids: ['KR1020200022285A', 'US11217824B2'] },
      bibliography: { patent_ids: ['US11217824B2'], sections: 'title', bibliography: true },
      claims: { patent_ids: ['KR1020200022285A', 'no such number'], sections: 'title,claims' },
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
  },
};
