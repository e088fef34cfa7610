/** The dashboard of an account: what is its own, and nothing else. The session names the account, never the request. */
import type { Account, ApiKey } from '../../../access/records.js';
import { known } from '../../../access/rules.js';
import type { Administration } from '../../admission/administrator.js';
import type { Call, Route } from '../../route.js';
import { accountWithQuota } from '../account-with-quota.js';
import { answer, bodyOf, queryOf } from '../answer.js';
import { checkCount, daysOf, filterOf, logQuerySchema } from '../log-query.js';
import * as operations from './openapi.js';
import { keyNameSchema, ownKeyInputSchema, ownUsageQuerySchema, passwordChangeSchema } from './schema.js';

const access = 'account';

interface Own extends Pick<Administration, 'store' | 'requests'> {
  account: Account;
  /** Keys of the account, by their ids. */
  keys: ReadonlyMap<string, ApiKey>;
}

/** The account of a call, with its keys. */
function ownOf({ account, services }: Call): Own {
  if (!account || !services.admin) throw new Error('a route of an account has an account');
  const { store, requests } = services.admin;
  return { account, store, requests, keys: new Map(store.keysOf(account.id).map((key) => [key.id, key])) };
}

/** A key of the account. Other keys do not exist for it. @throws PriorartError `not_found` */
function ownKey({ keys }: Own, id: string): ApiKey {
  return known(keys.get(id), 'key', id);
}

export const ownAccount: Route = {
  method: 'GET',
  path: '/account',
  endpoint: 'account',
  access,
  operation: operations.ownAccountOperation,
  handle: async (call) => answer(await accountWithQuota(call, ownOf(call).account)),
};

export const ownKeys: Route = {
  method: 'GET',
  path: '/account/keys',
  endpoint: 'account.keys',
  access,
  operation: operations.ownKeysOperation,
  async handle(call) {
    const { keys, requests } = ownOf(call);
    return answer({ keys: await requests.withLastUse([...keys.values()], ({ id }) => id) });
  },
};

export const createOwnKey: Route = {
  method: 'POST',
  path: '/account/keys',
  endpoint: 'account.keys',
  access,
  operation: operations.createOwnKeyOperation,
  async handle(call) {
    const wanted = await bodyOf(call, ownKeyInputSchema);
    const { account, store } = ownOf(call);
    const { id, secret } = await store.createKey({ ...wanted, account: account.id });
    return answer({ ...store.key(id), secret }, 201);
  },
};

export const renameOwnKey: Route = {
  method: 'PATCH',
  path: '/account/keys/{key}',
  endpoint: 'account.keys',
  access,
  operation: operations.renameOwnKeyOperation,
  async handle(call) {
    const { name } = await bodyOf(call, keyNameSchema);
    const own = ownOf(call);
    return answer(await own.store.renameKey(ownKey(own, call.parameters['key']!).id, name));
  },
};

export const revokeOwnKey: Route = {
  method: 'POST',
  path: '/account/keys/{key}/revoke',
  endpoint: 'account.keys',
  access,
  operation: operations.revokeOwnKeyOperation,
  async handle(call) {
    const own = ownOf(call);
    return answer(await own.store.revoke(ownKey(own, call.parameters['key']!).id));
  },
};

export const ownGrants: Route = {
  method: 'GET',
  path: '/account/grants',
  endpoint: 'account.grants',
  access,
  operation: operations.ownGrantsOperation,
  async handle(call) {
    const { account, requests } = ownOf(call);
    const grants = call.services.authorization?.connections() ?? [];
    const own = grants.filter((grant) => grant.account === account.id);
    return answer({ grants: await requests.withLastUse(own, ({ key }) => key) });
  },
};

export const endOwnGrant: Route = {
  method: 'POST',
  path: '/account/grants/{grant}/revoke',
  endpoint: 'account.grants',
  access,
  operation: operations.endOwnGrantOperation,
  async handle(call) {
    const { authorization } = call.services;
    const id = call.parameters['grant']!;
    // Grants of other accounts do not exist for this one. An id is never given twice.
    const isOwn = authorization?.connection(id)?.account === ownOf(call).account.id;
    return answer(known(isOwn ? await authorization.endGrant(id) : undefined, 'grant', id));
  },
};

export const ownUsage: Route = {
  method: 'GET',
  path: '/account/usage',
  endpoint: 'account.usage',
  access,
  operation: operations.ownUsageOperation,
  async handle(call) {
    const { key, ...asked } = queryOf(call, ownUsageQuerySchema);
    const days = daysOf(asked);
    checkCount(days);
    const own = ownOf(call);
    const keys = key === undefined ? new Set(own.keys.keys()) : new Set([ownKey(own, key).id]);
    await own.requests.flush();
    return answer({ ...days, usage: await own.requests.usage(days.from, days.to, keys) });
  },
};

export const ownLogs: Route = {
  method: 'GET',
  path: '/account/logs',
  endpoint: 'account.logs',
  access,
  operation: operations.ownLogsOperation,
  async handle(call) {
    const asked = queryOf(call, logQuerySchema);
    const own = ownOf(call);
    const keys = asked.key === undefined ? [...own.keys.keys()] : [ownKey(own, asked.key).id];
    // Includes the lines that this server has not written yet.
    await own.requests.flush();
    const { limit, cursor } = asked;
    return answer(await own.requests.pageOfKeys(keys, limit, { filter: filterOf(asked), cursor }));
  },
};

export const changeOwnPassword: Route = {
  method: 'POST',
  path: '/account/password',
  endpoint: 'account.password',
  access,
  operation: operations.changeOwnPasswordOperation,
  async handle(call) {
    const change = await bodyOf(call, passwordChangeSchema);
    const { account } = ownOf(call);
    const page = call.services.page!;
    const token = await page.changePassword(call.request, account, change);
    const reply = answer({});
    return { ...reply, cookies: [page.cookie(call.request, token)] };
  },
};
