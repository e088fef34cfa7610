/** The endpoints of the embedded authorization server: RFC 6749, 7009, 7591 and 8414, and the pages of a sign-in. */
import { PriorartError } from '../../../errors.js';
import type { HttpReply } from '../../adapters/adapter.js';
import type { EmbeddedOAuth } from '../../oauth/embedded.js';
import type { Call, Route } from '../../route.js';

const METADATA_MAX_AGE_S = 3_600;
const NOT_FOUND = 'there is no such endpoint';

function serverOf({ services, request }: Call): EmbeddedOAuth {
  const { authorization, mcp } = services;
  if (!authorization || !mcp) throw new PriorartError('not_found', NOT_FOUND);
  mcp.checkHost(request);
  return authorization;
}

function route(method: Route['method'], path: string, endpoint: string): Route {
  return { method, path, endpoint, access: 'public', handle: (call) => serverOf(call).handle(call.request) };
}

/**
 * The metadata. Clients put the path of the issuer behind the well-known path (RFC 8414), or that of the resource, and
 * some ask for the document of OpenID Connect instead.
 */
function metadata(path: string, documentOf: (server: EmbeddedOAuth) => object): Route {
  return {
    method: 'GET',
    path,
    endpoint: 'oauth.metadata',
    access: 'public',
    handle(call): HttpReply {
      const server = serverOf(call);
      const inserted = Object.values(call.parameters).map((part) => `/${part}`);
      if (inserted.length > 0 && !server.pathsOfMetadata.includes(inserted.join('')))
        throw new PriorartError('not_found', NOT_FOUND);
      const headers = {
        'content-type': 'application/json',
        'cache-control': `public, max-age=${METADATA_MAX_AGE_S}`,
        // Clients in pages discover servers, too.
        'access-control-allow-origin': '*',
      };
      return { status: 200, headers, body: JSON.stringify(documentOf(server)) };
    },
  };
}

const INSERTED = ['', '/{a}', '/{a}/{b}', '/{a}/{b}/{c}'];

export const OAUTH_ROUTES: readonly Route[] = [
  ...INSERTED.flatMap((path) => [
    metadata(`/.well-known/oauth-authorization-server${path}`, (server) => server.serverMetadata),
    metadata(`/.well-known/openid-configuration${path}`, (server) => server.openidMetadata),
  ]),
  metadata('/oauth/jwks', () => ({ keys: [] })),
  route('GET', '/oauth/authorize', 'oauth.authorize'),
  route('GET', '/oauth/authorize/{uid}', 'oauth.authorize'),
  route('GET', '/oauth/sign-in/{uid}', 'oauth.sign_in'),
  route('POST', '/oauth/sign-in/{uid}', 'oauth.sign_in'),
  route('POST', '/oauth/token', 'oauth.token'),
  route('POST', '/oauth/register', 'oauth.register'),
  route('POST', '/oauth/revoke', 'oauth.revoke'),
];
