/** Records of the access store. Times are ISO 8601 in UTC. */
import { PLAN_QUOTA } from '../limits.js';

export const PLANS = ['free', 'basic', 'pro', 'enterprise'] as const;
export type AccountPlan = (typeof PLANS)[number];

export interface Account {
  id: string;
  name: string;
  plan: AccountPlan;
  /** Searches per month: the number of the plan, or the own number of an Enterprise account. */
  monthly_quota: number;
  /** Names of the account's environments: `production`, `development`, … */
  environments: string[];
  /** Creation time. Billing cycles begin on this day of the month, in UTC. */
  created_at: string;
}

export interface ApiKey {
  /** Public name of the key, for logs and revocation. It reveals nothing about the secret. */
  id: string;
  /** Id of the account. */
  account: string;
  /** One of the environments of the account. */
  environment: string;
  name: string;
  /** The first characters of the secret; absent for keys of earlier versions, and of the page. */
  prefix?: string;
  state: 'active' | 'deactivated';
  created_at: string;
  deactivated_at?: string;
}

/** Result of the check of the X-API-Key header. */
export type Verification =
  | { ok: true; key: ApiKey; account: Account }
  | { ok: false; reason: 'missing' | 'unknown' }
  /** The deactivated key, for its log. */
  | { ok: false; reason: 'deactivated'; key: ApiKey };

/** Present while all calls except health, administration and the files of the web page are answered 503. */
export interface Maintenance {
  since: string;
  /** The Retry-After that clients receive, s. */
  retry_after: number;
}

/** The environment of the key that an account's sessions on the page use. */
export const PAGE_ENVIRONMENT = 'page';

/** Id of that key. No client knows a secret for it. */
export function pageKeyOf(accountId: string): string {
  return accountId.replace(/^acc_/, 'page_');
}

export function isPageKey(keyId: string): boolean {
  return keyId.startsWith('page_');
}

/** Folder of the access store in a data folder. */
export const ACCESS_FOLDER = 'access';

/** The quota of a plan; `own` is the quota of an Enterprise account. */
export function quotaOfPlan(plan: AccountPlan, own?: number): number {
  return plan === 'enterprise' ? (own ?? PLAN_QUOTA.enterprise) : PLAN_QUOTA[plan];
}
