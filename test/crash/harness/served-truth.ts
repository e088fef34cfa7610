/** Compares accounts, keys, quotas, logs and links with a server's answers. */
import { contentOf } from '../../../src/drawings/files.js';
import type { Engine } from '../../../src/engine.js';
import { logOf, type Running, type ShownAccount, serving } from './served.js';
import type { Access, AccountKnown, KeyKnown } from './served-state.js';

/** What ended the process. A power cut may lose more than a kill. */
export type Loss = 'kill' | 'power cut';

/** Prefix of the request ids of the judge's own calls. */
const JUDGES = 'judge-';

/** Returns the fault, or the state that is known after the check. */
export async function judgeAccess(
  dir: string,
  engine: Engine,
  access: Access,
  loss: Loss,
): Promise<{ fault: string } | { access: Access }> {
  const server = await serving(dir, engine);
  try {
    const accounts = await judgeAccounts(server, access, loss);
    if ('fault' in accounts) return accounts;
    const fault = await faultOfLogs(server, access);
    if (fault) return { fault };
    const keys = await judgeKeys(server, access);
    if ('fault' in keys) return keys;
    const dead = await faultOfLinks(server, access);
    if (dead) return { fault: dead };
    return { access: { ...access, accounts: accounts.found, keys: keys.found } };
  } finally {
    await server.close();
  }
}

async function judgeAccounts(
  server: Running,
  { accounts }: Access,
  loss: Loss,
): Promise<{ fault: string } | { found: Map<string, AccountKnown> }> {
  const { accounts: all } = await server.admin<{ accounts: ShownAccount[] }>('GET', '/accounts', 200);
  const shown = new Map(all.map((account) => [account.id, account]));
  const found = new Map<string, AccountKnown>();
  for (const [id, known] of accounts) {
    const is = shown.get(id);
    if (!is) return { fault: `account ${id} is lost` };
    const settings = known.settings.find(({ name, quota }) => name === is.name && quota === is.monthly_quota);
    if (!settings) {
      const possible = known.settings.map(({ name, quota }) => `"${name}" with ${quota}`).join(' or ');
      return { fault: `account ${id} is "${is.name}" with ${is.monthly_quota}; expected ${possible}` };
    }
    const { used } = is.quota;
    const least = loss === 'kill' ? known.answered : known.kept;
    const most = Math.min(known.most, known.answered + known.open);
    if (used < least || used > most)
      return { fault: `account ${id} has used ${used} searches; expected ${least} to ${most}` };
    found.set(id, {
      settings: [settings],
      most: known.most,
      ...{ answered: used, open: 0, kept: used },
    });
  }
  return { found };
}

async function faultOfLogs(server: Running, { keys, requests }: Access): Promise<string | undefined> {
  interface Usage {
    usage: { requests: number }[];
  }
  for (const [id, { secret }] of keys) {
    if (secret === undefined) continue;
    const lines = await logOf(server, id);
    const ids = new Set(lines.map((line) => line.request_id));
    if (ids.size < lines.length) return `a request occurs twice in the log of ${id}`;
    for (const { request_id: request, status } of lines) {
      if (request.startsWith(JUDGES)) continue;
      const known = requests.get(request);
      if (known?.key !== id) return `the log of ${id} has request ${request}, which no client sent`;
      if (known.status !== undefined && known.status !== status)
        return `request ${request} was answered ${known.status}; the log says ${status}`;
    }
    for (const [request, known] of requests)
      if (known.key === id && known.logged && !ids.has(request))
        return `request ${request} was in the log of ${id}, but is missing now`;
    const { usage } = await server.admin<Usage>('GET', `/usage?from=2000-01-01&to=2100-01-01&key=${id}`, 200);
    const counted = usage.reduce((sum, row) => sum + row.requests, 0);
    if (counted !== lines.length) return `${counted} calls of ${id} are counted, ${lines.length} are logged`;
  }
  return undefined;
}

let calls = 0;

async function judgeKeys(
  server: Running,
  { keys }: Access,
): Promise<{ fault: string } | { found: Map<string, KeyKnown> }> {
  const { keys: all } = await server.admin<{ keys: { id: string; state: 'active' | 'deactivated' }[] }>(
    'GET',
    '/keys',
    200,
  );
  const shown = new Map(all.map(({ id, state }) => [id, state]));
  const found = new Map<string, KeyKnown>();
  for (const [id, known] of keys) {
    const state = shown.get(id);
    if (state === undefined || !known.states.includes(state))
      return { fault: `key ${id} is ${state ?? 'lost'}; expected ${known.states.join(' or ')}` };
    found.set(id, { ...known, states: [state] });
    if (known.secret === undefined) continue;
    const { status } = await server.call('POST', '/api/v1/patents/details', {
      body: { patent_ids: ['KR1020200000001A'] },
      key: known.secret,
      id: `${JUDGES}${process.pid}-${Date.now()}-${calls++}`,
    });
    const expected = state === 'active' ? 200 : 403;
    if (status !== expected)
      return { fault: `a call with key ${id}, which is ${state}, is answered ${status}` };
  }
  return { found };
}

/** Links still work after a restart of the server. */
async function faultOfLinks(server: Running, { links }: Access): Promise<string | undefined> {
  for (const { path, content } of links.slice(-2)) {
    const { status, bytes } = await server.call('GET', path);
    if (status !== 200) return `a valid link to a drawing is answered ${status}`;
    if (contentOf(bytes) !== content) return 'a link to a drawing returns another image';
  }
  return undefined;
}
