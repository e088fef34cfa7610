/** Requests and answers of usage and maintenance. */
import { z } from 'zod';
import { MAINTENANCE_RETRY_S } from '../../../../limits.js';

const id = (of: string) => z.string().describe(`Id of ${of}`);
const time = () => z.iso.datetime();
const count = () => z.int().min(0);
const day = z.iso.date({ error: 'a day as YYYY-MM-DD' });
const text = z.string({ error: 'a text' });
export const usageQuerySchema = z.strictObject({
  from: day.optional(),
  to: day.optional(),
  account: text.optional(),
  key: text.optional(),
});
const { min, max } = MAINTENANCE_RETRY_S;
const seconds = `an integer from ${min} to ${max}`;
export const maintenanceInputSchema = z.strictObject({
  on: z.boolean({ error: 'true or false' }),
  retry_after: z.int({ error: seconds }).min(min, seconds).max(max, seconds).optional(),
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
