/** Requests and answers of the account that is signed in. */
import { z } from 'zod';
import { ENVIRONMENT_FORM } from '../../../access/rules.js';
import { nameSchema } from '../name-schema.js';
import { newPasswordSchema } from '../password-schema.js';

const day = z.iso.date({ error: 'a day as YYYY-MM-DD' });
const text = z.string({ error: 'a text' });
const environment = 'a name such as production: 1 to 32 of a-z, 0-9, - and _';

export const ownKeyInputSchema = z.strictObject({
  environment: z.string({ error: environment }).regex(ENVIRONMENT_FORM, environment),
  name: nameSchema,
});
export const keyNameSchema = z.strictObject({ name: nameSchema });
export const ownUsageQuerySchema = z.strictObject({
  from: day.optional(),
  to: day.optional(),
  key: text.optional(),
});
export const passwordChangeSchema = z.strictObject({
  current: text,
  password: newPasswordSchema,
});
