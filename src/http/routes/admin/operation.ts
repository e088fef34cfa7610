/** /admin/api/v1/usage and /maintenance. */
import { z } from 'zod';
import { MAINTENANCE_RETRY_S } from '../../../limits.js';
import type { Route } from '../../route.js';
import { ADMIN, adminOf, answer, bodyOf, queryOf } from './answer.js';

const access = 'admin';
const day = z.iso.date({ error: 'a day as YYYY-MM-DD' });
const text = z.string({ error: 'a text' });
const usageSchema = z.strictObject({
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

export const usage: Route = {
  method: 'GET',
  path: `${ADMIN}/usage`,
  endpoint: 'admin.usage',
  access,
  async handle(call) {
    const today = new Date().toISOString().slice(0, 10);
    const { from = `${today.slice(0, 8)}01`, to = today, account, key } = queryOf(call, usageSchema);
    const { store, requests } = adminOf(call);
    let keys: Set<string> | undefined;
    if (key !== undefined) keys = new Set([store.key(key).id]);
    else if (account !== undefined) {
      const { id } = store.account(account);
      keys = new Set(store.list().flatMap((known) => (known.account === id ? [known.id] : [])));
    }
    await requests.flush();
    return answer({ from, to, usage: requests.usage(from, to, keys) });
  },
};

export const maintenance: Route = {
  method: 'GET',
  path: `${ADMIN}/maintenance`,
  endpoint: 'admin.maintenance',
  access,
  handle(call) {
    const found = adminOf(call).store.maintenance();
    return answer({ on: found !== undefined, ...found });
  },
};

export const setMaintenance: Route = {
  method: 'POST',
  path: `${ADMIN}/maintenance`,
  endpoint: 'admin.maintenance',
  access,
  async handle(call) {
    const { on, retry_after: retryAfter } = await bodyOf(call, maintenanceInputSchema);
    const set = await adminOf(call).store.setMaintenance(on, retryAfter);
    return answer({ on, ...set });
  },
};
