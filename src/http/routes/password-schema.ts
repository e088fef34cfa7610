/** A new password of an account. */
import { z } from 'zod';
import { PASSWORD_CHARS } from '../../limits.js';

const { min, max } = PASSWORD_CHARS;
/** The store checks the length, in code points as in JSON Schema. */
export const newPasswordSchema = z
  .string({ error: 'a text' })
  .describe(`${min} to ${max} characters`)
  .meta({ minLength: min, maxLength: max });
