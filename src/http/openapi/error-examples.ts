/** The `detail` of each code: the exact text of this server. A test provokes each text. */
import type { ShownCode } from '../error-codes.js';

const ID = '3f0c8d3e-7a54-4b1e-9f0a-6f2f7e6a1c11';

export const ERROR_EXAMPLES: Readonly<Record<ShownCode, string>> = {
  bad_request: 'the request method is unknown',
  bad_json: 'the request body is empty; expected a JSON object',
  bad_date: 'filing_date_from: invalid date "2021-02-29"; expected YYYY-MM-DD',
  bad_classification:
    'ipc_codes[0]: malformed code "01M"; expected a prefix of section, class, subclass, group and subgroup such ' +
    'as H, H01, H01M, H01M10 or H01M 10/0525',
  bad_applicant_match: 'applicant_match: got "fuzzy"; expected one of contains, prefix, exact',
  bad_drawing_extension:
    'the file name of the drawing has the extension .tif; expected one of .webp, .jpg, .jpeg, .png',
  unauthorized: 'the header X-API-Key is missing; expected it to carry an API key',
  key_deactivated: 'the API key was revoked; use another key or ask for a new one',
  forbidden: 'a change by a session needs the header x-priorart-admin and a page of this server',
  link_invalid: 'the link is not valid; ask for the drawing again under /api/v1/drawings/',
  not_found: 'there is no such endpoint',
  method_not_allowed: 'method not allowed; expected POST',
  request_timeout: 'the request body took longer than 8 s to arrive',
  name_taken:
    'account acc_Xy12abcdef34 has the name "Patent team"; choose another name for this account, ' +
    'or rename that one: `priorart accounts change acc_Xy12abcdef34 --name NAME`',
  body_too_large: 'the request body is too large; expected at most 1,048,576 bytes',
  uri_too_long: 'the URL is too long: 9001 characters; expected at most 8192',
  unsupported_media_type: 'Content-Type: got "text/plain"; expected application/json',
  range_not_satisfiable: 'the range is beyond the image; it has 10482 bytes',
  invalid_request: 'top_k: got 500; expected an integer from 1 to 100',
  rate_limited: 'more than 60 requests within a minute with this API key; try again in 17 s',
  quota_exceeded:
    'the monthly quota of 30 searches is used up; the next cycle starts at 2026-03-01T00:00:00.000Z',
  head_too_large: 'the request head is too large; expected at most 16384 bytes',
  internal: `internal error; the request id is ${ID}`,
  embedding_failed: `the query could not be embedded; the request id is ${ID}`,
  overloaded: 'the server is overloaded; try again later',
  unavailable: 'the service is unavailable; try again later',
  maintenance: 'the service is down for maintenance; try again later',
  cancelled: 'the work was cancelled; try again later',
  no_data: 'the service is unavailable: no patents are indexed',
  not_ready: 'not ready: the workers are starting',
};
