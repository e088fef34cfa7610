/**
 * The transport of the revision 2024-11-05, for old clients: answers travel on a stream of events, and the client posts its
 * messages to an address that the first event names. A stream lives in one process.
 */
import { PriorartError } from '../errors.js';
import { MCP_STREAM_COMMENT_MS } from '../limits.js';
import type { PatentApi } from './api.js';
import { callerInfo, callerOf } from './caller.js';
import { cancelledId, isMessage } from './messages.js';
import type { JSONRPCMessage, MessageExtraInfo, Transport } from './sdk.js';
import { mcpServer, type ServerOptions } from './server.js';

/** Where the events of a stream go. */
export interface Sink {
  write(text: string): void;
  end(): void;
}

/** The error of a message for a stream that does not exist, or has ended. */
export function noStream(): PriorartError {
  return new PriorartError('not_found', 'there is no such stream; open one with GET /mcp/sse');
}

class StreamTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;
  readonly #sink: Sink;
  /** Ends the wait for the answer of each request, by its id. */
  readonly #waiting = new Map<string | number, () => void>();
  #isClosed = false;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return;
    this.#sink.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    if (!('method' in message) && message.id !== undefined) this.#answered(message.id);
  }

  /**
   * Resolves when the message is answered, or needs no answer.
   * @throws PriorartError `not_found` if the stream ended while the message was read: its answer would go nowhere
   */
  async receive(message: JSONRPCMessage, api: PatentApi): Promise<void> {
    if (this.#isClosed) throw noStream();
    const extra = { authInfo: callerInfo(api) };
    if (!('method' in message && 'id' in message)) {
      this.onmessage?.(message, extra);
      return;
    }
    const { id } = message;
    if (this.#waiting.has(id)) {
      throw new PriorartError(
        'bad_request',
        `id: a request with the id ${JSON.stringify(id)} is not answered yet`,
      );
    }
    await new Promise<void>((resolve) => {
      this.#waiting.set(id, resolve);
      this.onmessage?.(message, extra);
    });
  }

  /** Ends the wait for a request that gets no answer, because its client cancelled it. */
  forget(id: string | number): void {
    this.#answered(id);
  }

  #answered(id: string | number): void {
    this.#waiting.get(id)?.();
    this.#waiting.delete(id);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const id of [...this.#waiting.keys()]) this.#answered(id);
    this.#sink.end();
    this.onclose?.();
  }
}

/** A client that is connected to a stream. */
export class StreamSession {
  readonly #transport: StreamTransport;
  readonly #server;
  readonly #comments: NodeJS.Timeout;

  /** @param address where the client posts its messages, as the first event names it */
  constructor(sink: Sink, address: string, options: ServerOptions) {
    this.#transport = new StreamTransport(sink);
    this.#server = mcpServer(callerOf, options);
    sink.write(`event: endpoint\ndata: ${address}\n\n`);
    this.#comments = setInterval(() => sink.write(': \n\n'), MCP_STREAM_COMMENT_MS);
    this.#comments.unref();
    void this.#server.connect(this.#transport);
  }

  /**
   * Takes a message, and resolves when its answer is on the stream.
   * @throws PriorartError `bad_request`, `not_found`
   */
  async receive(message: unknown, api: PatentApi): Promise<void> {
    if (!isMessage(message)) {
      throw new PriorartError('bad_request', 'the body is not a message of JSON-RPC 2.0');
    }
    const cancelled = cancelledId(message);
    await this.#transport.receive(message, api);
    if (cancelled !== undefined) this.#transport.forget(cancelled);
  }

  async close(): Promise<void> {
    clearInterval(this.#comments);
    await this.#server.close();
    await this.#transport.close();
  }
}
