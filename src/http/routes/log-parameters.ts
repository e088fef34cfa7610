/** The query parameters of usage and of the log of requests, in the OpenAPI document. */
import { LOG_PAGE } from '../../limits.js';
import { inQuery } from './admin/openapi.js';
import { STATUS_FORM } from './log-query.js';

const TEXT = { type: 'string' };
const DAY = { type: 'string', format: 'date' };

/** The days of usage. */
export const DAY_PARAMETERS = [
  inQuery('from', 'First day, UTC, not after `to`; the first of the month of `to` when absent', DAY),
  inQuery('to', 'Last day, UTC; today when absent', DAY),
];

export const LOG_PARAMETERS = [
  inQuery('key', 'Only this key', TEXT),
  inQuery(
    'endpoint',
    'Only this endpoint, such as `semantic`; `mcp` for all tools, `mcp.search_patents` for one',
    TEXT,
  ),
  inQuery('status', 'Only this status, or 2xx to 5xx', { type: 'string', pattern: STATUS_FORM.source }),
  inQuery('from', 'First day, UTC, not after `to`', DAY),
  inQuery('to', 'Last day, UTC', DAY),
  inQuery('limit', 'Lines of a page', {
    type: 'integer',
    minimum: LOG_PAGE.min,
    maximum: LOG_PAGE.max,
    default: LOG_PAGE.default,
  }),
  inQuery('cursor', '`next` of the page before; no other text', TEXT),
];
