/** The name of an account or a key. */
import { z } from 'zod';
import { ACCESS_NAME_MAX_CHARS } from '../../limits.js';

const named = `a text of 1 to ${ACCESS_NAME_MAX_CHARS} characters that is not blank`;
export const nameSchema = z
  .string({ error: named })
  // Code points, as in JSON Schema.
  .refine((name) => name.trim() !== '' && [...name].length <= ACCESS_NAME_MAX_CHARS, { error: named })
  .meta({ minLength: 1, maxLength: ACCESS_NAME_MAX_CHARS, pattern: '\\S' });
