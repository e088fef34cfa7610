/** Calls of a server over HTTP, with an API key. */
import { MCP_ANSWER_MAX_BYTES } from '../limits.js';
import { boundedBody, type CallOptions, overHttp, RestApi, type RestCall, type RestReply } from './api.js';

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
  const server = `the server at ${base}`;
  const asked = fetch(base + path, {
    ...{ method, headers, signal, redirect: 'manual' },
    ...(body === undefined ? {} : { body }),
  });
  const response = await overHttp(asked, signal, (why) => `${server} cannot be reached${why}`);
  const bytes =
    response.body === null
      ? new Uint8Array()
      : await overHttp(
          boundedBody(response.body, MCP_ANSWER_MAX_BYTES),
          signal,
          (why) => `${server} ended its answer early${why}`,
        );
  return { status: response.status, header: (name) => response.headers.get(name) ?? undefined, body: bytes };
}
