/** Checks a value against a `Schema` and says in words what is wrong: field, value, expectation. */
import { nearestName } from '../nearest-name.js';
import type { Schema } from './patent-schema.js';

/** Changes of a name after which it is another name, not a mistyped one. */
const ALIKE = 3;

const PATTERNS = new Map<string, RegExp>();

function pattern(source: string): RegExp {
  let compiled = PATTERNS.get(source);
  if (!compiled) {
    compiled = new RegExp(source, 'u');
    PATTERNS.set(source, compiled);
  }
  return compiled;
}

function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return json.length > 60 ? `${json.slice(0, 60)}…` : json;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

const ARTICLE: Record<string, string> = {
  ...{
    object: 'an object',
    array: 'a list',
    string: 'a text',
    integer: 'a whole number',
    boolean: 'true or false',
  },
};

function expectation(schema: Schema): string {
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  if (schema.anyOf) return schema.anyOf.map(expectation).join(' or ');
  if (schema.type === 'string')
    return schema.description ?? (schema.pattern ? `a text matching ${schema.pattern}` : 'a text');
  const kind = schema.type ? (ARTICLE[schema.type] ?? schema.type) : 'a value';
  // The description of the whole record is a page, not an expectation.
  return schema.description && !schema.$schema ? `${kind} (${schema.description})` : kind;
}

function unknownField(schema: Schema, path: string, name: string): string {
  const known = Object.keys(schema.properties ?? {});
  const nearest = nearestName(name, known, ALIKE);
  const near = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return `${path}${path ? '.' : ''}${name}: unknown field${near || `; known are ${known.slice(0, 40).join(', ')}`}`;
}

function checkObject(schema: Schema, value: Record<string, unknown>, path: string): string | undefined {
  const below = (name: string): string => (path ? `${path}.${name}` : name);
  for (const name of schema.required ?? []) {
    if (value[name] === undefined)
      return `${below(name)}: missing; expected ${expectation(schema.properties?.[name] ?? {})}`;
  }
  for (const [name, inner] of Object.entries(value)) {
    // null means absent, as in requests.
    if (inner === null || inner === undefined) continue;
    const own = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
    const byPattern = Object.entries(schema.patternProperties ?? {}).find(([source]) =>
      pattern(source).test(name),
    );
    const rule = own ?? byPattern?.[1];
    if (!rule) {
      if (schema.additionalProperties === false) return unknownField(schema, path, name);
      continue;
    }
    const wrong = violation(rule, inner, below(name));
    if (wrong) return wrong;
  }
  return undefined;
}

/**
 * What is wrong with a value, for instance `claims[2].text: 7 is not a text`; `undefined` where nothing is.
 * Of alternatives the one of the value's own type explains the fault.
 */
export function violation(schema: Schema, value: unknown, path = ''): string | undefined {
  if (schema.anyOf) {
    if (schema.anyOf.some((choice) => violation(choice, value, path) === undefined)) return undefined;
    const alike = schema.anyOf.find((choice) => choice.type === typeOf(value));
    if (alike) return violation(alike, value, path);
    return `${path}: ${shown(value)}; expected ${expectation(schema)}`;
  }
  const wrong = `${path || 'the line'}: ${shown(value)}; expected ${expectation(schema)}`;
  if (schema.type && typeOf(value) !== schema.type) return wrong;
  if (typeof value === 'string') {
    if (schema.minLength !== undefined && value.trim().length < schema.minLength) {
      return `${path}: an empty text; leave the field out or fill it`;
    }
    if (schema.enum && !schema.enum.includes(value)) return wrong;
    return schema.pattern === undefined || pattern(schema.pattern).test(value) ? undefined : wrong;
  }
  if (typeof value === 'number' && schema.minimum !== undefined && value < schema.minimum) {
    return `${path}: ${value}; expected a whole number from ${schema.minimum}`;
  }
  if (Array.isArray(value) && schema.items) {
    for (const [at, item] of value.entries()) {
      const inner = violation(schema.items, item, `${path}[${at}]`);
      if (inner) return inner;
    }
  }
  return schema.type === 'object' ? checkObject(schema, value as Record<string, unknown>, path) : undefined;
}
