/** Requests and answers of plans and accounts. */
import { z } from 'zod';
import { PLANS } from '../../../../access/records.js';
import { ENVIRONMENT_FORM } from '../../../../access/rules.js';
import { QUOTA_MAX } from '../../../../limits.js';
import { nameSchema } from '../../name-schema.js';

const id = (of: string) => z.string().describe(`Id of ${of}`);
const time = () => z.iso.datetime();
const count = () => z.int().min(0);
const plan = z.enum(PLANS, { error: `one of ${PLANS.join(', ')}` });
const quota = z
  .int({ error: `an integer from 0 to ${QUOTA_MAX}` })
  .min(0)
  .max(QUOTA_MAX)
  .describe('Searches a month. Only of the plan `enterprise`; the others have their own number');
export const accountInputSchema = z.strictObject({ name: nameSchema, plan, monthly_quota: quota.optional() });
export const accountChangeSchema = z.strictObject({
  name: nameSchema.optional(),
  plan: plan.optional(),
  monthly_quota: quota.optional(),
});
const environment = 'a name such as production: 1 to 32 of a-z, 0-9, - and _';
export const environmentInputSchema = z.strictObject({
  name: z.string({ error: environment }).regex(ENVIRONMENT_FORM, environment),
});

export const accountSchema = z.strictObject({
  id: id('the account'),
  name: z.string(),
  plan,
  monthly_quota: count().describe('Searches a month'),
  environments: z.array(z.string()),
  has_password: z.boolean().describe('Whether people can sign in with it'),
  created_at: time().describe('Months of the quota begin on this day of the month, UTC'),
  quota: z.strictObject({
    used: count(),
    remaining: count(),
    cycle_start: time(),
    resets_at: time(),
  }),
});

export const accountsSchema = z.strictObject({ accounts: z.array(accountSchema) });

export const plansSchema = z.strictObject({
  plans: z.array(
    z.strictObject({
      plan,
      monthly_quota: count(),
      custom: z.boolean().describe('Whether an account may have a number of its own'),
    }),
  ),
});
