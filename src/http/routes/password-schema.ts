/** A new password of an account. */
import { z } from 'zod';
import { PASSWORD_CHARS } from '../../limits.js';

const { min, max } = PASSWORD_CHARS;
const wanted = `${min} to ${max} characters`;

export const newPasswordSchema = z
  .string({ error: `a text of ${wanted}` })
  // Code points, as in JSON Schema.
  .refine((text) => [...text].length >= min && [...text].length <= max, { error: wanted })
  .describe(`${min} to ${max} characters`)
  .meta({ minLength: min, maxLength: max });
