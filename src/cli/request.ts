/**
 * Fields of a request as command-line options. Names, help and allowed values come from the request's schema:
 * a new field becomes an option.
 */
import type { Command } from 'commander';
import { z } from 'zod';
import {
  type AnalyticsRequest,
  analyticsSchema,
  filterSchema,
  type PatentFilter,
  type SemanticRequest,
  semanticSchema,
} from '../search/schema.js';

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
  properties?: Record<string, Property>;
}

type Held = Omit<Property, 'type'> & { type: string | undefined };

interface RequestField {
  name: string;
  property: Held;
}

/** Type of a field's values, without the `null` that requests may use for "absent". */
function held(property: Property): Held {
  const inner = property.anyOf?.find(({ type }) => type !== 'null') ?? property;
  const type = [inner.type ?? []].flat().find((name) => name !== 'null');
  return { ...inner, ...property, type };
}

/** Fields that become options. The question is an argument. */
function fieldsOf(schema: z.ZodType, without: readonly string[] = []): RequestField[] {
  const { properties } = z.toJSONSchema(schema) as { properties: Record<string, Property> };
  return Object.entries(properties)
    .filter(([name]) => name !== 'query' && !without.includes(name))
    .map(([name, property]) => ({ name, property: held(property) }));
}

const SEARCH = fieldsOf(semanticSchema);
const FILTER = fieldsOf(filterSchema);
/** Statistics have no top_k. */
const ANALYTICS = fieldsOf(analyticsSchema, ['top_k']);

const keyOf = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Declares the options of a search. */
export function withFilters(command: Command): Command {
  return withExact(declare(command, SEARCH));
}

function withExact(command: Command): Command {
  return command.option('--exact', 'score every vector that the filter allows, without an index');
}

/** Declares the filters without the other options of a search. */
export function withFiltersOnly(command: Command): Command {
  return declare(command, FILTER);
}

/** Declares the options of semantic-analytics. */
export function withAnalytics(command: Command): Command {
  return withExact(declare(command, ANALYTICS));
}

/** Options of a field. An object has one for each part: `date_range` with `from` is `--date-range-from`. */
function parts({ name, property }: RequestField): RequestField[] {
  if (property.type !== 'object') return [{ name, property }];
  return Object.entries(property.properties ?? {}).map(([part, inner]) => ({
    name: `${name}_${part}`,
    property: held(inner),
  }));
}

function declare(command: Command, fields: readonly RequestField[]): Command {
  for (const { name, property } of fields.flatMap(parts)) {
    const flag = `--${name.replaceAll('_', '-')}`;
    command.option(
      property.type === 'boolean' ? flag : `${flag} ${placeholder(property)}`,
      help(name, property),
    );
  }
  return command;
}

function placeholder({ type, format, enum: values }: Held): string {
  if (type === 'array') return '<list>';
  if (type === 'integer' || type === 'number') return '<number>';
  if (format === 'date') return '<YYYY-MM-DD>';
  return values ? '<name>' : '<text>';
}

function help(name: string, { type, enum: values, items, minimum, maximum, ...rest }: Held): string {
  const parts = [rest.description ?? name.replaceAll('_', ' ')];
  if (type === 'array')
    parts.push(items?.enum ? 'comma-separated' : 'comma-separated, a value with a comma in double quotes');
  const allowed = values ?? items?.enum;
  if (allowed) parts.push(`of ${allowed.join(', ')}`);
  if (minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) {
    parts.push(`${minimum} to ${maximum}`);
  }
  const fallback = rest.default === undefined || type === 'boolean' ? '' : ` (default: ${rest.default})`;
  return parts.join('; ') + fallback;
}

/** The request of a search from its options. It is not validated here. */
export function requestOf(query: string, flags: Record<string, unknown>): SemanticRequest {
  return { ...questionFrom(query, flags), ...spelled(SEARCH, flags) };
}

/** The filter from its options. */
export function filterOf(flags: Record<string, unknown>): PatentFilter {
  return spelled(FILTER, flags);
}

/** The request for statistics from its options. */
export function analyticsOf(query: string, flags: Record<string, unknown>): AnalyticsRequest {
  return { ...questionFrom(query, flags), ...spelled(ANALYTICS, flags) };
}

/** With `--like` there may be no question. */
function questionFrom(query: string, flags: Record<string, unknown>): { query?: string } {
  return query === '' && flags['like'] !== undefined ? {} : { query };
}

function spelled(fields: readonly RequestField[], flags: Record<string, unknown>): Record<string, unknown> {
  const request: Record<string, unknown> = {};
  for (const field of fields) {
    const { name, property } = field;
    if (property.type === 'object') {
      const inner = spelled(parts(field), flags);
      const entries = Object.entries(inner).map(([part, value]) => [part.slice(name.length + 1), value]);
      if (entries.length > 0) request[name] = Object.fromEntries(entries);
      continue;
    }
    const given = flags[keyOf(name)];
    if (given !== undefined) request[name] = parsed(given, property);
  }
  return request;
}

/** The values of a comma-separated list. One in double quotes may have commas, and `""` for a quote. */
function valuesOf(list: string): string[] {
  const values: string[] = [];
  // The parts of a value whose quotes are not closed.
  let open: string[] = [];
  let quotes = 0;
  for (const part of list.split(',')) {
    open.push(part);
    quotes += part.split('"').length - 1;
    const isQuoted = open[0]!.trimStart().startsWith('"');
    if (isQuoted && quotes % 2 === 1) continue;
    values.push(unquoted(open.join(',').trim()));
    [open, quotes] = [[], 0];
  }
  return [...values, ...open.map((part) => part.trim())];
}

function unquoted(text: string): string {
  const isQuoted = text.length > 1 && text.startsWith('"') && text.endsWith('"');
  return isQuoted ? text.slice(1, -1).replaceAll('""', '"') : text;
}

/** A value as one of a comma-separated list. */
export function inList(value: string): string {
  return /[,"]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

function parsed(given: unknown, { type, enum: values, items }: Held): unknown {
  if (type === 'array') return valuesOf(String(given)).map((part) => inCase(part, items?.enum));
  if (type === 'integer' && /^\d{1,15}$/.test(String(given))) return Number(given);
  if (type === 'number' && /^(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})$/.test(String(given))) return Number(given);
  return typeof given === 'string' ? inCase(given, values) : given;
}

/** Accepts `kr` for `KR`. */
function inCase(text: string, values: readonly string[] = []): string {
  return values.find((value) => value.toLowerCase() === text.toLowerCase()) ?? text;
}
