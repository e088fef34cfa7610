/** What is wrong with a message before the protocol's library reads it: it answers some of these with a dump, or not at all. */
import { type JSONRPCMessage, parseJSONRPCMessage } from './sdk.js';

export interface MessageFault {
  code: number;
  message: string;
  /** That of the request, if it has one. */
  id: string | number | null;
}

/** Codes of JSON-RPC. */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
const INVALID_PARAMS = -32602;

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function idOf(message: Json): MessageFault['id'] {
  const { id } = message;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** Whether the protocol's library takes a message. It drops others without an answer. */
export function isMessage(message: unknown): message is JSONRPCMessage {
  try {
    parseJSONRPCMessage(message);
    return true;
  } catch {
    return false;
  }
}

/** The request that a message cancels; undefined if it cancels none. */
export function cancelledId(message: unknown): string | number | undefined {
  if (!isObject(message) || message['method'] !== 'notifications/cancelled') return undefined;
  const { params } = message;
  const id = isObject(params) ? params['requestId'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

const FORM =
  'expected a message of JSON-RPC 2.0: id and progressToken are texts or integers, _meta is an object, and there are no ' +
  'other members';

/** The fault of a message that is not one of JSON-RPC. */
export function formFault(message: unknown): MessageFault | undefined {
  const fault = (text: string, id: MessageFault['id'] = null) => ({
    code: INVALID_REQUEST,
    message: text,
    id,
  });
  if (Array.isArray(message)) return fault('a batch; expected one message a line: batches are for HTTP');
  if (!isObject(message)) return fault('expected a message of JSON-RPC 2.0: an object');
  const { jsonrpc, method, params } = message;
  const isResponse = method === undefined && ('result' in message || 'error' in message);
  // The id of a response is one of a request in the other direction.
  const id = isResponse ? null : idOf(message);
  if (jsonrpc !== '2.0') return fault('jsonrpc: expected "2.0"', id);
  if (!isResponse && typeof method !== 'string') return fault('method: expected a text', id);
  if (params !== undefined && !isObject(params)) return fault('params: expected an object', id);
  return isMessage(message) ? undefined : fault(FORM, id);
}

/** Texts and objects that requests need in their parameters. */
const PARAMETERS: Readonly<Record<string, { texts: readonly string[]; objects: readonly string[] }>> = {
  'tools/call': { texts: ['name'], objects: ['arguments'] },
  'prompts/get': { texts: ['name'], objects: ['arguments'] },
  'resources/read': { texts: ['uri'], objects: [] },
};

/** The fault of a request whose parameters have wrong types. Notifications and unknown methods have none. */
export function parameterFault(message: unknown): MessageFault | undefined {
  if (!isObject(message)) return undefined;
  const { method, params } = message;
  const id = idOf(message);
  const needed =
    typeof method === 'string' && Object.hasOwn(PARAMETERS, method) ? PARAMETERS[method] : undefined;
  if (needed === undefined || id === null) return undefined;
  const given = isObject(params) ? params : {};
  const fault = (text: string): MessageFault => ({ code: INVALID_PARAMS, message: text, id });
  for (const name of needed.texts)
    if (typeof given[name] !== 'string') return fault(`params.${name}: expected a text`);
  for (const name of needed.objects)
    if (given[name] !== undefined && !isObject(given[name]))
      return fault(`params.${name}: expected an object`);
  const prompted =
    method === 'prompts/get' ? Object.entries((given['arguments'] as Json | undefined) ?? {}) : [];
  for (const [name, value] of prompted)
    if (typeof value !== 'string') return fault(`params.arguments.${name.slice(0, 100)}: expected a text`);
  return undefined;
}

/** The answer to a message with a fault. */
export function faultAnswer({ code, message, id }: MessageFault): string {
  return JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id });
}
