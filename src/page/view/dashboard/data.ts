/** What the dashboard reads and changes. An account and an operator have the same views, by other paths. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { LogLine as StoredLine, UsageRow } from '../../../access/log-records.js';
import type { ApiKey, Account as StoredAccount } from '../../../access/records.js';
import { type ApiError, call, failureOf } from '../api.js';

export type { UsageRow };
export type Key = ApiKey & { last_used_at?: string };
export type Account = StoredAccount & { has_password: boolean; quota: { used: number; resets_at: string } };
/** The access that an account gave to a client of MCP. */
export interface Grant {
  id: string;
  account: string;
  client_id: string;
  client_name: string;
  created_at: string;
  last_used_at?: string;
}
/** A line of the log of all keys. */
export type LogLine = StoredLine & { key: string };

/** Who is signed in. The server decides what the calls may do. */
export type Role = 'account' | 'operator';

const base = (role: Role) => (role === 'operator' ? 'admin/api/v1' : 'account');

/** A query string of the fields that are set. */
export function queryOf(fields: Readonly<Record<string, string | undefined>>): string {
  const set = Object.entries(fields).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return set.length === 0 ? '' : `?${new URLSearchParams(set)}`;
}

export const get = <T>(role: Role, path: string) => call<T>('GET', `${base(role)}${path}`);
export const change = <T>(role: Role, method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
  call<T>(method, `${base(role)}${path}`, body === undefined ? {} : { body });

/** All accounts of an operator, or the account itself. */
export async function accountsOf(role: Role): Promise<Account[]> {
  if (role === 'account') return [await get<Account>(role, '')];
  return (await get<{ accounts: Account[] }>(role, '/accounts')).accounts;
}

/** Keys of an account, or of all. */
export async function keysOf(role: Role): Promise<Key[]> {
  return (await get<{ keys: Key[] }>(role, '/keys')).keys;
}

/** Calls by day, key and endpoint. @param fields `from`, `to`, `key` */
export async function usageOf(role: Role, fields: Parameters<typeof queryOf>[0]): Promise<UsageRow[]> {
  return (await get<{ usage: UsageRow[] }>(role, `/usage${queryOf(fields)}`)).usage;
}

const DAY_MS = 86_400_000;

/** The last days up to today (UTC), as `2026-02-20`, the oldest first. */
export function lastDays(count: number): string[] {
  const now = Date.now();
  return Array.from({ length: count }, (_, at) =>
    new Date(now - (count - 1 - at) * DAY_MS).toISOString().slice(0, 10),
  );
}

export type Loaded<T> = { data: T | undefined; error: ApiError | undefined; reload(): void };

/** Loads data when the view opens, and again when a dependency changes. */
export function useData<T>(load: () => Promise<T>, dependencies: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<Pick<Loaded<T>, 'data' | 'error'>>({
    data: undefined,
    error: undefined,
  });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    load().then(
      (data) => isCurrent && setState({ data, error: undefined }),
      (error: unknown) => isCurrent && setState((before) => ({ ...before, error: failureOf(error) })),
    );
    return () => {
      isCurrent = false;
    };
  }, [turn, ...dependencies]);
  return { ...state, reload: useCallback(() => setTurn((before) => before + 1), []) };
}
