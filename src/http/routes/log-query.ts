/** The filters of the log of requests and of usage, for accounts and operators. */
import { z } from 'zod';
import type { LogFilter } from '../../access/log-records.js';
import { PriorartError } from '../../errors.js';
import { ACCOUNT_USAGE_DAYS_MAX, LOG_PAGE } from '../../limits.js';
import { invalidField } from '../../search/invalid.js';

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

/** @throws PriorartError `invalid_request` for a first day after the last one */
export function filterOf({ endpoint, status, from, to }: z.output<typeof logQuerySchema>): LogFilter {
  if (from !== undefined && to !== undefined && from > to) throw beginsTooLate(from, to);
  return {
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(status === undefined ? {} : { status }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
}

export interface Days {
  from: string;
  to: string;
}

/**
 * First and last day of usage: by default the days of this month so far, in UTC, or those of the month of the last day.
 * @throws PriorartError `invalid_request` for a first day after the last one
 */
export function daysOf({ from, to }: { from?: string | undefined; to?: string | undefined }): Days {
  const last = to ?? new Date().toISOString().slice(0, 10);
  if (from !== undefined && from > last) throw beginsTooLate(from, last);
  return { from: from ?? `${last.slice(0, 8)}01`, to: last };
}

/**
 * Days of usage that an account may ask for in one call.
 * @throws PriorartError `invalid_request` for more of them
 */
export function checkCount({ from, to }: Days): void {
  const count = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
  if (count <= ACCOUNT_USAGE_DAYS_MAX) return;
  const message = `from: got ${count} days until ${to}; expected at most ${ACCOUNT_USAGE_DAYS_MAX}`;
  throw new PriorartError('invalid_request', message);
}

/** The message has the form of those about dates of searches. */
function beginsTooLate(from: string, to: string): PriorartError {
  return invalidField('from', from, `a day not after to, ${to}`);
}
