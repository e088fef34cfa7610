/** Reads the bucket and its credentials from the settings. */
import type { Config } from '../../config.js';
import { PriorartError } from '../../errors.js';
import type { Credentials } from './presign.js';

export interface Bucket {
  /** Scheme and host that requests go to. */
  origin: URL;
  /** Path before the names of objects: the bucket, unless it is part of the host, and the prefix. */
  bucketPath: string;
  prefix: string;
  region: string;
  credentials: Credentials;
}

type S3Config = Pick<Config, 's3Bucket' | 's3Endpoint' | 's3Region' | 's3Prefix'>;
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The bucket that the settings name; undefined if they name none. Credentials come only from the usual environment
 * variables of programs for S3.
 * @throws PriorartError `usage`
 */
export function bucketOf(config: S3Config, env: Environment = process.env): Bucket | undefined {
  const { s3Bucket, s3Endpoint, s3Region: region, s3Prefix: prefix } = config;
  if (s3Bucket === undefined) return undefined;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(s3Bucket)) {
    throw usage('--s3-bucket', s3Bucket, 'the name of a bucket: 3 to 63 of a-z, 0-9, dot and hyphen');
  }
  if (!/^[a-z0-9-]{1,64}$/.test(region)) throw usage('--s3-region', region, 'a region such as eu-central-1');
  if (!/^[\w.-]+(?:\/[\w.-]+)*\/?$/.test(prefix) || /(?:^|\/)\.\.?(?:\/|$)/.test(prefix)) {
    throw usage('--s3-prefix', prefix, 'a prefix such as drawings/');
  }
  const credentials = credentialsOf(env);
  const shared = { prefix, region, credentials };
  if (s3Endpoint !== undefined)
    return { origin: endpointOf(s3Endpoint), bucketPath: `/${s3Bucket}/`, ...shared };
  // The certificates of S3 hosts do not cover bucket names with dots.
  return s3Bucket.includes('.')
    ? { origin: new URL(`https://s3.${region}.amazonaws.com`), bucketPath: `/${s3Bucket}/`, ...shared }
    : { origin: new URL(`https://${s3Bucket}.s3.${region}.amazonaws.com`), bucketPath: '/', ...shared };
}

function endpointOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url && /^https?:$/.test(url.protocol) && url.pathname === '/';
  if (plain && !url.search && !url.hash && !url.username && !url.password) return url;
  // The URL may contain a password.
  const shown = url ? url.origin : text;
  throw usage(
    '--s3-endpoint',
    shown,
    'https://host or http://host:port, without path, query and credentials',
  );
}

function credentialsOf(env: Environment): Credentials {
  const accessKeyId = env['AWS_ACCESS_KEY_ID'];
  const secretAccessKey = env['AWS_SECRET_ACCESS_KEY'];
  const sessionToken = env['AWS_SESSION_TOKEN'];
  if (accessKeyId && secretAccessKey) {
    return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
  }
  const missing = accessKeyId ? 'AWS_SECRET_ACCESS_KEY' : 'AWS_ACCESS_KEY_ID';
  throw new PriorartError('usage', `${missing} is not set; expected the credentials of the S3 bucket`);
}

function usage(flag: string, value: string, expected: string): PriorartError {
  return new PriorartError('usage', `${flag}: got ${JSON.stringify(value)}; expected ${expected}`);
}
