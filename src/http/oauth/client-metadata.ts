/** What a client may say about itself, in a registration or in its metadata document. */
import { OAUTH_CLIENT } from '../../limits.js';

type Metadata = Record<string, unknown>;

const GRANT_TYPES: ReadonlySet<unknown> = new Set(['authorization_code', 'refresh_token']);
/** Fields that are passed on as they are. The library checks them. */
const KEPT = ['client_id', 'client_uri', 'response_types', 'token_endpoint_auth_method'];
/** Fields that no metadata document may have. The library refuses them. */
const OF_REGISTRATIONS = ['client_secret', 'client_secret_expires_at'];

/**
 * The fields that this server uses. Others are left out: keys, logos and further addresses would be more to fetch and
 * to store, and nothing here needs them.
 * @returns a reason if the metadata cannot be accepted
 */
export function usedMetadata(given: Metadata, isDocument: boolean): Metadata | string {
  const uris = given['redirect_uris'];
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > OAUTH_CLIENT.redirectUris)
    return `redirect_uris: expected 1 to ${OAUTH_CLIENT.redirectUris} addresses`;
  for (const uri of uris) {
    const reason = faultOfRedirect(uri);
    if (reason !== undefined) return reason;
  }
  const used: Metadata = {
    redirect_uris: uris,
    // Ports of loopback addresses may differ (RFC 8252), and http is for loopback addresses only.
    application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
  };
  for (const field of isDocument ? [...KEPT, ...OF_REGISTRATIONS] : KEPT)
    if (field in given) used[field] = given[field];
  if (!isDocument) delete used['client_id'];
  for (const field of ['client_uri'] as const) {
    const value = used[field];
    if (value !== undefined && (typeof value !== 'string' || value.length > OAUTH_CLIENT.uriChars))
      return `${field}: expected an address of at most ${OAUTH_CLIENT.uriChars} characters`;
  }
  const name = given['client_name'];
  if (name !== undefined) {
    if (typeof name !== 'string') return 'client_name: expected a text';
    used['client_name'] = shownName(name);
  }
  const types = given['grant_types'];
  if (Array.isArray(types)) used['grant_types'] = types.filter((type) => GRANT_TYPES.has(type));
  return used;
}

/** A name in one line. Characters that change the direction of text or are not seen could imitate another name. */
export function shownName(name: string): string {
  const plain = name
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu, ' ')
    .replace(/\s{2,}/g, ' ')
    .trim();
  return [...plain].slice(0, OAUTH_CLIENT.nameChars).join('') || 'A client without a name';
}

/** Why an address cannot receive answers; undefined if it can. The library checks more. */
function faultOfRedirect(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || uri.length > OAUTH_CLIENT.uriChars || !URL.canParse(uri))
    return 'redirect_uris: expected absolute addresses';
  const { protocol, username, password, hostname } = new URL(uri);
  if (username !== '' || password !== '') return 'redirect_uris: expected addresses without a user';
  // What a browser reads differently from a program: https:host, backslashes, blanks, control characters.
  const isWeb = protocol === 'https:' || protocol === 'http:';
  if (/[\s\\\p{Cc}]/u.test(uri) || (isWeb && !/^https?:\/\/[^/]/i.test(uri)))
    return 'redirect_uris: expected addresses such as https://app.example.com/callback';
  if (hostname.includes('*')) return 'redirect_uris: expected addresses without wildcards';
  return undefined;
}
