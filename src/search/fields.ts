/**
 * The kinds of fields that requests have, as zod schemas. `null` means absent, so every optional field is nullish. A default
 * is applied after validation; the metadata states it for the OpenAPI document.
 */
import { z } from 'zod';
import { FILTER_MAX_CHARS, FILTER_MAX_ENTRIES } from '../limits.js';

const count = (n: number) => n.toLocaleString('en');

export function integer(range: { min: number; max: number }) {
  const error = `an integer from ${count(range.min)} to ${count(range.max)}`;
  return z.int({ error }).min(range.min, { error }).max(range.max, { error });
}

/**
 * A visible character: no space, no control character, none that Unicode ignores by default (zero-width characters, fillers,
 * variation selectors). Written as ranges, because some readers of OpenAPI documents do not know \p.
 */
export const VISIBLE = new RegExp(
  '[^\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f' +
    '\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\u{e0000}-\u{e0fff}]',
  'u',
);

export function text(what: string, maxChars = FILTER_MAX_CHARS, holds = /\S/) {
  const error = `${what} of 1 to ${count(maxChars)} characters`;
  return z
    .string({ error })
    .refine((value) => fits(value, maxChars), { error, abort: true })
    .refine((value) => holds.test(value), { error: `${error} with a visible one` })
    .meta({ minLength: 1, maxLength: maxChars, pattern: holds.source });
}

/** True or false; false if absent. */
export function flag(description: string) {
  return z.boolean({ error: 'true or false' }).nullish().describe(description).meta({ default: false });
}

export function oneOf<const T extends readonly string[]>(values: T) {
  return z.enum(values, { error: `one of ${values.join(', ')}` });
}

export function list<T extends z.ZodType>(entry: T, what: string, max = FILTER_MAX_ENTRIES) {
  const error = `a list of 1 to ${count(max)} ${what}`;
  return z.array(entry, { error }).min(1, { error }).max(max, { error });
}

/** Characters are code points, counted after trimming. Counting stops at the limit. */
function fits(value: string, maxChars: number): boolean {
  const trimmed = value.trim();
  if (trimmed.length === 0 || trimmed.length > 2 * maxChars) return false;
  if (trimmed.length <= maxChars) return true;
  let points = 0;
  for (const _ of trimmed) points++;
  return points <= maxChars;
}

/** `parseIsoDate` decides. JSON Schema's form `date` knows a year 0, which the calendar lacks. */
export const day = () =>
  z
    .string({ error: 'a date as YYYY-MM-DD' })
    .nullish()
    .meta({ format: 'date', pattern: '^0{0,3}[1-9]', examples: ['2020-01-31'] });

/** For the OpenAPI document only: `parseClassificationPrefix` decides, and also takes full-width characters. */
const CLASSIFICATION_PATTERN =
  '^ *[A-HYa-hy] *([0-9] *[0-9] *([A-Za-z] *((0 *)*[1-9] *([0-9] *){0,3}(/ *([0-9] *){0,6})?)?)?)?$';
/** `parseClassificationPrefix` refuses an empty one as malformed, like any other text that is not a prefix. */
export const classification = (system: string) => {
  const error = `an ${system} prefix such as H01M or H01M 10/05`;
  return z
    .string({ error })
    .max(FILTER_MAX_CHARS, { error })
    .meta({ pattern: CLASSIFICATION_PATTERN, examples: ['H01M', 'H01M 10/05'] });
};
