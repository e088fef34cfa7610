/** GET /.well-known/oauth-protected-resource: where clients of /mcp get tokens (RFC 9728). */
import { PriorartError } from '../../../errors.js';
import { METADATA_PATH } from '../../mcp-endpoint.js';
import type { Route } from '../../route.js';

const METADATA_MAX_AGE_S = 3_600;

function metadata(path: string): Route {
  return {
    method: 'GET',
    path,
    endpoint: 'mcp.metadata',
    access: 'public',
    handle({ services: { mcp, oauth } }) {
      if (!mcp || !oauth) throw new PriorartError('not_found', 'no authorization server is configured here');
      const headers = {
        'content-type': 'application/json',
        'cache-control': `public, max-age=${METADATA_MAX_AGE_S}`,
        // Clients in pages discover servers, too.
        'access-control-allow-origin': '*',
      };
      return { status: 200, headers, body: JSON.stringify(oauth.metadata) };
    },
  };
}

/** At the root and below it with the path of the resource, because clients try both. */
export const METADATA_ROUTES: readonly Route[] = [metadata(METADATA_PATH), metadata(`${METADATA_PATH}/mcp`)];
