/** The X-API-Key header: the key of the caller. */
import type { Account, ApiKey, Maintenance, Verification } from '../../access/records.js';
import { PriorartError } from '../../errors.js';
import type { HttpRequest } from '../adapters/adapter.js';

/** The part of the access store that checks keys. */
export interface KeyCheck {
  /** @throws PriorartError `unavailable` */
  verify(secret: string | undefined): Verification;
  /**
   * The key with this id, which a checked token stands for.
   * @throws PriorartError `unavailable`
   */
  verifyId(id: string): Verification;
  isAvailable(): boolean;
  /** Whether the folder has no file of keys: none was made, or the file is gone. */
  isMissing(): boolean;
  maintenance(): Maintenance | undefined;
}

/** Account and key of a caller. */
export interface Caller {
  key: ApiKey;
  account: Account;
}

/**
 * The key of a request.
 * @param known receives the key, including a deactivated key: its log shows that a client still uses it
 * @param takesBearer whether `Authorization: Bearer` may hold the key
 * @throws PriorartError `unauthorized`, `key_deactivated`, `unavailable`
 */
export function requireKey(
  request: HttpRequest,
  access: KeyCheck,
  known: (key: ApiKey) => void,
  takesBearer = false,
): Caller {
  const sent = request.headers['x-api-key'] ?? (takesBearer ? bearerOf(request) : undefined);
  const result = access.verify(sent);
  return callerOf(request, result, known, takesBearer);
}

/** The caller of a token or session that stands for a key. Throws and calls as `requireKey`. */
export function requireKeyId(
  request: HttpRequest,
  access: KeyCheck,
  known: (key: ApiKey) => void,
  id: string,
): Caller {
  const result = access.verifyId(id);
  if (!result.ok && result.reason !== 'deactivated') {
    throw new PriorartError('unauthorized', 'the token or session belongs to no API key of this server');
  }
  return callerOf(request, result, known, true);
}

function callerOf(
  request: HttpRequest,
  result: Verification,
  known: (key: ApiKey) => void,
  takesBearer: boolean,
): Caller {
  const sent = request.headers['x-api-key'];
  if (result.ok || result.reason === 'deactivated') known(result.key);
  if (result.ok) return result;
  if (result.reason === 'deactivated') {
    throw new PriorartError(
      'key_deactivated',
      'the API key was revoked; use another key or ask for a new one',
    );
  }
  if (result.reason === 'missing') {
    const hint = takesBearer || request.headers['authorization'] === undefined ? '' : ', not Authorization,';
    throw new PriorartError(
      'unauthorized',
      `the header X-API-Key is missing; expected it${hint} to carry an API key`,
    );
  }
  const hint = /^bearer\s/i.test(sent ?? '') ? '; send the key as it is, without "Bearer"' : '';
  throw new PriorartError('unauthorized', `the API key in X-API-Key is not valid${hint}`);
}

/** The text after `Bearer`; undefined if it is missing or the scheme differs. */
export function bearerOf({ headers }: Pick<HttpRequest, 'headers'>): string | undefined {
  const scheme = 'bearer ';
  const header = headers['authorization'] ?? '';
  if (header.slice(0, scheme.length).toLowerCase() !== scheme) return undefined;
  return header.slice(scheme.length).trim() || undefined;
}
