/** Server processes on one access store, and their clients. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AccountPlan } from '../../src/access/records.js';
import { AccessStore } from '../../src/access/store.js';
import { ADAPTERS, type AdapterName } from '../adapters.js';

export interface ServerProcess {
  url: string;
  /** The output of the log. */
  output(): string;
  /** Ends the process. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Sends a signal that does not end the process. */
  signal(signal: NodeJS.Signals): void;
}

export async function serverProcess(
  dir: string,
  options: { adapter?: AdapterName; rateLimit?: number; queries?: 'on' | 'off' } = {},
): Promise<ServerProcess> {
  const { adapter = ADAPTERS.at(-1)!, rateLimit = 1_000_000, queries = 'off' } = options;
  const script = fileURLToPath(new URL('./server-process.js', import.meta.url));
  const child: ChildProcess = fork(script, [dir, adapter, String(rateLimit), queries], { silent: true });
  let text = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (more: string) => (text += more));
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the server ended: ${text}`);
  });
  ended.catch(() => {});
  const [{ url }] = (await Promise.race([once(child, 'message'), ended])) as [{ url: string }];
  return {
    url,
    output: () => text,
    signal: (signal) => void child.kill(signal),
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      await once(child, 'exit');
    },
  };
}

/** An account with one key in its own store. */
export async function accountWithKey(plan: AccountPlan, monthlyQuota?: number) {
  const folder = mkdtempSync(join(tmpdir(), 'priorart-servers-'));
  const dir = join(folder, 'access');
  const store = AccessStore.open(dir);
  const account = await store.createAccount({
    name: 'Example',
    plan,
    ...(monthlyQuota === undefined ? {} : { monthlyQuota }),
  });
  const key = await store.createKey({ account: account.id, environment: 'production', name: 'first' });
  const remove = async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { dir, store, account, key, remove };
}

/** Sends a search. Connection errors reach the caller. */
export async function search(
  url: string,
  secret: string,
  query = 'a question',
  requestId?: string,
): Promise<Response> {
  const headers: Record<string, string> = { 'x-api-key': secret, 'content-type': 'application/json' };
  if (requestId !== undefined) headers['x-request-id'] = requestId;
  const response = await fetch(`${url}/api/v1/search/semantic`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
  });
  await response.arrayBuffer();
  return response;
}

/** `r` and `t` of a policy in the RateLimit header. */
export function limitOf(response: Response, policy: 'minute' | 'month'): { r: number; t: number } {
  const text = response.headers.get('ratelimit') ?? '';
  const [, r, t] = new RegExp(`"${policy}";r=(\\d+);t=(\\d+)`).exec(text) ?? [];
  return { r: Number(r), t: Number(t) };
}

/** Names of the files below a folder that contain any of the texts. */
export function filesHolding(dir: string, texts: readonly string[]): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      const bytes = readFileSync(file);
      return texts.some((text) => bytes.includes(text));
    });
}
