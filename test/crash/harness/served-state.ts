/** The known state of accounts, keys, quotas and the log of requests, from a server's answers. */

type KeyState = 'active' | 'deactivated';

export interface AccountSettings {
  name: string;
  quota: number;
}

/**
 * A process's messages about its server. It reports a change before the request and again after the answer. A change
 * without an answer may have happened or not.
 */
export type Served =
  | { served: 'account'; id: string; settings: AccountSettings }
  | { served: 'changing'; id: string; settings: AccountSettings }
  | { served: 'changed'; id: string }
  | { served: 'key'; id: string; account?: string; secret?: string }
  | { served: 'revoking'; id: string }
  | { served: 'revoked'; id: string }
  | { served: 'asked'; request: string; key: string }
  | { served: 'answered'; request: string; status: number }
  /** Lines shown in the log of a key. */
  | { served: 'logged'; key: string; requests: string[] }
  /** A link to a drawing that a client received. */
  | { served: 'link'; path: string; content: string }
  /** The server ended in order. */
  | { served: 'ended' };

export interface AccountKnown {
  /** The known value first, then possible later values. */
  settings: readonly AccountSettings[];
  /** The highest quota that the account may have had. */
  most: number;
  /** Searches answered 200. */
  answered: number;
  /** Searches without an answer. */
  open: number;
  /** Number of answered searches whose count survives a power cut. */
  kept: number;
}

export interface KeyKnown {
  account?: string;
  secret?: string;
  /** The known value first, then possible later values. */
  states: readonly KeyState[];
}

export interface RequestKnown {
  key: string;
  /** Absent before the answer. */
  status?: number;
  /** Whether its line was seen in the log. */
  logged: boolean;
}

export interface Access {
  accounts: ReadonlyMap<string, AccountKnown>;
  keys: ReadonlyMap<string, KeyKnown>;
  requests: ReadonlyMap<string, RequestKnown>;
  links: readonly { path: string; content: string }[];
}

export const NOBODY: Access = { accounts: new Map(), keys: new Map(), requests: new Map(), links: [] };

/** The known state after a message of the process. */
export function afterSaid(before: Access, said: Served): Access {
  const accounts = new Map(before.accounts);
  const keys = new Map(before.keys);
  const requests = new Map(before.requests);
  let { links } = before;
  const changeAccount = (
    id: string | undefined,
    change: (account: AccountKnown) => Partial<AccountKnown>,
  ) => {
    const account = id === undefined ? undefined : accounts.get(id);
    if (account) accounts.set(id!, { ...account, ...change(account) });
  };
  const ofKey = (key: string) => keys.get(key)?.account;
  switch (said.served) {
    case 'account':
      accounts.set(said.id, {
        settings: [said.settings],
        most: said.settings.quota,
        answered: 0,
        open: 0,
        kept: 0,
      });
      break;
    case 'changing':
      changeAccount(said.id, ({ settings, most }) => ({
        settings: [...settings, said.settings],
        most: Math.max(most, said.settings.quota),
      }));
      break;
    case 'changed':
      changeAccount(said.id, ({ settings }) => ({ settings: settings.slice(-1) }));
      break;
    case 'key':
      keys.set(said.id, {
        states: ['active'],
        ...(said.account === undefined ? {} : { account: said.account }),
        ...(said.secret === undefined ? {} : { secret: said.secret }),
      });
      break;
    case 'revoking':
      keys.set(said.id, { ...keys.get(said.id), states: ['active', 'deactivated'] });
      break;
    case 'revoked':
      keys.set(said.id, { ...keys.get(said.id), states: ['deactivated'] });
      break;
    case 'asked':
      requests.set(said.request, { key: said.key, logged: false });
      changeAccount(ofKey(said.key), ({ open }) => ({ open: open + 1 }));
      break;
    case 'answered': {
      const request = requests.get(said.request)!;
      requests.set(said.request, { ...request, status: said.status });
      changeAccount(ofKey(request.key), ({ open, answered }) => ({
        open: open - 1,
        answered: answered + (said.status === 200 ? 1 : 0),
      }));
      break;
    }
    case 'logged':
      for (const id of said.requests) {
        const request = requests.get(id);
        if (request) requests.set(id, { ...request, logged: true });
      }
      break;
    case 'link':
      links = [...links, { path: said.path, content: said.content }];
      break;
    case 'ended':
      for (const id of accounts.keys()) changeAccount(id, ({ answered }) => ({ kept: answered }));
      break;
  }
  return { accounts, keys, requests, links };
}
