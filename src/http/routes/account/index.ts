import type { Route } from '../../route.js';
import {
  changeOwnPassword,
  createOwnKey,
  ownAccount,
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
  ownUsage,
  ownLogs,
  changeOwnPassword,
];
