import { PLANS } from '../../../../access/records.js';
import { PLAN_QUOTA } from '../../../../limits.js';
import type { Route } from '../../../route.js';
import { accountsWithQuota, accountWithQuota } from '../../account-with-quota.js';
import { answer, bodyOf } from '../../answer.js';
import { ADMIN, adminOf } from '../admin.js';
import {
  addEnvironmentOperation,
  changeAccountOperation,
  createAccountOperation,
  deleteAccountOperation,
  getAccountOperation,
  listAccountsOperation,
  plansOperation,
} from './openapi.js';
import { accountChangeSchema, accountInputSchema, environmentInputSchema } from './schema.js';

const access = 'admin';
export const plans: Route = {
  method: 'GET',
  path: `${ADMIN}/plans`,
  endpoint: 'admin.plans',
  access,
  operation: plansOperation,
  handle: () =>
    answer({
      plans: PLANS.map((plan) => ({
        plan,
        monthly_quota: PLAN_QUOTA[plan],
        custom: plan === 'enterprise',
      })),
    }),
};

export const listAccounts: Route = {
  method: 'GET',
  path: `${ADMIN}/accounts`,
  endpoint: 'admin.accounts',
  access,
  operation: listAccountsOperation,
  async handle(call) {
    return answer({ accounts: await accountsWithQuota(call, adminOf(call).store.accounts()) });
  },
};

export const createAccount: Route = {
  method: 'POST',
  path: `${ADMIN}/accounts`,
  endpoint: 'admin.accounts',
  access,
  operation: createAccountOperation,
  async handle(call) {
    const { name, plan, monthly_quota: monthlyQuota } = await bodyOf(call, accountInputSchema);
    const { store } = adminOf(call);
    const made = await store.createAccount({
      name,
      plan,
      ...(monthlyQuota === undefined ? {} : { monthlyQuota }),
    });
    return answer(await accountWithQuota(call, made), 201);
  },
};

export const getAccount: Route = {
  method: 'GET',
  path: `${ADMIN}/accounts/{account}`,
  endpoint: 'admin.accounts',
  access,
  operation: getAccountOperation,
  async handle(call) {
    const { store } = adminOf(call);
    return answer(await accountWithQuota(call, store.account(call.parameters['account']!)));
  },
};

export const changeAccount: Route = {
  method: 'PATCH',
  path: `${ADMIN}/accounts/{account}`,
  endpoint: 'admin.accounts',
  access,
  operation: changeAccountOperation,
  async handle(call) {
    const { name, plan, monthly_quota: monthlyQuota } = await bodyOf(call, accountChangeSchema);
    const { store } = adminOf(call);
    const changed = await store.changeAccount(call.parameters['account']!, {
      ...(name === undefined ? {} : { name }),
      ...(plan === undefined ? {} : { plan }),
      ...(monthlyQuota === undefined ? {} : { monthlyQuota }),
    });
    return answer(await accountWithQuota(call, changed));
  },
};

export const deleteAccount: Route = {
  method: 'DELETE',
  path: `${ADMIN}/accounts/{account}`,
  endpoint: 'admin.accounts',
  access,
  operation: deleteAccountOperation,
  async handle(call) {
    const { store } = adminOf(call);
    const { account } = await store.deleteAccount(call.parameters['account']!);
    await call.services.authorization?.endGrantsOf(account.id);
    return answer({});
  },
};

export const addEnvironment: Route = {
  method: 'POST',
  path: `${ADMIN}/accounts/{account}/environments`,
  endpoint: 'admin.environments',
  access,
  operation: addEnvironmentOperation,
  async handle(call) {
    const { name } = await bodyOf(call, environmentInputSchema);
    const { store } = adminOf(call);
    const changed = await store.changeAccount(call.parameters['account']!, { addEnvironment: name });
    return answer(await accountWithQuota(call, changed), 201);
  },
};
