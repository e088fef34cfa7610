/** What the access store holds. Times are ISO 8601 in UTC. */
import { PLAN_QUOTA } from '../limits.js';

export const PLANS = ['free', 'basic', 'pro', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

export interface Account {
  id: string;
  name: string;
  plan: Plan;
  /** Searches a month: the plan's number, or an Enterprise account's own. */
  monthly_quota: number;
  /** Names of its environments: `production`, `development`, … */
  environments: string[];
  /** Billing cycles begin on the day of the month of this, in UTC. */
  created_at: string;
}

export interface ApiKey {
  /** Public name of the key, for logs and revocation; says nothing about the secret. */
  id: string;
  /** Id of the account. */
  account: string;
  /** Where the key is used: one of the account's environments. */
  environment: string;
  name: string;
  state: 'active' | 'deactivated';
  created_at: string;
  deactivated_at?: string;
}

/** Outcome of checking the X-API-Key header. */
export type Verification =
  | { ok: true; key: ApiKey; account: Account }
  | { ok: false; reason: 'missing' | 'unknown' }
  /** Which key it was that is good no more, for its log. */
  | { ok: false; reason: 'deactivated'; key: ApiKey };

/** Set while every call but health is to be answered 503. */
export interface Maintenance {
  since: string;
  /** What clients are told to wait, s. */
  retry_after: number;
}

/** Where the access store lies within a data folder. */
export const ACCESS_FOLDER = 'access';

/** A plan's quota; `own` is an Enterprise account's. */
export function quotaOfPlan(plan: Plan, own?: number): number {
  return plan === 'enterprise' ? (own ?? PLAN_QUOTA.enterprise) : PLAN_QUOTA[plan];
}
