/**
 * Turns zod's report on a request into one PriorartError. A schema's own messages are expectations ("an integer from
 * 1 to 100"). This module adds field and value, so that every message has the same form.
 */
import type { z } from 'zod';
import { PriorartError } from '../errors.js';
import { nearestName } from '../nearest-name.js';
import { writtenValue } from '../written-value.js';

/** Complaints in a message, at most. */
const ISSUES_SHOWN = 5;
const VALUE_CHARS_SHOWN = 80;
/** Characters that a reader of a message cannot see. */
const UNSEEN = /\u034f|[\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;
/** Fields whose value no message repeats. */
const SECRETS: ReadonlySet<string> = new Set(['password', 'current', 'secret']);

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

export interface FieldAdvice {
  /** Names a request may carry, by the path of the object they stand in (`''` is the body itself). */
  known: Readonly<Record<string, readonly string[]>>;
  /** Hint for a name that is unknown here and known to another endpoint. */
  elsewhere(name: string): string | undefined;
}

/** `["ipc_codes", 0]` as `ipc_codes[0]`. */
export function fieldName(path: Path): string {
  let text = '';
  for (const part of path) text += typeof part === 'number' ? `[${part}]` : `${text && '.'}${String(part)}`;
  return text;
}

/** A value as a message shows it: JSON of at most a line. */
export function shown(value: unknown): string {
  if (typeof value === 'string' && value.length > VALUE_CHARS_SHOWN) {
    return `a text of ${value.length.toLocaleString('en')} characters`;
  }
  if (Array.isArray(value) && value.length > 10)
    return `a list of ${value.length.toLocaleString('en')} entries`;
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
    return 'a number that is too large';
  const text = writtenValue(value).replace(UNSEEN, escaped);
  return text.length > VALUE_CHARS_SHOWN ? `${text.slice(0, VALUE_CHARS_SHOWN)}…` : text;
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

/** The error for one field: field, value, expectation. */
export function invalidField(field: string, value: unknown, expected: string): PriorartError {
  return new PriorartError('invalid_request', complaint(field, value, expected));
}

/** The error for fields that name publications which are not there. Its cause tells it from other wrong requests. */
export function unknownPublications(message: string): PriorartError {
  return new PriorartError('invalid_request', message, { cause: new PriorartError('not_found', message) });
}

/** The message about one field: field, value, expectation. */
export function complaint(field: string, value: unknown, expected: string): string {
  const subject = field === '' ? 'request body' : field;
  const missing = value === undefined || value === null;
  const written = SECRETS.has(field) ? sizeOf(value) : shown(value);
  return `${subject}: ${missing ? 'missing' : `got ${written}`}; expected ${expected}`;
}

/** What a message says of a secret. */
function sizeOf(value: unknown): string {
  return typeof value === 'string' ? `${[...value].length} characters` : 'no text';
}

/** Makes the error for a request that its schema refused. An unknown applicant_match alone is a 400. */
export function invalidRequest(input: unknown, issues: readonly Issue[], advice: FieldAdvice): PriorartError {
  // Complaints are made only if they are shown: a body may have a hundred thousand unknown fields.
  const messages: (() => string)[] = [];
  const seen = new Set<string>();
  let badMatch = true;
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys') {
      badMatch = false;
      for (const key of issue.keys) messages.push(() => unknownField(issue.path, key, advice));
      continue;
    }
    // A number may break two rules that have one message.
    const name = fieldName(issue.path);
    const place = `${name} ${issue.message}`;
    if (seen.has(place)) continue;
    seen.add(place);
    const value = valueAt(input, issue.path);
    if (issue.path[0] !== 'applicant_match' || typeof value !== 'string') badMatch = false;
    messages.push(() => complaint(name, value, issue.message));
  }
  const hidden = messages.length - ISSUES_SHOWN;
  const first = messages.slice(0, ISSUES_SHOWN).map((message) => message());
  const text = first.join('. ') + (hidden > 0 ? `. And ${hidden} more` : '');
  return new PriorartError(badMatch ? 'bad_applicant_match' : 'invalid_request', text);
}

function valueAt(input: unknown, path: Path): unknown {
  let value = input;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}

function unknownField(path: Path, key: string, advice: FieldAdvice): string {
  const parent = fieldName(path);
  const name = shown(parent === '' ? key : `${parent}.${key}`);
  const hint = parent === '' ? advice.elsewhere(key) : undefined;
  if (hint !== undefined) return `unknown field ${name}; ${hint}`;
  const nearest = nearestName(key, advice.known[parent] ?? []);
  return `unknown field ${name}${nearest === undefined ? '' : `; the nearest known field is "${nearest}"`}`;
}
