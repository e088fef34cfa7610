/** The query parameters of the log of requests, in the OpenAPI document. */
import { inQuery } from './admin/openapi.js';
import { STATUS_FORM } from './log-query.js';

const TEXT = { type: 'string' };
const DAY = { type: 'string', format: 'date' };

export const LOG_PARAMETERS = [
  inQuery('key', 'Only this key', TEXT),
  inQuery(
    'endpoint',
    'Only this endpoint, such as `semantic`; `mcp` for all tools, `mcp.search_patents` for one',
    TEXT,
  ),
  inQuery('status', 'Only this status, or 2xx to 5xx', { type: 'string', pattern: STATUS_FORM.source }),
  inQuery('from', 'First day, UTC', DAY),
  inQuery('to', 'Last day, UTC', DAY),
  inQuery('limit', 'Lines of a page', { type: 'integer', minimum: 1, maximum: 1000, default: 100 }),
  inQuery('cursor', '`next` of the page before; no other text', TEXT),
];
