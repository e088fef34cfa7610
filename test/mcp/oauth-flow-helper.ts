/** A grant for a client, made as a person makes it. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import type { Answer, Service } from '../api/service.js';
import { REDIRECT, Visitor } from './oauth-client.js';

export interface Tokens {
  access_token: string;
  refresh_token: string;
  scope?: string;
  error?: string;
}

/** Registers a client. Resolves to its id. */
export async function registered(base: string, name: string, redirect = REDIRECT): Promise<string> {
  const response = await fetch(`${base}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: name, redirect_uris: [redirect] }),
  });
  assert.equal(response.status, 201);
  return ((await response.json()) as { client_id: string }).client_id;
}

/**
 * Signs in, agrees, and redeems the code.
 * @param tokenBase server that redeems the code, if it differs
 */
export async function tokensFor(
  base: string,
  client: string,
  account: string,
  password: string,
  tokenBase = base,
): Promise<Tokens> {
  const verifier = randomBytes(32).toString('base64url');
  const url = new URL(`${base}/oauth/authorize`);
  url.search = new URLSearchParams({
    ...{ response_type: 'code', client_id: client, redirect_uri: REDIRECT, code_challenge_method: 'S256' },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  }).toString();
  const back = await new Visitor().agree(url, account, password);
  const response = await fetch(`${tokenBase}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      ...{
        grant_type: 'authorization_code',
        client_id: client,
        redirect_uri: REDIRECT,
        code_verifier: verifier,
      },
      code: back.searchParams.get('code')!,
    }),
  });
  return (await response.json()) as Tokens;
}

const ACCEPT = 'application/json, text/event-stream';

/** Calls a method of /mcp with an access token. */
export function callMcp(service: Service, token: string, method: string, params?: object): Promise<Answer> {
  return service.post(
    '/mcp',
    { jsonrpc: '2.0', id: 1, method, ...(params ? { params } : {}) },
    { 'x-api-key': undefined, authorization: `Bearer ${token}`, accept: ACCEPT },
  );
}

/** Status of a call with a token. */
export async function statusOf(base: string, token: string): Promise<number> {
  const response = await fetch(`${base}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: ACCEPT,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  await response.text();
  return response.status;
}
