/** What the administration answers, as the document says it; tests hold real answers against these. */
import { z } from 'zod';
import { PLANS } from '../../access/records.js';

const id = (of: string) => z.string().describe(`Id of ${of}`);
const time = () => z.iso.datetime();
const count = () => z.int().min(0);
const plan = () => z.enum(PLANS);

export const accountSchema = z.strictObject({
  id: id('the account'),
  name: z.string(),
  plan: plan(),
  monthly_quota: count().describe('Searches a month'),
  environments: z.array(z.string()),
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
      plan: plan(),
      monthly_quota: count(),
      custom: z.boolean().describe('Whether an account may have a number of its own'),
    }),
  ),
});

const keyFields = {
  id: id('the key: its public name, which says nothing about the secret'),
  account: id('the account'),
  environment: z.string(),
  name: z.string(),
  state: z.enum(['active', 'deactivated']),
  created_at: time(),
  deactivated_at: z.exactOptional(time()).describe('Absent while the key is active'),
};
export const keySchema = z.strictObject(keyFields);
export const keysSchema = z.strictObject({ keys: z.array(keySchema) });
export const newKeySchema = z.strictObject({
  ...keyFields,
  secret: z.string().describe('The key itself, which is shown here and never again'),
});

export const logPageSchema = z.strictObject({
  lines: z
    .array(
      z.strictObject({
        time: time(),
        request_id: z.string(),
        endpoint: z.string(),
        status: z.int(),
        ms: z.number(),
        client: z.string().describe('Address of the client'),
        result_count: z.exactOptional(count()).describe('Absent where the answer has no results to count'),
        query: z.exactOptional(z.string()).describe('Absent unless the operator has queries kept'),
      }),
    )
    .describe('Newest first'),
  next: z.exactOptional(z.string()).describe('cursor of the next, older page; absent on the last one'),
});

export const usageSchema = z.strictObject({
  from: z.iso.date(),
  to: z.iso.date(),
  usage: z.array(
    z.strictObject({
      day: z.iso.date(),
      key: id('the key'),
      endpoint: z.string(),
      requests: count(),
      ok: count(),
      client_errors: count(),
      server_errors: count(),
    }),
  ),
});

export const maintenanceStateSchema = z.strictObject({
  on: z.boolean(),
  since: z.exactOptional(time()).describe('Absent while it is off'),
  retry_after: z.exactOptional(count()).describe('What clients are told to wait, s; absent while it is off'),
});

export const sessionSchema = z.strictObject({ expires_at: time() });
export const nothingSchema = z.strictObject({});
