/**
 * The streamable HTTP transport: the revision 2026-07-28 and the revisions of 2025, without sessions. Each message is
 * answered by a server of its own, as JSON.
 */
import { PriorartError } from '../errors.js';
import type { PatentApi } from './api.js';
import { batchAnswer, withoutCancelled } from './batch.js';
import { ADDRESS, callerInfo, callerOf } from './caller.js';
import { createMcpHandler, isLegacyRequest, WebStandardStreamableHTTPServerTransport } from './sdk.js';
import { mcpServer, type ServerOptions } from './server.js';
import { type Sink, StreamSession } from './sse.js';

const METHOD_NOT_FOUND = -32601;

const LIST = { jsonrpc: '2.0', id: 0, method: 'tools/list' } as const;
const REVISION = '2026-07-28';
const META = 'io.modelcontextprotocol';
const WARM_UP: readonly { headers: Record<string, string>; message: object }[] = [
  { headers: {}, message: { ...LIST, params: {} } },
  {
    headers: { 'mcp-protocol-version': REVISION, 'mcp-method': LIST.method },
    message: {
      ...LIST,
      params: { _meta: { [`${META}/protocolVersion`]: REVISION, [`${META}/clientCapabilities`]: {} } },
    },
  },
];

export class StreamableHttp {
  readonly #options: ServerOptions;
  readonly #modern;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#modern = createMcpHandler(() => mcpServer(callerOf, options), {
      legacy: 'reject',
      onerror: () => {},
    });
  }

  /**
   * Answers a POST.
   * @param message its body, decoded
   * @param request its head. Its signal fires if the client disconnects
   * @param api the calls of its caller
   */
  async handle(message: unknown, request: Request, api: PatentApi): Promise<Response> {
    const authInfo = callerInfo(api);
    if (isSubscription(message)) return refusedSubscription(message);
    if (!(await isLegacyRequest(request, message))) {
      return this.#modern.fetch(request, { authInfo, parsedBody: message });
    }
    const isBatch = Array.isArray(message);
    const parsedBody = isBatch ? withoutCancelled(message) : message;
    const server = mcpServer(callerOf, this.#options);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    try {
      const answered = transport.handleRequest(request, { authInfo, parsedBody });
      const response = await orGone(request.signal, answered);
      return isBatch ? await batchAnswer(response) : response;
    } finally {
      await server.close();
    }
  }

  /** Answers a list in both eras, so that the library makes its schemas. */
  async warmUp(): Promise<void> {
    const none = {} as PatentApi;
    for (const { headers, message } of WARM_UP) {
      const head = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
      const request = new Request(ADDRESS, { method: 'POST', headers: { ...head, ...headers } });
      await this.handle(message, request, none);
    }
  }

  /** A session of the transport of 2024. */
  stream(sink: Sink, address: string): StreamSession {
    return new StreamSession(sink, address, this.#options);
  }

  close(): Promise<void> {
    return this.#modern.close();
  }
}

/** Rejects if the client disconnects. The transport then never answers. */
function orGone<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const gone = () => reject(new PriorartError('cancelled', 'the client closed the connection'));
    if (signal.aborted) gone();
    signal.addEventListener('abort', gone, { once: true });
    work.then(resolve, reject);
  });
}

interface Subscription {
  id: string | number;
}

function isSubscription(message: unknown): message is Subscription {
  return (
    typeof message === 'object' &&
    message !== null &&
    'method' in message &&
    message.method === 'subscriptions/listen' &&
    'id' in message
  );
}

/** Nothing that this server lists changes while it runs, and it announces no subscriptions. */
function refusedSubscription({ id }: Subscription): Response {
  const message = 'subscriptions/listen is not offered: nothing here changes';
  const error = { code: METHOD_NOT_FOUND, message };
  return Response.json({ jsonrpc: '2.0', id, error }, { status: 404 });
}
