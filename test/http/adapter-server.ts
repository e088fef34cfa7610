/** A server on either adapter with a test handler, and helpers for the tests of adapters. */
import assert from 'node:assert/strict';
import { afterEach, describe } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isPriorartError } from '../../src/errors.js';
import type {
  AdapterOptions,
  BodySource,
  HttpAdapter,
  HttpReply,
  HttpRequest,
  Refusal,
} from '../../src/http/adapters/adapter.js';
import { ADAPTERS, type AdapterName, CREATE } from '../adapters.js';
import { get, RawClient, type RawReply } from './raw.js';

export const MAX = 10_000;
export const DRAIN = 200_000;
const TIMEOUT = 30_000;
const WRITE_TIMEOUT = 30_000;

/** Requests and effects of the handler. */
export interface Seen {
  requests: HttpRequest[];
  errors: unknown[];
  aborted: string[];
  refused: Refusal[];
  sources: TestSource[];
  /** Bodies of answers that own their bytes. */
  owned: Uint8Array[];
}

export function text(body: HttpReply['body'], status = 200, headers: Record<string, string> = {}): HttpReply {
  return { status, headers: { 'content-type': 'text/plain', ...headers }, body };
}

/** The byte at a position of a source: a letter, so that clients can read it as text. */
const byteAt = (place: number): number => 0x61 + ((place * 7 + (place >> 8)) % 26);

/** The bytes of a range. */
export function bytesOf(from: number, to: number): Buffer {
  const bytes = Buffer.allocUnsafe(to - from);
  for (let i = from; i < to; i++) bytes[i - from] = byteAt(i);
  return bytes;
}

/** A generated body of any size; it can fail at a given position. */
export class TestSource implements BodySource {
  readonly length: number;
  readonly #failsAt: number;
  at = 0;
  largest = 0;
  closed = 0;
  constructor(length: number, failsAt = Number.POSITIVE_INFINITY) {
    this.length = length;
    this.#failsAt = failsAt;
  }
  async read(max: number): Promise<Uint8Array> {
    assert.equal(this.closed, 0, 'read after it was closed');
    if (this.at >= this.#failsAt) throw new Error('the disk is broken');
    // Parts of every size, some of them available at once.
    const bytes = Math.min(max, this.length - this.at, 1 + ((this.at * 31) % 70_000));
    if (this.at % 3 === 0) await sleep(0);
    const from = this.at;
    this.at += bytes;
    this.largest = Math.max(this.largest, bytes);
    return bytesOf(from, this.at);
  }
  close(): void {
    this.closed++;
  }
}

/** Paths of the test server. */
const PATHS: Record<
  string,
  (request: HttpRequest, seen: Seen) => HttpReply | Promise<HttpReply | undefined>
> = {
  '/now': (request) => text(`now ${request.query}`),
  '/early': () => text('no', 401),
  '/throw': () => {
    throw new Error('boom');
  },
  '/reject': async () => {
    throw new Error('boom later');
  },
  '/nothing': async () => undefined,
  '/bad-header': () => text('x', 200, { 'x-split': 'a\r\nset-cookie: b' }),
  '/204': () => text('', 204),
  '/304': () => text('', 304),
  '/headers': ({ headers }) => text(JSON.stringify(headers)),
  '/address': ({ remoteAddress }) => text(remoteAddress),
  '/big': ({ query }) => text(Buffer.alloc(Number(query), 'b')),
  '/own': ({ query }, seen) => {
    const body = new Uint8Array(bytesOf(0, Number(query)));
    seen.owned.push(body);
    return { ...text(body), ownsBody: true };
  },
  '/text': ({ query }) => text('한'.repeat(Number(query))),
  '/latin': ({ query }) => text('é'.repeat(Number(query))),
  '/source': ({ query }, seen) => {
    const [length, failsAt] = query.split(',').map(Number);
    const source = new TestSource(length!, failsAt);
    seen.sources.push(source);
    return text(source);
  },
  '/later': async ({ query }) => {
    await sleep(Number(query));
    return text(`later ${query}`);
  },
  '/later-big': async ({ query }) => {
    await sleep(50);
    return text(Buffer.alloc(Number(query), 'b'));
  },
  '/wait': async (request, seen) => {
    await new Promise<void>((resolve) => {
      request.onGone(() => {
        seen.aborted.push(request.query);
        assert.ok(request.isGone);
        resolve();
      });
    });
    return undefined;
  },
};

async function echo(request: HttpRequest): Promise<HttpReply | undefined> {
  try {
    const bytes = await request.body();
    return text(`${request.method} ${bytes.length} ${Buffer.from(bytes).toString().slice(0, 100)}`);
  } catch (error) {
    if (!isPriorartError(error)) throw error;
    if (error.code === 'cancelled' && request.isGone) return undefined;
    return text(error.code, error.status);
  }
}

export class AdapterServer {
  readonly #create: (options: AdapterOptions) => HttpAdapter;
  #clients: RawClient[] = [];
  adapter: HttpAdapter | undefined;
  port = 0;
  seen: Seen = nothingSeen();

