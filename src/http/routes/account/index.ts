import type { Route } from '../../route.js';
import {
  changeOwnPassword,
  createOwnKey,
  endOwnGrant,
  ownAccount,
  ownGrants,
  ownKeys,
  ownLogs,
  ownUsage,
  renameOwnKey,
  revokeOwnKey,
} from './route.js';

/** What an account may see and change of itself, with its session. */
export const ACCOUNT_ROUTES: readonly Route[] = [
  ownAccount,
  ownKeys,
  createOwnKey,
  renameOwnKey,
  revokeOwnKey,
  ownGrants,
  endOwnGrant,
  ownUsage,
  ownLogs,
  changeOwnPassword,
];
