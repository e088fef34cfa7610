/** What the embedded authorization server tells clients about itself. */
import { RESOURCE_PATH, type Resource } from '../admission/access-token.js';
import { CLIENT_AUTH_METHODS, OAUTH_PATH } from './provider.js';

/** The metadata document of RFC 8414. Written here: that of the library names parts of OpenID that are off. */
export function serverMetadata({ issuer, scope }: Resource & { scope: string }): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}${OAUTH_PATH}/authorize`,
    token_endpoint: `${issuer}${OAUTH_PATH}/token`,
    registration_endpoint: `${issuer}${OAUTH_PATH}/register`,
    revocation_endpoint: `${issuer}${OAUTH_PATH}/revoke`,
    scopes_supported: [...new Set([...scope.split(' '), 'offline_access'])],
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'form_post'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: CLIENT_AUTH_METHODS,
    revocation_endpoint_auth_methods_supported: CLIENT_AUTH_METHODS,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
}

/**
 * The document of OpenID Connect Discovery, which clients of a server below a path ask for. It needs these members,
 * although there are no ID tokens.
 */
export function openidMetadata(resource: Resource & { scope: string }): object {
  return {
    ...serverMetadata(resource),
    jwks_uri: `${resource.issuer}${OAUTH_PATH}/jwks`,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  };
}

/** What may follow the well-known path of the metadata: the path of the issuer, and that of the resource. */
export function pathsOfMetadata({ publicUrl }: Resource): string[] {
  const { pathname } = new URL(publicUrl + RESOURCE_PATH);
  return [pathname, pathname.slice(0, -RESOURCE_PATH.length), RESOURCE_PATH].filter((path) => path !== '');
}
