/** Validated requests, and answers that no cache keeps, for accounts and operators. */
import type { z } from 'zod';
import { invalidRequest } from '../../search/invalid.js';
import type { HttpReply } from '../adapters/adapter.js';
import { readJson } from '../json-body.js';
import type { Call } from '../route.js';

export function answer(value: unknown, status = 200): HttpReply {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify(value),
  };
}

/** @throws PriorartError `bad_json`, `invalid_request`, `unauthorized`, and the errors of readJson */
export async function bodyOf<S extends z.ZodObject>(call: Call, schema: S): Promise<z.output<S>> {
  const body = await readJson(call.request);
  call.checkSession();
  return checked(schema, body);
}

/** The parameters of the query string. Of several parameters with one name, the last one counts. */
export function queryOf<S extends z.ZodObject>(call: Call, schema: S): z.output<S> {
  return checked(schema, Object.fromEntries(new URLSearchParams(call.request.query)));
}

function checked<S extends z.ZodObject>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw invalidRequest(input, result.error.issues, {
    known: { '': Object.keys(schema.shape) },
    elsewhere: () => undefined,
  });
}
