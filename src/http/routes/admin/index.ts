import type { Route } from '../../route.js';
import { addEnvironment, changeAccount, createAccount, getAccount, listAccounts, plans } from './accounts.js';
import { createKey, getKey, keyLogs, listKeys, revokeKey } from './keys.js';
import { maintenance, setMaintenance, usage } from './operation.js';
import { login, logout, session } from './session.js';

/** The administration: everything that the commands about accounts can do, for pages and programs. */
export const ADMIN_ROUTES: readonly Route[] = [
  login,
  session,
  logout,
  plans,
  listAccounts,
  createAccount,
  getAccount,
  changeAccount,
  addEnvironment,
  listKeys,
  createKey,
  getKey,
  revokeKey,
  keyLogs,
  usage,
  maintenance,
  setMaintenance,
];
