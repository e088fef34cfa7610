/** A server over a folder, in this process, with calls over HTTP. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request as ask } from 'node:http';
import { join } from 'node:path';
import { AccessStore } from '../../../src/access/store.js';
import { contentOf } from '../../../src/drawings/files.js';
import { openDrawings } from '../../../src/drawings/open.js';
import { type Engine, serverPort } from '../../../src/engine.js';
import { startServer } from '../../../src/http/server.js';
import { DRAWING_LINK_SECONDS } from '../../../src/limits.js';
import { loadConfig } from '../../../src/load-config.js';
import { createLog } from '../../../src/observe/log.js';
import type { AccountSettings, Served } from './served-state.js';
import { figureFile, type Operation, POOL, patent } from './workload.js';

export interface Answer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  bytes: Buffer;
  /** The body if it is JSON, otherwise undefined. */
  json: unknown;
}

export interface Call {
  body?: object;
  /** Secret of the calling key. */
  key?: string;
  /** Id of the request. */
  id?: string;
}

export interface Running {
  /** A call without a key, or with one. */
  call(method: string, path: string, call?: Call): Promise<Answer>;
  /** A call of the administration; rejects if its answer has another status. */
  admin<T>(method: string, path: string, status: number, body?: object): Promise<T>;
  close(): Promise<void>;
}

/** Starts a server as `priorart serve` does, with an open engine. */
export async function serving(dir: string, engine: Engine): Promise<Running> {
  const folder = join(dir, 'access');
  await AccessStore.open(folder).close();
  const access = AccessStore.open(folder, { create: false });
  const config = {
    ...loadConfig({ env: {} }),
    ...{ data: dir, port: 0, rateLimit: 1_000_000, publicRateLimit: 1_000_000 },
    drawingLinkSeconds: DRAWING_LINK_SECONDS.max,
  };
  const drawings = await openDrawings(dir, config);
  const server = await startServer({
    engine: serverPort(engine),
    access,
    drawings,
    log: createLog('silent'),
    config,
  });
  const call = (method: string, path: string, { body, key, id }: Call = {}) =>
    calling(method, server.url + path, body, {
      'x-request-id': id ?? `harness-${randomUUID()}`,
      ...(key === undefined ? {} : { 'x-api-key': key }),
    });
  const secret = readFileSync(join(folder, 'admin-secret'), 'utf8').trim();
  return {
    call,
    async admin<T>(method: string, path: string, status: number, body?: object) {
      const headers = { authorization: `Bearer ${secret}` };
      const answer = await calling(method, `${server.url}/admin/api/v1${path}`, body, headers);
      if (answer.status !== status)
        throw new Error(`${method} ${path} of the administration: ${answer.status} ${answer.bytes}`);
      return answer.json as T;
    },
    async close() {
      await server.close();
      await access.close();
    },
  };
}

