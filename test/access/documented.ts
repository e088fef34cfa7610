import assert from 'node:assert/strict';
import { ROUTES } from '../../src/http/app.js';
import { operationsOf } from '../../src/http/openapi/operations.js';
import { SCHEMAS } from '../../src/http/openapi/schemas.js';
import type { Answer } from '../api/service.js';

/** Checks an answer against the OpenAPI document. */
export function assertDocumented(
  method: string,
  path: string,
  { status, json }: Pick<Answer, 'status' | 'json'>,
): void {
  const asked = path.split('?')[0]!.split('/');
  const fits = (template: string) =>
    template.split('/').length === asked.length &&
    template.split('/').every((part, i) => part.startsWith('{') || part === asked[i]);
  const found = operationsOf(ROUTES).find((one) => one.method.toUpperCase() === method && fits(one.path));
  const content = found?.answers[status]?.content;
  assert.ok(typeof content === 'string', `${method} ${path} ${status} is not in the document`);
  const result = SCHEMAS[content].safeParse(json);
  assert.ok(result.success, `${method} ${path}: ${result.error?.message}`);
}
