/**
 * The library of the authorization server. Only this file imports it, so that `npm pack` can replace this file by a
 * bundle.
 */
export { default as inject } from 'light-my-request';
export {
  type Context,
  default as Provider,
  errors,
  type Interaction,
  type OidcClient,
} from 'oidc-provider';
