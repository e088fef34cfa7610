/** The filters of the log of requests and of usage, for accounts and operators. */
import { z } from 'zod';
import type { LogFilter } from '../../access/log-records.js';
import { PriorartError } from '../../errors.js';
import { ACCOUNT_USAGE_DAYS_MAX, LOG_PAGE } from '../../limits.js';

const range = `an integer from ${LOG_PAGE.min} to ${LOG_PAGE.max}`;
const day = z.iso.date({ error: 'a day as YYYY-MM-DD' });
const text = z.string({ error: 'a text' });
/** A status, or a class of them. */
export const STATUS_FORM = /^(?:[1-5]\d\d|[2-5]xx)$/;
const status = 'a status such as 200, or one of 2xx, 3xx, 4xx, 5xx';

const fields = {
  key: text.optional(),
  endpoint: text.optional(),
  status: z.string({ error: status }).regex(STATUS_FORM, status).optional(),
  from: day.optional(),
  to: day.optional(),
  limit: z.coerce
    .number({ error: range })
    .int(range)
    .min(LOG_PAGE.min, range)
    .max(LOG_PAGE.max, range)
    .default(LOG_PAGE.default),
  cursor: text.optional(),
};

export const logQuerySchema = z.strictObject(fields);
/** Of the operator: of all accounts, or of one. */
export const allLogsQuerySchema = z.strictObject({ account: text.optional(), ...fields });

export function filterOf({ endpoint, status, from, to }: z.output<typeof logQuerySchema>): LogFilter {
  return {
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(status === undefined ? {} : { status }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
}

/**
 * First and last day of usage: by default the days of this month so far, in UTC.
 * @throws PriorartError `usage` for too many days
 */
export function daysOf({ from, to }: { from?: string | undefined; to?: string | undefined }): {
  from: string;
  to: string;
} {
  const today = new Date().toISOString().slice(0, 10);
  const days = { from: from ?? `${today.slice(0, 8)}01`, to: to ?? today };
  const count = (Date.parse(days.to) - Date.parse(days.from)) / 86_400_000 + 1;
  if (count <= ACCOUNT_USAGE_DAYS_MAX) return days;
  throw new PriorartError(
    'usage',
    `from: got ${count} days until ${days.to}; expected at most ${ACCOUNT_USAGE_DAYS_MAX}`,
  );
}
