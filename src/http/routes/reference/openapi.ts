/** OpenAPI operations of the document and its page. */
import {
  IF_NONE_MATCH,
  INTERNAL,
  NOT_CHANGED,
  TOO_MANY_OF_ADDRESS,
  UNAVAILABLE,
} from '../../openapi/answers.js';
import type { Operation } from '../../openapi/operation.js';

export const documentOperation: Operation = {
  id: 'openapi',
  tag: 'Service',
  summary: 'This document',
  description: 'OpenAPI 3.1.',
  parameters: [IF_NONE_MATCH],
  answers: {
    200: {
      description: 'The document',
      content: { type: 'application/json' },
      headers: ['ETag', 'Cache-Control'],
    },
    304: NOT_CHANGED,
    429: TOO_MANY_OF_ADDRESS,
    500: INTERNAL,
    503: UNAVAILABLE,
  },
};

export const pageOperation: Operation = {
  id: 'docs',
  tag: 'Service',
  summary: 'This document as a page',
  description: 'With examples that can be sent from there. Loads nothing from elsewhere.',
  answers: {
    200: { description: 'The page', content: { type: 'text/html' }, headers: ['Cache-Control'] },
    429: TOO_MANY_OF_ADDRESS,
    500: INTERNAL,
    503: UNAVAILABLE,
  },
};
