/** /admin/api/v1/accounts and /plans. */
import { z } from 'zod';
import { type Account, PLANS } from '../../../access/records.js';
import { ENVIRONMENT_FORM } from '../../../access/rules.js';
import { PLAN_QUOTA, QUOTA_MAX } from '../../../limits.js';
import type { Call, Route } from '../../route.js';
import { ADMIN, adminOf, answer, bodyOf, nameSchema } from './answer.js';

const access = 'admin';
const plan = z.enum(PLANS, { error: `one of ${PLANS.join(', ')}` });
const quota = z
  .int({ error: `an integer from 0 to ${QUOTA_MAX}` })
  .min(0)
  .max(QUOTA_MAX)
  .describe('Searches a month. Only of the plan `enterprise`; the others have their own number');
export const accountInputSchema = z.strictObject({ name: nameSchema, plan, monthly_quota: quota.optional() });
export const accountChangeSchema = z.strictObject({
  name: nameSchema.optional(),
  plan: plan.optional(),
  monthly_quota: quota.optional(),
});
const environment = 'a name such as production: 1 to 32 of a-z, 0-9, - and _';
export const environmentInputSchema = z.strictObject({
  name: z.string({ error: environment }).regex(ENVIRONMENT_FORM, environment),
});

/** An account with what it has used of its quota. */
function shown({ services }: Call, account: Account) {
  const { used, cycle } = services.limits.quotaUsed(account);
  return {
    ...account,
    quota: {
      used,
      remaining: Math.max(0, account.monthly_quota - used),
      cycle_start: new Date(cycle.start).toISOString(),
      resets_at: new Date(cycle.end).toISOString(),
    },
  };
}

export const plans: Route = {
  method: 'GET',
  path: `${ADMIN}/plans`,
  endpoint: 'admin.plans',
  access,
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
  handle(call) {
    const { store } = adminOf(call);
    return answer({ accounts: store.accounts().map((account) => shown(call, account)) });
  },
};

export const createAccount: Route = {
  method: 'POST',
  path: `${ADMIN}/accounts`,
  endpoint: 'admin.accounts',
  access,
  async handle(call) {
    const { name, plan, monthly_quota: monthlyQuota } = await bodyOf(call, accountInputSchema);
    const { store } = adminOf(call);
    const made = await store.createAccount({
      name,
      plan,
      ...(monthlyQuota === undefined ? {} : { monthlyQuota }),
    });
    return answer(shown(call, made), 201);
  },
};

export const getAccount: Route = {
  method: 'GET',
  path: `${ADMIN}/accounts/{account}`,
  endpoint: 'admin.accounts',
  access,
  handle(call) {
    const { store } = adminOf(call);
    return answer(shown(call, store.account(call.parameters['account']!)));
  },
};

export const changeAccount: Route = {
  method: 'PATCH',
  path: `${ADMIN}/accounts/{account}`,
  endpoint: 'admin.accounts',
  access,
  async handle(call) {
    const { name, plan, monthly_quota: monthlyQuota } = await bodyOf(call, accountChangeSchema);
    const { store } = adminOf(call);
    const changed = await store.changeAccount(call.parameters['account']!, {
      ...(name === undefined ? {} : { name }),
      ...(plan === undefined ? {} : { plan }),
      ...(monthlyQuota === undefined ? {} : { monthlyQuota }),
    });
    return answer(shown(call, changed));
  },
};

export const addEnvironment: Route = {
  method: 'POST',
  path: `${ADMIN}/accounts/{account}/environments`,
  endpoint: 'admin.environments',
  access,
  async handle(call) {
    const { name } = await bodyOf(call, environmentInputSchema);
    const { store } = adminOf(call);
    const changed = await store.changeAccount(call.parameters['account']!, { addEnvironment: name });
    return answer(shown(call, changed), 201);
  },
};
