/** A new password of an account. */
import { z } from 'zod';
import { PASSWORD_CHARS } from '../../limits.js';

const { min, max } = PASSWORD_CHARS;
const wanted = `a text of ${min} to ${max} characters`;

export const newPasswordSchema = z
  .string({ error: wanted })
  // Code points, as in JSON Schema.
  .refine((text) => [...text].length >= min && [...text].length <= max, { error: wanted })
  .describe(`${min} to ${max} characters`)
  .meta({ minLength: min, maxLength: max });
