/**
 * Rules for names and values of accounts, environments and keys. Each function throws a PriorartError `usage`
 * or `not_found`.
 */
import { PriorartError } from '../errors.js';
import { ACCESS_NAME_MAX_CHARS, ENVIRONMENTS_MAX, QUOTA_MAX } from '../limits.js';
import { type Account, type AccountPlan, PLANS, quotaOfPlan } from './records.js';

/** Valid names of environments. */
export const ENVIRONMENT_FORM = /^[a-z0-9][a-z0-9_-]{0,31}$/;

export function known<T>(found: T | undefined, what: 'account' | 'grant' | 'key', id: string): T {
  if (found !== undefined) return found;
  const message = `${what}: there is no ${what} ${JSON.stringify(id)}`;
  throw new PriorartError('not_found', message, {
    inCommand: `${message}; \`priorart ${what}s\` lists them`,
  });
}

export function checkName(what: string, name: string): void {
  const { length } = [...name];
  if (name.trim() !== '' && length <= ACCESS_NAME_MAX_CHARS) return;
  throw new PriorartError(
    'usage',
    `${what}: got ${length} characters; expected 1 to ${ACCESS_NAME_MAX_CHARS}`,
  );
}

export function checkInteger(what: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new PriorartError('usage', `${what}: got ${value}; expected an integer from ${min} to ${max}`);
}

export function checkedQuota(plan: AccountPlan, own: number | undefined): number {
  if (!PLANS.includes(plan)) {
    throw new PriorartError(
      'usage',
      `plan: got ${JSON.stringify(plan)}; expected one of ${PLANS.join(', ')}`,
    );
  }
  if (own !== undefined) {
    if (plan !== 'enterprise')
      throw new PriorartError('usage', `monthly_quota is for the plan enterprise; ${plan} has its own`);
    checkInteger('monthly_quota', own, 0, QUOTA_MAX);
  }
  return quotaOfPlan(plan, own);
}

export function checkEnvironment(environment: string): void {
  if (ENVIRONMENT_FORM.test(environment)) return;
  throw new PriorartError(
    'usage',
    `environment: got ${JSON.stringify(environment)}; expected a name such as production: 1 to 32 of a-z, 0-9, - and _`,
  );
}

/** The account with the environment added; unchanged if the account has the environment. */
export function withEnvironment(account: Account, environment: string): Account {
  checkEnvironment(environment);
  if (account.environments.includes(environment)) return account;
  if (account.environments.length >= ENVIRONMENTS_MAX) {
    throw new PriorartError('usage', `environment: an account has at most ${ENVIRONMENTS_MAX} of them`);
  }
  return { ...account, environments: [...account.environments, environment].sort() };
}
