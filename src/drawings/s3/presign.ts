/**
 * Signature Version 4 in the query string, for S3 and compatible storage: the URL alone authorises the request.
 * Source: Amazon S3 API Reference, "Authenticating Requests: Using Query Parameters (AWS Signature Version 4)".
 */
import { createHash, createHmac } from 'node:crypto';

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

export interface Presigned {
  method: 'GET' | 'HEAD' | 'PUT';
  /** Scheme and host, without a path. Includes the bucket if it is part of the host. */
  origin: URL;
  /** Path from the first slash on, not encoded. */
  path: string;
  /** Further query parameters, not encoded. */
  query?: Readonly<Record<string, string>>;
  /** Headers that the request must send with exactly these values, by lower-case name. */
  headers?: Readonly<Record<string, string>>;
  region: string;
  /** Lifetime of the URL, s. */
  seconds: number;
  now: Date;
}

/** The signed URL of a request. */
export function presign(credentials: Credentials, request: Presigned): string {
  const { origin, region, now } = request;
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const scope = `${day}/${region}/s3/aws4_request`;
  const headers = Object.entries({ ...request.headers, host: origin.host }).sort(byName);
  const signedHeaders = headers.map(([name]) => name).join(';');
  const parameters: Record<string, string> = {
    ...request.query,
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${credentials.accessKeyId}/${scope}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(request.seconds),
    'X-Amz-SignedHeaders': signedHeaders,
    ...(credentials.sessionToken ? { 'X-Amz-Security-Token': credentials.sessionToken } : {}),
  };
  const query = Object.entries(parameters)
    .map(([name, value]): [string, string] => [encode(name), encode(value)])
    .sort(byName)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const path = request.path.split('/').map(encode).join('/');
  const canonical = [
    request.method,
    path,
    query,
    ...headers.map(([name, value]) => `${name}:${value.trim()}`),
    '',
    signedHeaders,
    'UNSIGNED-PAYLOAD',
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const signature = hmac(signingKey(credentials.secretAccessKey, day, region), text).toString('hex');
  return `${origin.origin}${path}?${query}&X-Amz-Signature=${signature}`;
}

let lastKey: { secret: string; day: string; region: string; key: Buffer } | undefined;

/** The key of a day. Deriving it costs four times as much as signing. */
function signingKey(secret: string, day: string, region: string): Buffer {
  if (lastKey?.secret === secret && lastKey.day === day && lastKey.region === region) return lastKey.key;
  const key = [region, 's3', 'aws4_request'].reduce(hmac, hmac(`AWS4${secret}`, day));
  lastKey = { secret, day, region, key };
  return key;
}

/** Percent-encodes all but the unreserved characters of RFC 3986. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function byName([a]: [string, string], [b]: [string, string]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
