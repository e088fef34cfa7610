/** X-Error-Code: every error answer has one, documented with its remedy and with examples that the server returns. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ErrorCode, PriorartError } from '../../src/errors.js';
import { ROUTES } from '../../src/http/app.js';
import { ERROR_HELP, SHOWN_CODES, type ShownCode, statusOf } from '../../src/http/error-codes.js';
import { openApiDocument } from '../../src/http/openapi/document.js';
import { hasLaterParser } from '../adapters.js';
import {
  ANALYTICS,
  type Answer,
  COVERAGE,
  DETAILS,
  MemoryEngine,
  onEachAdapter,
  SEMANTIC,
  Service,
} from './service.js';

const DRAWING = '/api/v1/drawings/{publication_id}/{filename}';

// biome-ignore lint/suspicious/noExplicitAny: the test looks into whatever is there
const document = openApiDocument(ROUTES, '1.2.3') as any;

/** The document's example for a code of an endpoint. */
function exampleOf(path: string, status: number, code: string): string {
  const operation = Object.values(document.paths[path])[0] as typeof document;
  const { headers, content } = operation.responses[status];
  assert.deepEqual(headers['X-Error-Code'], { $ref: '#/components/headers/X-Error-Code' });
  const example = content['application/json'].examples[code];
  assert.ok(example, `${path} ${status} has no example of ${code}`);
  return example.value.detail;
}

/** The detail with its variable parts replaced. */
const still = (detail: string): string =>
  detail.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '(id)').replace(/\d+(?= s$)/g, '(seconds)');

describe('error codes', () => {
  it('every code is in the OpenAPI document with meaning, remedy and one status', () => {
    const { schema, description } = document.components.headers['X-Error-Code'];
    assert.deepEqual(schema.enum, SHOWN_CODES);
    for (const code of SHOWN_CODES)
      for (const words of [code, ERROR_HELP[code].means, ERROR_HELP[code].solve])
        assert.ok(description.includes(words), words);
    for (const path of Object.values(document.paths) as (typeof document)[])
      for (const { responses } of Object.values(path) as (typeof document)[])
        for (const [status, { content }] of Object.entries(responses) as [string, typeof document][])
          if (Number(status) >= 400)
            for (const code of Object.keys(content['application/json'].examples))
              assert.equal(statusOf(code as ShownCode), Number(status), code);
  });
});

onEachAdapter('error answers', (adapter) => {
  let service: Service;
  before(async () => {
    service = await Service.start(adapter);
  });
  after(() => service.stop());

  function check(answer: Answer, path: string, code: ShownCode): void {
    assert.equal(answer.headers.get('x-error-code'), code, answer.text);
    assert.equal(answer.status, statusOf(code));
    assert.equal(still(answer.json.detail), still(exampleOf(path, answer.status, code)));
  }

  it('DECISIONS error body: a stable code is in X-Error-Code, and the documented example is the answer', async () => {
    const good = { query: 'q' };
    const day = '2021-02-29';
    const cases: [string, ShownCode, Promise<Answer>][] = [
      [SEMANTIC, 'bad_json', service.search('')],
      [SEMANTIC, 'bad_date', service.search({ ...good, filing_date_from: day })],
      [ANALYTICS, 'bad_date', service.post(ANALYTICS, { ...good, date_range: { from: day } })],
      [SEMANTIC, 'bad_classification', service.search({ ...good, ipc_codes: ['01M'] })],
      [SEMANTIC, 'bad_applicant_match', service.search({ ...good, applicant_match: 'fuzzy' })],
      [SEMANTIC, 'unauthorized', service.search(good, { 'x-api-key': undefined })],
      [SEMANTIC, 'body_too_large', service.search(' '.repeat((1 << 20) + 1))],
      [SEMANTIC, 'unsupported_media_type', service.search(good, { 'content-type': 'text/plain' })],
      [SEMANTIC, 'invalid_request', service.search({ ...good, top_k: 500 })],
      [ANALYTICS, 'invalid_request', service.post(ANALYTICS, { ...good, min_score: 2 })],
      [DETAILS, 'invalid_request', service.post(DETAILS, {})],
      [DRAWING, 'bad_drawing_extension', service.call('/api/v1/drawings/KR1/a.tif')],
    ];
    for (const [path, code, answer] of cases) check(await answer, path, code);
  });

  it('internal errors and overload have codes, and reveal nothing internal', async () => {
    const shown: [ErrorCode, ShownCode][] = [
      ['overloaded', 'overloaded'],
      ['unavailable', 'unavailable'],
      ['no_data', 'no_data'],
      ['cancelled', 'cancelled'],
      ['embedding_failed', 'embedding_failed'],
      ['data_corrupt', 'internal'],
      ['model_damaged', 'internal'],
    ];
    for (const [thrown, code] of shown) {
      service.engine.search = () => Promise.reject(new PriorartError(thrown, 'internal detail'));
      check(await service.search({ query: 'q' }), SEMANTIC, code);
    }
    service.engine.search = () => Promise.reject(new TypeError('internal detail'));
    check(await service.search({ query: 'q' }), SEMANTIC, 'internal');
    service.engine.search = new MemoryEngine().search;
  });

  it('requests without an endpoint get a code, too', async () => {
    const code = (answer: Answer) => answer.headers.get('x-error-code');
    assert.equal(code(await service.call('/nowhere')), 'not_found');
    assert.equal(code(await service.call(SEMANTIC)), 'method_not_allowed');
    assert.equal(code(await service.call(`/${'x'.repeat(9000)}`)), 'uri_too_long');
    const large = await service.call('/nowhere', { headers: { a: 'x'.repeat(20_000) } });
    assert.equal(large.status, 431);
    if (adapter === 'node' || !hasLaterParser) assert.equal(code(large), 'head_too_large');
    service.engine.missing = ['the workers are starting'];
    check(await service.call('/readyz'), '/readyz', 'not_ready');
    service.engine.missing = [];
    assert.equal(code(await service.search({ query: 'q' })), null);
  });

  it('limits, maintenance and revoked keys have codes', async () => {
    const strict = await Service.start(adapter, 10_000, {}, { rateLimit: 60, publicRateLimit: 1 });
    try {
      await strict.call(COVERAGE);
      assert.equal((await strict.call(COVERAGE)).headers.get('x-error-code'), 'rate_limited');
      for (let i = 0; i < 60; i++) await strict.search({});
      check(await strict.search({}), SEMANTIC, 'rate_limited');
      await strict.access.setMaintenance(true);
      check(await strict.search({}), SEMANTIC, 'maintenance');
      await strict.access.setMaintenance(false);
      await strict.access.revoke(strict.keyId);
      check(await strict.search({}), SEMANTIC, 'key_deactivated');
    } finally {
      await strict.stop();
    }
  });
});
