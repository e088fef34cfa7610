/** A client that writes raw bytes to a socket and returns the replies. */
import { Agent, request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';

/** Time-out of a test on a busy machine, ms. */
const PATIENCE_MS = 60_000;

export interface RawReply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export class RawClient {
  readonly socket: Socket;
  #bytes: Buffer = Buffer.alloc(0);
  /** Received data, and the size that the next answer needs, so that parts are joined only once. */
  #fresh: Buffer[] = [];
  #freshBytes = 0;
  #needed = 0;
  closed = false;
  #changed: (() => void) | undefined;

  /** @param ca certificate of the server's authority; the client then uses TLS */
  constructor(port: number, ca?: string) {
    const host = '127.0.0.1';
    this.socket = ca === undefined ? connect(port, host) : connectSecurely({ port, host, ca });
    this.socket.setNoDelay(true);
    this.socket.on('data', (chunk) => {
      this.#fresh.push(chunk);
      this.#freshBytes += chunk.length;
      this.#changed?.();
    });
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.closed = true;
      this.#changed?.();
    });
  }

  write(text: string | Buffer): this {
    this.socket.write(text);
    return this;
  }

  /** Received data that no reply contains. */
  get rest(): string {
    this.#gather();
    return this.#bytes.toString();
  }

  #gather(): void {
    this.#bytes = Buffer.concat([this.#bytes, ...this.#fresh]);
    this.#fresh = [];
    this.#freshBytes = 0;
  }

  /** The next complete answer, without informational ones; undefined if the connection ended before. */
  async reply(options: { ms?: number; head?: boolean } = {}): Promise<RawReply | undefined> {
    const until = Date.now() + (options.ms ?? PATIENCE_MS);
    for (;;) {
      const reply = this.#take(options.head ?? false);
      if (reply && reply.status >= 200) return reply;
      if (reply) continue;
      if (this.closed) return undefined;
      await this.#wait(until, 'no complete answer');
    }
  }

  async whenClosed(ms = PATIENCE_MS): Promise<void> {
    const until = Date.now() + ms;
    while (!this.closed) await this.#wait(until, 'the connection was not closed');
  }

  destroy(): void {
    this.socket.destroy();
  }

  async #wait(until: number, otherwise: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${otherwise} in time; got ${JSON.stringify(this.rest.slice(0, 300))}`)),
        until - Date.now(),
      );
      this.#changed = () => {
        clearTimeout(timer);
        this.#changed = undefined;
        resolve();
      };
    });
  }

  #take(isHead: boolean): RawReply | undefined {
    if (this.#bytes.length + this.#freshBytes < this.#needed) return undefined;
    this.#gather();
    const end = this.#bytes.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const [first, ...lines] = this.#bytes.toString('latin1', 0, end).split('\r\n');
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const colon = line.indexOf(':');
      headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
    }
    const status = Number(first!.split(' ')[1]);
    const length = isHead || status === 204 || status === 304 ? 0 : Number(headers['content-length'] ?? 0);
    const bodyAt = end + 4;
    this.#needed = bodyAt + length;
    if (this.#bytes.length < this.#needed) return undefined;
    this.#needed = 0;
    const body = this.#bytes.toString('utf8', bodyAt, bodyAt + length);
    this.#bytes = this.#bytes.subarray(bodyAt + length);
    return { status, headers, body };
  }
}

/** A POST with a body, as text. */
export function post(path: string, body: string, headers: Record<string, string> = {}): string {
  const all = { Host: 'test', 'Content-Length': String(Buffer.byteLength(body)), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

export function get(path: string, method = 'GET'): string {
  return `${method} ${path} HTTP/1.1\r\nHost: test\r\n\r\n`;
}

/** Connects over TLS to a server with this certificate; throws if it has another one. */
export async function secure(
  port: number,
  ca: string,
): Promise<{ ask(path: string): Promise<string>; end(): void }> {
  const agent = new Agent({ ca, keepAlive: true, maxSockets: 1 });
  const ask = (path: string) =>
    new Promise<string>((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path, agent }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        answer.on('end', () => resolve(text));
      });
      sent.on('error', reject);
      sent.end();
    });
  try {
    await ask('/now?hello');
  } catch (error) {
    agent.destroy();
    throw error;
  }
  return { ask, end: () => agent.destroy() };
}
