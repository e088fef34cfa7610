import type { Route } from '../../../route.js';
import { answer, bodyOf, queryOf } from '../../answer.js';
import { daysOf } from '../../log-query.js';
import { ADMIN, adminOf } from '../admin.js';
import { maintenanceOperation, setMaintenanceOperation, usageOperation } from './openapi.js';
import { maintenanceInputSchema, usageQuerySchema } from './schema.js';

const access = 'admin';
export const usage: Route = {
  method: 'GET',
  path: `${ADMIN}/usage`,
  endpoint: 'admin.usage',
  access,
  operation: usageOperation,
  async handle(call) {
    const { account, key, ...days } = queryOf(call, usageQuerySchema);
    const { from, to } = daysOf(days);
    const { store, requests } = adminOf(call);
    const keys = store.selectedKeys({ account, key });
    await requests.flush();
    return answer({ from, to, usage: await requests.usage(from, to, keys && new Set(keys)) });
  },
};

export const maintenance: Route = {
  method: 'GET',
  path: `${ADMIN}/maintenance`,
  endpoint: 'admin.maintenance',
  access,
  operation: maintenanceOperation,
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
  operation: setMaintenanceOperation,
  async handle(call) {
    const { on, retry_after: retryAfter } = await bodyOf(call, maintenanceInputSchema);
    const set = await adminOf(call).store.setMaintenance(on, retryAfter);
    return answer({ on, ...set });
  },
};
