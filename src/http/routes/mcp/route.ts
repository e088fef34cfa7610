/** The endpoints of MCP: POST /mcp, and the old GET /mcp/sse with POST /mcp/messages. */
import { PriorartError } from '../../../errors.js';
import { RestApi, type Send } from '../../../mcp/api.js';
import { batchFault } from '../../../mcp/batch.js';
import { ADDRESS } from '../../../mcp/caller.js';
import { faultAnswer, INVALID_REQUEST, PARSE_ERROR, parameterFault } from '../../../mcp/messages.js';
import { noStream } from '../../../mcp/sse.js';
import type { HttpReply } from '../../adapters/adapter.js';
import { readJson } from '../../json-body.js';
import type { McpEndpoint } from '../../mcp-endpoint.js';
import type { Call, Route } from '../../route.js';
import { FurtherRequest, wholeBody } from './further-request.js';
import { METADATA_ROUTES } from './metadata.js';
import { openStream } from './stream.js';

const JSON_TYPE = { 'content-type': 'application/json' };

/** The front end, if the request may use it. @throws PriorartError `not_found`, `forbidden` */
function endpointOf({ services, request }: Call): McpEndpoint {
  const { mcp } = services;
  if (!mcp) throw new PriorartError('not_found', 'MCP is turned off here');
  mcp.checkSource(request);
  return mcp;
}

/** The calls of the caller, by the routes of this server. */
function apiOf(call: Call, base: string): RestApi {
  const send: Send = async ({ method, path, body, continues }, { signal, label }) => {
    const request = new FurtherRequest(call.request, { method, path, body, signal });
    const reply = await call.further(request, { endpoint: label, isLogged: !continues });
    return {
      status: reply.status,
      header: (name) => reply.headers[name],
      body: await wholeBody(reply.body),
    };
  };
  return new RestApi(send, base);
}

/** An error of JSON-RPC that belongs to no request. */
function rpcError(status: number, code: number, message: string): HttpReply {
  return { status, headers: JSON_TYPE, body: faultAnswer({ code, message, id: null }) };
}

const streamable: Route = {
  method: 'POST',
  path: '/mcp',
  endpoint: 'mcp',
  access: 'key',
  takesBearer: true,
  async handle(call) {
    const endpoint = endpointOf(call);
    let message: unknown;
    try {
      message = await readJson(call.request);
    } catch (error) {
      if (!(error instanceof PriorartError) || error.code !== 'bad_json') throw error;
      return rpcError(400, PARSE_ERROR, error.message);
    }
    if (Array.isArray(message)) {
      const fault = batchFault(message);
      if (fault !== undefined) return rpcError(400, INVALID_REQUEST, fault);
      await call.countCalls(message.length - 1);
    }
    const fault = parameterFault(message);
    if (fault)
      return {
        status: 200,
        headers: { ...JSON_TYPE, 'cache-control': 'no-store' },
        body: faultAnswer(fault),
      };
    const base = endpoint.baseOf(call.request);
    const gone = new AbortController();
    call.request.onGone(() => gone.abort());
    if (call.request.isGone) gone.abort();
    const { headers } = call.request;
    const head = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const request = new Request(ADDRESS, {
      method: 'POST',
      headers: head.filter(
        ([name]) => name.startsWith('mcp-') || name === 'accept' || name === 'content-type',
      ),
      signal: gone.signal,
    });
    try {
      return await replyOf(await endpoint.http.handle(message, request, apiOf(call, base)));
    } finally {
      call.request.onGone(undefined);
    }
  },
};

async function replyOf(response: Response): Promise<HttpReply> {
  const headers: Record<string, string> = {};
  for (const name of ['content-type', 'allow']) {
    const value = response.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  return {
    status: response.status,
    headers: { ...headers, 'cache-control': 'no-store' },
    body: new Uint8Array(await response.arrayBuffer()),
  };
}

const events: Route = {
  method: 'GET',
  path: '/mcp/sse',
  endpoint: 'mcp.stream',
  access: 'key',
  takesBearer: true,
  handle(call) {
    const endpoint = endpointOf(call);
    const body = openStream(endpoint, call.key!);
    const headers = {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      // nginx would collect events.
      'x-accel-buffering': 'no',
    };
    return { status: 200, headers, body };
  },
};

const messages: Route = {
  method: 'POST',
  path: '/mcp/messages',
  endpoint: 'mcp',
  access: 'key',
  takesBearer: true,
  async handle(call) {
    const endpoint = endpointOf(call);
    const id = /(?:^|&)session=([\w-]{36})(?:&|$)/.exec(call.request.query)?.[1] ?? '';
    const stream = endpoint.streams.get(id);
    // Another key learns nothing of the stream.
    if (!stream?.session || stream.key !== call.key?.id) throw noStream();
    const message = await readJson(call.request);
    await stream.session.receive(message, apiOf(call, endpoint.baseOf(call.request)));
    return { status: 202, headers: { 'content-type': 'text/plain' }, body: 'Accepted' };
  },
};

export const MCP_ROUTES: readonly Route[] = [streamable, events, messages, ...METADATA_ROUTES];
