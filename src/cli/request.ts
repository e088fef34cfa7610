/**
 * The fields of a search as command-line options: the names, the help and the allowed values are those of the
 * request's schema, so a field that is added there is an option here.
 */
import type { Command } from 'commander';
import { z } from 'zod';
import { type SemanticRequest, semanticSchema } from '../search/schema.js';

interface Property {
  type?: string | string[];
  enum?: string[];
  format?: string;
  minimum?: number;
  maximum?: number;
  default?: unknown;
  description?: string;
  items?: Property;
  anyOf?: Property[];
}

type Held = Omit<Property, 'type'> & { type: string | undefined };

/** What a field holds: without the `null` that a request may give for "absent". */
function held(property: Property): Held {
  const inner = property.anyOf?.find(({ type }) => type !== 'null') ?? property;
  const type = [inner.type ?? []].flat().find((name) => name !== 'null');
  return { ...inner, ...property, type };
}

const { properties } = z.toJSONSchema(semanticSchema) as { properties: Record<string, Property> };
const FIELDS = Object.entries(properties)
  .filter(([name]) => name !== 'query')
  .map(([name, property]) => ({ name, property: held(property) }));

const keyOf = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Declares the options. */
export function withFilters(command: Command): Command {
  for (const { name, property } of FIELDS) {
    const flag = `--${name.replaceAll('_', '-')}`;
    command.option(
      property.type === 'boolean' ? flag : `${flag} ${placeholder(property)}`,
      help(name, property),
    );
  }
  return command.option('--exact', 'score every vector that the filter allows, whatever index there is');
}

function placeholder({ type, format, enum: values }: Held): string {
  if (type === 'array') return '<list>';
  if (type === 'integer') return '<number>';
  if (format === 'date') return '<YYYY-MM-DD>';
  return values ? '<name>' : '<text>';
}

function help(name: string, { type, enum: values, items, minimum, maximum, ...rest }: Held): string {
  const parts = [rest.description ?? name.replaceAll('_', ' ')];
  if (type === 'array') parts.push('comma-separated');
  const allowed = values ?? items?.enum;
  if (allowed) parts.push(`of ${allowed.join(', ')}`);
  if (minimum !== undefined && maximum !== undefined) parts.push(`${minimum} to ${maximum}`);
  const fallback = rest.default === undefined || type === 'boolean' ? '' : ` (default: ${rest.default})`;
  return parts.join('; ') + fallback;
}

/** The request that the options spell; checked where every request is checked. */
export function requestOf(query: string, flags: Record<string, unknown>): SemanticRequest {
  const request: Record<string, unknown> = { query };
  for (const { name, property } of FIELDS) {
    const given = flags[keyOf(name)];
    if (given !== undefined) request[name] = parsed(given, property);
  }
  return request as SemanticRequest;
}

function parsed(given: unknown, { type, enum: values, items }: Held): unknown {
  if (type === 'array') {
    return String(given)
      .split(',')
      .map((part) => inCase(part.trim(), items?.enum));
  }
  if (type === 'integer' && /^\d{1,15}$/.test(String(given))) return Number(given);
  return typeof given === 'string' ? inCase(given, values) : given;
}

/** Who types `kr` means KR. */
function inCase(text: string, values: readonly string[] = []): string {
  return values.find((value) => value.toLowerCase() === text.toLowerCase()) ?? text;
}