/** A call on a separate connection, so that no server waits for its end. */
function calling(
  method: string,
  url: string,
  body: object | undefined,
  headers: Record<string, string>,
): Promise<Answer> {
  return new Promise((done, fail) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const call = ask(url, { method, agent: false, headers: { ...headers, ...type } }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('error', fail);
      answer.on('end', () => {
        const bytes = Buffer.concat(parts);
        const isJson = (answer.headers['content-type'] ?? '').includes('json');
        const json: unknown = isJson ? JSON.parse(bytes.toString()) : undefined;
        done({ status: answer.statusCode!, headers: answer.headers, bytes, json });
      });
    });
    call.on('error', fail);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** An account as the administration shows it. */
export interface ShownAccount {
  id: string;
  name: string;
  monthly_quota: number;
  quota: { used: number };
}

/** A key with its secret. */
interface MadeKey {
  id: string;
  secret: string;
}

/** Concurrent searches. */
const AT_ONCE = 2;

type Serve = Extract<Operation, { kind: 'serve' }>;

/**
 * Administers a server, searches with its keys, and reports requests and answers.
 * @throws Error if an answer is wrong
 */
export async function serve(
  dir: string,
  engine: Engine,
  operation: Serve,
  say: (line: Served) => void,
): Promise<void> {
  const server = await serving(dir, engine);
  const session = new Session(server, say);
  const { quota, searches, revoked, readsLog } = operation;
  try {
    // A folder is served several times, and a name is used once.
    const first = { name: `Account of ${quota}, ${randomUUID()}`, quota };
    const account = await session.account(first);
    const [one, other] = [await session.key(account), await session.key(account)];
    await session.search([one, other], searches);
    await session.change(account, { name: `${first.name}, raised`, quota: quota + 2 });
    if (readsLog) await session.readLog(one);
    if (revoked) await session.revoke(other);
    await session.search([one], searches);
    await session.link(engine);
    await session.faultOfUse(account, quota + 2);
  } finally {
    await server.close();
  }
  say({ served: 'ended' });
}

class Session {
  readonly #server: Running;
  readonly #say: (line: Served) => void;
  #answered = 0;

  constructor(server: Running, say: (line: Served) => void) {
    this.#server = server;
    this.#say = say;
  }

  async account(settings: AccountSettings): Promise<string> {
    const body = { name: settings.name, plan: 'enterprise', monthly_quota: settings.quota };
    const { id } = await this.#server.admin<ShownAccount>('POST', '/accounts', 201, body);
    this.#say({ served: 'account', id, settings });
    await this.#server.admin('POST', `/accounts/${id}/environments`, 201, { name: 'live' });
    return id;
  }

  async change(id: string, settings: AccountSettings): Promise<void> {
    this.#say({ served: 'changing', id, settings });
    const body = { name: settings.name, monthly_quota: settings.quota };
    await this.#server.admin('PATCH', `/accounts/${id}`, 200, body);
    this.#say({ served: 'changed', id });
  }

  async key(account: string): Promise<MadeKey> {
    const body = { account, environment: 'live', name: 'harness' };
    const made = await this.#server.admin<MadeKey>('POST', '/keys', 201, body);
    this.#say({ served: 'key', id: made.id, account, secret: made.secret });
    return made;
  }

  async revoke({ id, secret }: MadeKey): Promise<void> {
    this.#say({ served: 'revoking', id });
    await this.#server.admin('POST', `/keys/${id}/revoke`, 200);
    this.#say({ served: 'revoked', id });
    const { status } = await this.#search({ id, secret });
    if (status !== 403) throw new Error(`a revoked key is answered ${status}, expected 403`);
  }

  async search(keys: readonly MadeKey[], count: number): Promise<void> {
    for (let n = 0; n < count; n += AT_ONCE) {
      const each = Array.from({ length: AT_ONCE }, (_, k) => keys[(n + k) % keys.length]!);
      for (const { status, bytes } of await Promise.all(each.map((key) => this.#search(key))))
        if (status !== 200 && status !== 429) throw new Error(`a search was answered ${status}: ${bytes}`);
    }
  }

  async #search({ id: key, secret }: MadeKey): Promise<Answer> {
    const request = `asked-${randomUUID()}`;
    this.#say({ served: 'asked', request, key });
    const body = { query: 'a valve with a housing', top_k: 3 };
    const answer = await this.#server.call('POST', '/api/v1/search/semantic', {
      body,
      key: secret,
      id: request,
    });
    this.#say({ served: 'answered', request, status: answer.status });
    if (answer.status === 200) this.#answered++;
    return answer;
  }

  async readLog({ id: key }: MadeKey): Promise<void> {
    const requests = (await logOf(this.#server, key)).map((line) => line.request_id);
    this.#say({ served: 'logged', key, requests });
  }

  /** Requests a link to the first drawing. */
  async link(engine: Engine): Promise<void> {
    const n = Array.from({ length: POOL }, (_, at) => at).find((at) => hasDrawing(engine, at));
    if (n === undefined) return;
    const asked = `/api/v1/drawings/${patent(n, 1).patent_id}/${shownFile(n)}`;
    const { status, headers } = await this.#server.call('GET', asked);
    if (status !== 302) throw new Error(`${asked} was answered ${status}`);
    const target = new URL(String(headers['location']), `http://server${asked}`);
    const path = target.pathname + target.search;
    const image = await this.#server.call('GET', path);
    if (image.status !== 200) throw new Error(`a link to a drawing was answered ${image.status}`);
    this.#say({ served: 'link', path, content: contentOf(image.bytes) });
  }

  /** After all answers, the used quota is the number of 200 answers. */
  async faultOfUse(account: string, quota: number): Promise<void> {
    const { quota: found } = await this.#server.admin<ShownAccount>('GET', `/accounts/${account}`, 200);
    if (found.used !== this.#answered || found.used > quota)
      throw new Error(
        `${found.used} searches are used of ${quota}, and ${this.#answered} were answered with 200`,
      );
  }
}

/** A drawing as its link names it. */
export function shownFile(n: number): string {
  return figureFile(n).replace(/\.png$/, '.webp');
}

function hasDrawing(engine: Engine, n: number): boolean {
  try {
    serverPort(engine).findDrawing(patent(n, 1).patent_id, shownFile(n));
    return true;
  } catch {
    return false;
  }
}

/** All lines of a key's log. */
export async function logOf(server: Running, key: string): Promise<{ request_id: string; status: number }[]> {
  interface Page {
    lines: { request_id: string; status: number }[];
    next?: string;
  }
  const lines: Page['lines'] = [];
  for (let cursor = ''; ; ) {
    const page = await server.admin<Page>('GET', `/keys/${key}/logs?limit=1000${cursor}`, 200);
    lines.push(...page.lines);
    if (page.next === undefined) return lines;
    cursor = `&cursor=${encodeURIComponent(page.next)}`;
  }
}
