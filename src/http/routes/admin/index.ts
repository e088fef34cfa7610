import type { Route } from '../../route.js';
import {
  addEnvironment,
  changeAccount,
  createAccount,
  deleteAccount,
  getAccount,
  listAccounts,
  plans,
} from './accounts/route.js';
import { listGrants, revokeGrant } from './grants/route.js';
import { createKey, getKey, keyLogs, listKeys, revokeKey, revokeKeys } from './keys/route.js';
import {
  allLogs,
  endSessions,
  healthFigures,
  ingestFailures,
  ingests,
  removePassword,
  renameKey,
  setPassword,
} from './operation/route.js';
import { maintenance, setMaintenance, usage } from './service/route.js';
import { login, logout, session } from './session/route.js';

/** The administration: all functions of the account commands, for pages and programs. */
export const ADMIN_ROUTES: readonly Route[] = [
  login,
  session,
  logout,
  plans,
  listAccounts,
  createAccount,
  getAccount,
  changeAccount,
  deleteAccount,
  addEnvironment,
  listKeys,
  createKey,
  getKey,
  revokeKey,
  revokeKeys,
  keyLogs,
  listGrants,
  revokeGrant,
  renameKey,
  setPassword,
  removePassword,
  endSessions,
  allLogs,
  ingests,
  ingestFailures,
  healthFigures,
  usage,
  maintenance,
  setMaintenance,
];
