/**
 * JSON schemas of tools, from the schemas of the HTTP interface. Models read them, so what only validators need is
 * removed: the service checks every request anyway, and says what is wrong with it.
 */
import { z } from 'zod';

type Value = string | number | boolean | null | Value[] | { [name: string]: Value };

/** A JSON schema of an object. */
export interface ObjectSchema {
  type: 'object';
  properties?: Record<string, Value>;
  required?: string[];
  [keyword: string]: unknown;
}

type Json = Record<string, unknown>;

/** Patterns are long and restate the description. APIs of models refuse alternatives at the top of a schema. */
const REMOVED = new Set(['$schema', 'pattern', 'propertyNames']);
const UNBOUNDED = new Set([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]);

/** @param io `input` for arguments, `output` for results */
export function toolSchema(schema: z.ZodType, io: 'input' | 'output'): ObjectSchema {
  const { anyOf: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io }) as Json;
  return simplified(rest) as ObjectSchema;
}

function simplified(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(simplified);
  if (typeof value !== 'object' || value === null) return value;
  const { anyOf, ...rest } = value as Json;
  const kept = Object.entries(withoutNull(anyOf, rest)).filter(
    ([name, held]) => !REMOVED.has(name) && !(typeof held === 'number' && UNBOUNDED.has(held)),
  );
  return Object.fromEntries(kept.map(([name, held]) => [name, simplified(held)]));
}

/** `null` means absent in requests of the HTTP interface. An argument of a tool is simply omitted. */
function withoutNull(anyOf: unknown, rest: Json): Json {
  const { type } = rest;
  if (Array.isArray(type)) {
    const types = type.filter((name) => name !== 'null');
    return { ...rest, type: types.length === 1 ? types[0] : types };
  }
  if (!Array.isArray(anyOf)) return rest;
  const alternatives = (anyOf as Json[]).filter(({ type }) => type !== 'null');
  return alternatives.length === 1 ? { ...alternatives[0], ...rest } : { ...rest, anyOf: alternatives };
}
