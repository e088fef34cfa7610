/**
 * The libraries of OAuth: the embedded authorization server, and the check of tokens of an external one. Only this file
 * imports them, so that `npm pack` can replace this file by a bundle.
 */
export {
  createRemoteJWKSet,
  errors as joseErrors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
export { default as inject } from 'light-my-request';
export {
  type Context,
  default as Provider,
  errors,
  type Interaction,
  type OidcClient,
} from 'oidc-provider';
