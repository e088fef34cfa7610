/**
 * Access tokens of an external authorization server, for /mcp. This server is a resource server of OAuth 2.1: it says where
 * tokens come from (RFC 9728), and checks each token by the keys that the authorization server publishes. A token stands
 * for an API key of this server, whose limits, quota and log hold for it.
 */
import type { Config } from '../../config.js';
import { PriorartError } from '../../errors.js';
import { OAUTH_CLOCK_TOLERANCE_S, OAUTH_JWKS, OAUTH_TOKEN_MAX_CHARS } from '../../limits.js';
import { joseErrors as errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from '../oauth/library.js';
import {
  bearerChallenge,
  hasScopes,
  RESOURCE_PATH,
  type Resource,
  resourceMetadata,
  type TokenCheck,
  TokenRefused,
} from './access-token.js';
import { isSafeAddress, keysAt, keysOfIssuer } from './jwks-discovery.js';

export type OAuthConfig = Partial<
  Pick<
    Config,
    'publicUrl' | 'oauthIssuer' | 'oauthJwks' | 'oauthAudience' | 'oauthScope' | 'oauthClaim' | 'oauthKey'
  >
>;

/** Signatures only. A shared secret would have to be in the published keys. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

export class OAuth implements TokenCheck {
  readonly #keys: JWTVerifyGetKey;
  readonly #issuer: string;
  readonly #audience: string;
  readonly #scope: string | undefined;
  readonly #claim: string;
  readonly #key: string | undefined;
  readonly #publicUrl: string;

  private constructor(issuer: string, publicUrl: string, config: OAuthConfig) {
    this.#issuer = issuer;
    this.#publicUrl = publicUrl;
    this.#audience = config.oauthAudience ?? publicUrl + RESOURCE_PATH;
    this.#scope = config.oauthScope;
    this.#claim = config.oauthClaim ?? 'priorart_key';
    this.#key = config.oauthKey;
    this.#keys = config.oauthJwks === undefined ? keysOfIssuer(issuer) : keysAt(config.oauthJwks);
  }

  /**
   * Undefined if no authorization server is configured.
   * @throws PriorartError `usage` if a setting is missing, or keys would travel without TLS
   */
  static of(config: OAuthConfig): OAuth | undefined {
    const { oauthIssuer, oauthJwks, publicUrl } = config;
    if (oauthIssuer === undefined) return undefined;
    if (oauthJwks !== undefined && !isSafeAddress(oauthJwks))
      throw new PriorartError('usage', `--oauth-jwks: got ${JSON.stringify(oauthJwks)}; expected https`);
    if (oauthJwks === undefined && (!URL.canParse(oauthIssuer) || !isSafeAddress(oauthIssuer))) {
      throw new PriorartError(
        'usage',
        `--oauth-issuer: got ${JSON.stringify(oauthIssuer)}; expected an https address, or --oauth-jwks with it`,
      );
    }
    if (publicUrl === undefined)
      throw new PriorartError(
        'usage',
        '--oauth-issuer: expected --public-url with it, the address of this server',
      );
    return new OAuth(oauthIssuer, publicUrl, config);
  }

  get #resource(): Resource {
    return { publicUrl: this.#publicUrl, issuer: this.#issuer, scope: this.#scope };
  }

  get metadata(): object {
    return resourceMetadata(this.#resource);
  }

  async keyOf(token: string): Promise<string> {
    const claims = await this.#checked(token);
    if (this.#scope !== undefined && !hasScopes(claims['scope'] ?? claims['scp'], this.#scope)) {
      throw new TokenRefused('insufficient_scope', `the token lacks the scope ${this.#scope}`);
    }
    const key = claims[this.#claim] ?? this.#key;
    if (typeof key === 'string' && key !== '') return key;
    throw new TokenRefused('invalid_token', 'the token belongs to no API key of this server');
  }

  async #checked(token: string): Promise<JWTPayload> {
    if (token.length > OAUTH_TOKEN_MAX_CHARS)
      throw new TokenRefused('invalid_token', 'the token is too long');
    try {
      const { payload } = await jwtVerify(token, this.#keys, {
        issuer: this.#issuer,
        audience: this.#audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['exp'],
        clockTolerance: OAUTH_CLOCK_TOLERANCE_S,
      });
      return payload;
    } catch (error) {
      throw refusal(error);
    }
  }

  challenge(error: unknown): string | undefined {
    return bearerChallenge(this.#resource, error);
  }
}

/** The reason for a client. The token itself is never repeated. */
function refusal(error: unknown): PriorartError {
  if (error instanceof errors.JWTExpired)
    return new TokenRefused('invalid_token', 'the token has expired', error);
  if (error instanceof errors.JWTClaimValidationFailed) {
    const what = { aud: 'another resource', iss: 'another issuer' }[error.claim] ?? undefined;
    const message =
      what === undefined ? `the claim ${claimName(error)} is not valid` : `the token is for ${what}`;
    return new TokenRefused('invalid_token', message, error);
  }
  const isOfToken =
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JOSEAlgNotAllowed ||
    error instanceof errors.JOSENotSupported ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys;
  if (isOfToken) return new TokenRefused('invalid_token', 'the token is not valid', error);
  return new PriorartError('unavailable', 'the keys of the authorization server cannot be fetched', {
    cause: error,
    retryAfter: OAUTH_JWKS.cooldownMs / 1000,
  });
}

/** The name of a claim that this server requires. */
function claimName({ claim }: errors.JWTClaimValidationFailed): string {
  return ['exp', 'nbf', 'iat'].includes(claim) ? claim : 'set';
}
