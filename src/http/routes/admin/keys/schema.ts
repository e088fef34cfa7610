/** Requests and answers of keys. */
import { z } from 'zod';
import { LOG_PAGE } from '../../../../limits.js';
import { nameSchema } from '../../name-schema.js';

const id = (of: string) => z.string().describe(`Id of ${of}`);
const time = () => z.iso.datetime();
const count = () => z.int().min(0);
const text = z.string({ error: 'a text' });
export const keyInputSchema = z.strictObject({ account: text, environment: text, name: nameSchema });
export const listSchema = z.strictObject({ account: text.optional() });
const limit = z.coerce
  .number({ error: `an integer from ${LOG_PAGE.min} to ${LOG_PAGE.max}` })
  .int()
  .min(LOG_PAGE.min, `an integer from ${LOG_PAGE.min} to ${LOG_PAGE.max}`)
  .max(LOG_PAGE.max, `an integer from ${LOG_PAGE.min} to ${LOG_PAGE.max}`)
  .default(LOG_PAGE.default);
export const logsSchema = z.strictObject({ limit, cursor: text.optional() });

const keyFields = {
  id: id('the key: its public name, which says nothing about the secret'),
  account: id('the account'),
  environment: z.string(),
  name: z.string(),
  prefix: z
    .exactOptional(z.string())
    .describe('First characters of the secret; absent for keys of earlier versions and of the web page'),
  state: z.enum(['active', 'deactivated']).describe('`deactivated`: it was revoked'),
  created_at: time(),
  deactivated_at: z.exactOptional(time()).describe('When it was revoked; absent while the key is active'),
};

export const keySchema = z.strictObject(keyFields);

export const keysSchema = z.strictObject({
  keys: z.array(
    z.strictObject({
      ...keyFields,
      last_used_at: z
        .exactOptional(time())
        .describe('Last call in the log; absent if the log has none, or cannot be read now'),
    }),
  ),
});

export const revokedKeysSchema = z.strictObject({
  revoked: count().describe('Keys that were active until now'),
});

export const newKeySchema = z.strictObject({
  ...keyFields,
  secret: z.string().describe('The key itself, which is shown here and never again'),
});

export const logPageSchema = z.strictObject({
  lines: z
    .array(
      z.strictObject({
        key: z.exactOptional(id('the key')).describe('Absent in the log of one key'),
        time: time(),
        request_id: z.string(),
        endpoint: z.string(),
        status: z.int(),
        error_code: z
          .exactOptional(z.string())
          .describe(
            'X-Error-Code of the answer, such as `rate_limited` or `quota_exceeded`; absent if it was answered',
          ),
        ms: z.number(),
        client: z.string().describe('Address of the client'),
        result_count: z.exactOptional(count()).describe('Absent if the answer has no results to count'),
        query: z.exactOptional(z.string()).describe('Absent unless the operator has queries kept'),
      }),
    )
    .describe('Newest first'),
  next: z.exactOptional(z.string()).describe('cursor of the next, older page; absent on the last one'),
});
