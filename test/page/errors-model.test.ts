/** What the page says of errors of the server, in its own language. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PriorartError } from '../../src/errors.js';
import { SHOWN_CODES, statusOf } from '../../src/http/error-codes.js';
import { requireThisMachine } from '../../src/http/request-source.js';
import { ko } from '../../src/page/languages/ko.js';
import { explained } from '../../src/page/model/explained.js';

/** Codes of requests that the page does not make, or whose message names a field. */
const NOT_OF_THE_PAGE = new Set([
  ...['bad_request', 'bad_json', 'bad_date', 'bad_classification', 'bad_applicant_match', 'invalid_request'],
  ...['bad_drawing_extension', 'link_invalid', 'range_not_satisfiable'],
  ...['method_not_allowed', 'unsupported_media_type', 'not_ready'],
  // Each has a text that names more: the next month, the other account.
  ...['quota_exceeded', 'name_taken'],
]);

const said = (code: string, message = 'in English', status = 403) =>
  explained({ code, status, message, retryAfter: 0 }, ko);

/** The message with which the server refuses headers. */
function refusalOf(headers: Record<string, string>): string {
  try {
    requireThisMachine({ headers });
  } catch (error) {
    if (error instanceof PriorartError) return error.message;
  }
  assert.fail('the headers are refused');
}

describe('an error of the server', () => {
  it('is said in the language of the page', () => {
    for (const code of SHOWN_CODES.filter((one) => !NOT_OF_THE_PAGE.has(one))) {
      assert.match(said(code, 'in English', statusOf(code)), /[가-힣]/, code);
    }
  });

  it('is said by its message if that says more than its code', () => {
    const { explained: texts, noVisitors } = ko.errors;
    const localhost = 'localhost:8080';
    const cases: [string, string][] = [
      ['this server needs a sign-in to search', noVisitors],
      [refusalOf({ host: '192.0.2.1:8080' }), texts.address('192.0.2.1:8080')],
      [
        refusalOf({ host: localhost, origin: 'https://other.example' }),
        texts.address('https://other.example'),
      ],
      [refusalOf({ host: localhost, 'x-forwarded-for': '192.0.2.1' }), texts.proxy('x-forwarded-for')],
      [
        'Host: got "patents.example"; expected a name of this server: set --mcp-hosts or --public-url',
        texts.address('patents.example'),
      ],
      ['the current password is wrong', texts.password],
    ];
    for (const [message, expected] of cases) assert.equal(said('forbidden', message), expected, message);
    const taken =
      'account acc_1 has the name "Lab" and signs in with it; choose another name for this account';
    assert.equal(said('name_taken', taken, 409), texts.nameTaken('acc_1'));
  });

  it('is in the words of the server if the page does not know it', () => {
    assert.equal(said('new_code', 'a new message', 418), 'a new message');
    assert.equal(said('unknown', '', 502), ko.errors.unexplained(502));
  });
});
