import { PriorartError } from '../../../../errors.js';
import type { Route } from '../../../route.js';
import { answer, bodyOf, queryOf } from '../../answer.js';
import { ADMIN, adminOf } from '../admin.js';
import {
  createKeyOperation,
  getKeyOperation,
  keyLogsOperation,
  listKeysOperation,
  revokeKeyOperation,
  revokeKeysOperation,
} from './openapi.js';
import { keyInputSchema, listSchema, logsSchema } from './schema.js';

const access = 'admin';
export const listKeys: Route = {
  method: 'GET',
  path: `${ADMIN}/keys`,
  endpoint: 'admin.keys',
  access,
  operation: listKeysOperation,
  async handle(call) {
    const { account } = queryOf(call, listSchema);
    const { store, requests } = adminOf(call);
    const keys = account === undefined ? store.list() : store.list().filter((key) => key.account === account);
    return answer({ keys: await requests.withLastUse(keys, ({ id }) => id) });
  },
};

export const createKey: Route = {
  method: 'POST',
  path: `${ADMIN}/keys`,
  endpoint: 'admin.keys',
  access,
  operation: createKeyOperation,
  async handle(call) {
    const wanted = await bodyOf(call, keyInputSchema);
    const { store } = adminOf(call);
    // A mistyped environment would be created. The API has an endpoint for environments, so this one refuses
    // it.
    const { environments } = store.account(wanted.account);
    if (!environments.includes(wanted.environment)) {
      throw new PriorartError(
        'invalid_request',
        `environment: got ${JSON.stringify(wanted.environment)}; expected one of the account's: ${environments.join(', ') || 'it has none yet'}`,
      );
    }
    const { id, secret } = await store.createKey(wanted);
    return answer({ ...store.key(id), secret }, 201);
  },
};

export const getKey: Route = {
  method: 'GET',
  path: `${ADMIN}/keys/{key}`,
  endpoint: 'admin.keys',
  access,
  operation: getKeyOperation,
  handle: (call) => answer(adminOf(call).store.key(call.parameters['key']!)),
};

export const revokeKey: Route = {
  method: 'POST',
  path: `${ADMIN}/keys/{key}/revoke`,
  endpoint: 'admin.keys',
  access,
  operation: revokeKeyOperation,
  handle: async (call) => answer(await adminOf(call).store.revoke(call.parameters['key']!)),
};

export const revokeKeys: Route = {
  method: 'DELETE',
  path: `${ADMIN}/accounts/{account}/keys`,
  endpoint: 'admin.keys',
  access,
  operation: revokeKeysOperation,
  handle: async (call) =>
    answer({ revoked: await adminOf(call).store.revokeAll(call.parameters['account']!) }),
};

export const keyLogs: Route = {
  method: 'GET',
  path: `${ADMIN}/keys/{key}/logs`,
  endpoint: 'admin.logs',
  access,
  operation: keyLogsOperation,
  async handle(call) {
    const { limit, cursor } = queryOf(call, logsSchema);
    const { store, requests } = adminOf(call);
    const { id } = store.key(call.parameters['key']!);
    // Includes the lines that this server has not written yet.
    await requests.flush();
    return answer(await requests.page(id, limit, cursor));
  },
};
