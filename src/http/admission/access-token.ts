/** Access tokens at /mcp: what all authorization servers have in common (RFC 6750, RFC 9728). */
import { PriorartError } from '../../errors.js';
import { METADATA_PATH } from '../mcp-endpoint.js';

/** Path of the resource that tokens are for. */
export const RESOURCE_PATH = '/mcp';

/** Checks the tokens of an authorization server. */
export interface TokenCheck {
  /** The metadata document of RFC 9728. */
  readonly metadata: object;
  /**
   * The id of the API key that a token stands for.
   * @throws PriorartError `unauthorized`, `forbidden` if it lacks a scope, `unavailable`; as a rejection
   */
  keyOf(token: string): Promise<string>;
  /** WWW-Authenticate of an answer without access; undefined for other errors. */
  challenge(error: unknown): string | undefined;
}

/** A refused token. `reason` is the code of RFC 6750. */
export class TokenRefused extends PriorartError {
  readonly reason: 'invalid_token' | 'insufficient_scope';

  constructor(reason: TokenRefused['reason'], message: string, cause?: unknown) {
    super(reason === 'invalid_token' ? 'unauthorized' : 'forbidden', message, { cause });
    this.reason = reason;
  }
}

export interface Resource {
  /** Address of this server for clients, without a slash at its end. */
  publicUrl: string;
  issuer: string;
  /** Separated by blanks. */
  scope: string | undefined;
}

/**
 * Whether a token has all of the wanted scopes.
 * @param given scopes of the token, separated by blanks or as a list
 */
export function hasScopes(given: unknown, wanted: string): boolean {
  const scopes: unknown[] = typeof given === 'string' ? given.split(' ') : Array.isArray(given) ? given : [];
  return wanted.split(' ').every((scope) => scopes.includes(scope));
}

/** The metadata document of RFC 9728. */
export function resourceMetadata({ publicUrl, issuer, scope }: Resource): object {
  return {
    resource: publicUrl + RESOURCE_PATH,
    resource_name: 'priorart',
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
    ...(scope === undefined ? {} : { scopes_supported: scope.split(' ') }),
  };
}

/** The challenge of an answer without access, RFC 6750 and 9728; undefined for other errors. */
export function bearerChallenge({ publicUrl, scope }: Resource, error: unknown): string | undefined {
  if (!(error instanceof PriorartError)) return undefined;
  const refused = error instanceof TokenRefused ? error : undefined;
  if (error.code !== 'unauthorized' && !refused) return undefined;
  const parts = {
    resource_metadata: `${publicUrl}${METADATA_PATH}${RESOURCE_PATH}`,
    ...(scope === undefined ? {} : { scope }),
    ...(refused ? { error: refused.reason, error_description: refused.message } : {}),
  };
  const quoted = Object.entries(parts).map(([name, value]) => `${name}="${value.replaceAll('"', "'")}"`);
  return `Bearer ${quoted.join(', ')}`;
}
