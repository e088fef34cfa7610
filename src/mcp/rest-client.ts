/** Calls of a server over HTTP, with an API key. */
import { PriorartError } from '../errors.js';
import { MCP_ANSWER_MAX_BYTES } from '../limits.js';
import { boundedBody, type CallOptions, RestApi, type RestCall, type RestReply } from './api.js';

/**
 * @param base address of the server, without a slash at its end
 * @param key the API key; absent: calls without a key work, such as coverage
 */
export function restClient(base: string, key: string | undefined): RestApi {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    ...(key === undefined ? {} : { 'x-api-key': key }),
  };
  return new RestApi((call, options) => send(base, headers, call, options), base);
}

async function send(
  base: string,
  headers: Record<string, string>,
  { method, path, body }: RestCall,
  { signal }: CallOptions,
): Promise<RestReply> {
  let response: Response;
  try {
    response = await fetch(base + path, {
      ...{ method, headers, signal, redirect: 'manual' },
      ...(body === undefined ? {} : { body }),
    });
  } catch (cause) {
    if (signal.aborted) throw new PriorartError('cancelled', 'the call was cancelled', { cause });
    const why =
      (cause as Error).cause instanceof Error ? `: ${((cause as Error).cause as Error).message}` : '';
    throw new PriorartError('unavailable', `the server at ${base} cannot be reached${why}`, { cause });
  }
  const bytes =
    response.body === null ? new Uint8Array() : await boundedBody(response.body, MCP_ANSWER_MAX_BYTES);
  return { status: response.status, header: (name) => response.headers.get(name) ?? undefined, body: bytes };
}
