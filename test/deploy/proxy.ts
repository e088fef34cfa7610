/** A service behind a real nginx or HAProxy. `.ci/run` installs both if possible; tests are skipped without them. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request as requestPlainly } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignedDrawings } from '../../src/drawings/signed.js';
import type { ServerParts } from '../../src/http/server.js';
import { Metrics } from '../../src/observe/metrics.js';
import type { AdapterName } from '../adapters.js';
import { Service } from '../api/service.js';
import { A } from '../http/certificates.js';
import { freePort } from '../http/free-port.js';
import { RawClient } from '../http/raw.js';
import { until } from '../until.js';

/** Debian's folders for system programs that may be missing in PATH. */
const PATH = `${process.env['PATH']}:/usr/sbin:/sbin`;
/** Longer than any test, so that only the tested cause ends a search. */
const DEADLINE_MS = 3_600_000;
const LARGE_DRAWING_BYTES = 5_000_000;

/** Reason why a test that needs the program cannot run, or false if it can. */
export function missingProgram(name: string): string | false {
  const { status } = spawnSync('sh', ['-c', `command -v ${name}`], { env: { ...process.env, PATH } });
  return status === 0 ? false : `no ${name} in PATH; .ci/run installs it if it can use apt-get as root`;
}

/** How to start a proxy: its files in a folder of its own, then this command. */
export interface ProxyProgram {
  name: 'nginx' | 'haproxy';
  /** @param config the text of its configuration, in which `folder` stands for the folder of its files */
  command(config: string, folder: string): string[];
}

export interface Received {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** The client's address in 127.0.0.0/8. */
  from?: string;
}

/** Replaces one part of a text. The part must exist. */
export function changed(text: string, ...changes: readonly [from: string, to: string][]): string {
  return changes.reduce((before, [from, to]) => {
    assert.ok(before.includes(from), `the configuration contains ${from}`);
    return before.replaceAll(from, to);
  }, text);
}

export class ProxiedService {
  readonly service: Service;
  readonly metrics: Metrics;
  readonly port: number;
  readonly isSecure: boolean;
  /** The path of a drawing after the redirect, its bytes and its publication's path. */
  readonly drawing: { path: string; bytes: Buffer };
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #clients: RawClient[] = [];

  private constructor(made: {
    service: Service;
    metrics: Metrics;
    port: number;
    isSecure: boolean;
    child: ChildProcess;
    folder: string;
    drawing: { path: string; bytes: Buffer };
  }) {
    this.service = made.service;
    this.metrics = made.metrics;
    this.port = made.port;
    this.isSecure = made.isSecure;
    this.#child = made.child;
    this.#folder = made.folder;
    this.drawing = made.drawing;
  }

  /**
   * @param config the proxy's configuration for these ports and a folder that holds chain.pem, key.pem and site.pem
   * @throws Error with the proxy's output if it does not start
   */
  static async start(
    program: ProxyProgram,
    adapter: AdapterName,
    config: (ports: { own: number; server: number; folder: string }) => string,
    options: { isSecure?: boolean; settings?: Partial<ServerParts['config']> } = {},
  ): Promise<ProxiedService> {
    const { isSecure = true, settings = {} } = options;
    const folder = mkdtempSync(join(tmpdir(), `priorart-${program.name}-`));
    writeFileSync(join(folder, 'chain.pem'), A.cert);
    writeFileSync(join(folder, 'key.pem'), A.key);
    writeFileSync(join(folder, 'site.pem'), A.cert + A.key);
    const drawings = new SignedDrawings(folder, 'a secret of this test');
    const bytes = Buffer.alloc(LARGE_DRAWING_BYTES, createHash('sha512').update('drawing').digest());
    const content = await drawings.put(bytes);
    const metrics = new Metrics();
    const service = await Service.start(adapter, DEADLINE_MS, { drawings, metrics }, settings);
    service.engine.drawings.set('US1/a.webp', content);
    const own = await freePort();
    const [name, ...args] = program.command(config({ own, server: service.server.port, folder }), folder);
    const child = spawn(name!, args, { env: { ...process.env, PATH }, stdio: ['ignore', 'ignore', 'pipe'] });
    let printed = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text));
    const drawing = { path: '/api/v1/drawings/US1/a.webp', bytes };
    const started = new ProxiedService({ service, metrics, port: own, isSecure, child, folder, drawing });
    try {
      await until(async () => {
        if (child.exitCode !== null) throw new Error(`${program.name} ended: ${printed}`);
        return accepts(own);
      }, `${program.name} listens; it printed ${printed}`);
    } catch (error) {
      await started.stop();
      throw error;
    }
    return started;
  }

  /** Sends one request over a separate connection. */
  ask(path: string, { method = 'GET', headers = {}, body, from }: Sent = {}): Promise<Received> {
    const options = {
      host: '127.0.0.1',
      port: this.port,
      path,
      method,
      headers: { ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }), ...headers },
      agent: false as const,
      ca: A.cert,
      ...(from === undefined ? {} : { localAddress: from }),
    };
    return new Promise((resolve, reject) => {
      const sent = (this.isSecure ? requestSecurely : requestPlainly)(options, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({ status: answer.statusCode!, headers: answer.headers, body: Buffer.concat(parts) }),
        );
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** A POST of JSON with the service's key. */
  post(path: string, body: unknown, sent: Sent = {}): Promise<Received> {
    const headers = { 'x-api-key': this.service.key, 'content-type': 'application/json', ...sent.headers };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return this.ask(path, { method: 'POST', body: text, ...sent, headers });
  }

  /** A connection to the proxy. */
  client(): RawClient {
    const made = new RawClient(this.port, this.isSecure ? A.cert : undefined);
    this.#clients.push(made);
    return made;
  }

  /** Clients in the server's log of requests to an endpoint. */
  clientsOf(endpoint: string): string[] {
    return this.service.logLines
      .map((line) => JSON.parse(line) as { endpoint?: string; client?: string })
      .flatMap((line) => (line.endpoint === endpoint && line.client !== undefined ? [line.client] : []));
  }

  /** Number of open connections of the server. */
  async connections(): Promise<number> {
    const found = /^http_server_open_connections (\d+)$/m.exec(await this.metrics.text());
    return Number(found?.[1]);
  }

  async stop(): Promise<void> {
    for (const made of this.#clients) made.destroy();
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      await ended;
    }
    await this.service.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

export function jsonOf({ body }: Received): Record<string, unknown> {
  return JSON.parse(body.toString()) as Record<string, unknown>;
}
