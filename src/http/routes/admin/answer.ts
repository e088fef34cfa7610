/** What the endpoints of the administration share: their prefix, checked requests, answers. */
import { z } from 'zod';
import { ACCESS_NAME_MAX_CHARS } from '../../../limits.js';
import { invalidRequest } from '../../../search/invalid.js';
import type { HttpReply } from '../../adapters/adapter.js';
import type { Administration } from '../../admission/administrator.js';
import { readJson } from '../../json-body.js';
import type { Call } from '../../route.js';

export const ADMIN = '/admin/api/v1';

const named = `a text of 1 to ${ACCESS_NAME_MAX_CHARS} characters that is not blank`;
/** What an account or a key is called. */
export const nameSchema = z
  .string({ error: named })
  // Code points, as JSON Schema counts.
  .refine((name) => name.trim() !== '' && [...name].length <= ACCESS_NAME_MAX_CHARS, { error: named })
  .meta({ minLength: 1, maxLength: ACCESS_NAME_MAX_CHARS, pattern: '\\S' });

export function adminOf({ services }: Call): Administration {
  if (!services.admin) throw new Error('a server without an administration has no such routes');
  return services.admin;
}

export function answer(value: unknown, status = 200): HttpReply {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify(value),
  };
}

/** @throws PriorartError `bad_json`, `invalid_request` and what readJson throws */
export async function bodyOf<S extends z.ZodObject>(call: Call, schema: S): Promise<z.output<S>> {
  return checked(schema, await readJson(call.request));
}

/** The query string's parameters; of several of one name the last. */
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