  constructor(create: (options: AdapterOptions) => HttpAdapter) {
    this.#create = create;
  }

  /** An adapter with these options, not listening yet. */
  make(changed: Partial<AdapterOptions> = {}): HttpAdapter {
    return this.#create({
      handler: (request) => {
        this.seen.requests.push(request);
        return (PATHS[request.path] ?? echo)(request, this.seen);
      },
      bodyMaxBytes: MAX,
      bodyDrainMaxBytes: DRAIN,
      bodyTimeoutMs: TIMEOUT,
      writeTimeoutMs: WRITE_TIMEOUT,
      connectionsMax: 1_000,
      refuse: (refusal) => {
        this.seen.refused.push(refusal);
        return text(refusal.detail, refusal.status, { 'x-refused': 'yes' });
      },
      onError: (error) => this.seen.errors.push(error),
      ...changed,
    });
  }

  async start(changed: Partial<AdapterOptions> = {}): Promise<void> {
    this.seen = nothingSeen();
    this.adapter = this.make(changed);
    this.port = await this.adapter.listen('127.0.0.1', 0);
  }

  client(): RawClient {
    const made = new RawClient(this.port);
    this.#clients.push(made);
    return made;
  }

  async exchange(sent: string | Buffer): Promise<RawReply> {
    const reply = await this.client().write(sent).reply();
    assert.ok(reply, 'the connection was closed without an answer');
    return reply;
  }

  /** Checks that the server still answers. Last line of every test that could have ended it. */
  async assertAlive(): Promise<void> {
    assert.equal((await this.exchange(get('/now?alive'))).body, 'now alive');
  }

  async stop(): Promise<void> {
    for (const made of this.#clients) made.destroy();
    this.#clients = [];
    await this.adapter?.close(1_000);
    this.adapter = undefined;
  }
}

function nothingSeen(): Seen {
  return { requests: [], errors: [], aborted: [], refused: [], sources: [], owned: [] };
}

/** Runs the same tests on each adapter. */
export function onEachHttpAdapter(
  subject: string,
  tests: (server: AdapterServer, name: AdapterName) => void,
): void {
  for (const name of ADAPTERS) {
    describe(`HTTP adapter ${name}: ${subject}`, () => {
      const server = new AdapterServer(CREATE[name]);
      afterEach(() => server.stop());
      tests(server, name);
    });
  }
}

/** A message in pieces of the given size. The request line stays whole; a separate test splits it. */
export function inPieces(message: string, size: number): Buffer[] {
  const bytes = Buffer.from(message);
  const lineEnd = bytes.indexOf('\r\n') + 2;
  const pieces = [bytes.subarray(0, lineEnd)];
  for (let i = lineEnd; i < bytes.length; i += size) pieces.push(bytes.subarray(i, i + size));
  return pieces;
}
