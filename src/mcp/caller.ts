/** How the calls of a caller travel through the library to the tools: as what it knows of the caller. */
import type { PatentApi } from './api.js';
import type { AuthInfo } from './sdk.js';
import type { CallerOf } from './server.js';

/** The library wants an address of each request. Nothing is fetched from it. */
export const ADDRESS = 'http://localhost/mcp';

export function callerInfo(api: PatentApi): AuthInfo {
  return { token: '', clientId: '', scopes: [], extra: { api } };
}

export const callerOf: CallerOf = ({ http }) => http?.authInfo?.extra?.['api'] as PatentApi;
