/** What the dashboard reads and changes. An account and an operator have the same views, by other paths. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
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

/** Account of the address, whose keys or calls an operator wants to see. An account sees its own, whatever the address says. */
export function chosenAccount(role: Role, parameters: URLSearchParams): string | undefined {
  return (role === 'operator' && parameters.get('account')) || undefined;
}

const base = (role: Role) => (role === 'operator' ? 'admin/api/v1' : 'account');

/** A query string of the fields that are set. */
export function queryOf(fields: Readonly<Record<string, string | undefined>>): string {
  const set = Object.entries(fields).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return set.length === 0 ? '' : `?${new URLSearchParams(set)}`;
}

/** How long a read may take, ms. A server that does not answer any more is shown as such. */
const READ_MS = 20_000;

/** Reads what a view shows. @param path as of `call`. @throws ApiError */
export const read = <T>(path: string) => call<T>('GET', path, { signal: AbortSignal.timeout(READ_MS) });
export const get = <T>(role: Role, path: string) => read<T>(`${base(role)}${path}`);
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

export interface Loaded<T> {
  /** The latest that was read; undefined before the first. */
  data: T | undefined;
  error: ApiError | undefined;
  /** Reads again. A read that still runs is dropped: it may have begun before a change. */
  reload(): void;
  /** Reads again, unless a read still runs: a timer that dropped a slow read would never see its end. */
  refresh(): void;
}

/** Loads data when the view opens, and again when a dependency changes. */
export function useData<T>(load: () => Promise<T>, dependencies: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<Pick<Loaded<T>, 'data' | 'error'>>({
    data: undefined,
    error: undefined,
  });
  const [turn, setTurn] = useState(0);
  const isReading = useRef(false);
  useEffect(() => {
    let isCurrent = true;
    const ends = (
      change: (before: Pick<Loaded<T>, 'data' | 'error'>) => Pick<Loaded<T>, 'data' | 'error'>,
    ) => {
      if (!isCurrent) return;
      isReading.current = false;
      setState(change);
    };
    isReading.current = true;
    load().then(
      (data) => ends(() => ({ data, error: undefined })),
      (error: unknown) => ends((before) => ({ ...before, error: failureOf(error) })),
    );
    return () => {
      isCurrent = false;
    };
  }, [turn, ...dependencies]);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  const refresh = useCallback(() => {
    if (!isReading.current) reload();
  }, []);
  return { ...state, reload, refresh };
}
