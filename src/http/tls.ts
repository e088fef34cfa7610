/** The certificate of the server, checked before use: the error of an adapter has no reason. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Config } from '../config.js';
import { PriorartError, whyUnreadable } from '../errors.js';
import type { TlsIdentity } from './adapters/adapter.js';

/**
 * The identity in the settings; undefined without one.
 * @throws PriorartError `usage` if only one of the two files is set, `invalid_tls`
 */
export function tlsIdentity({
  tlsCert,
  tlsKey,
}: Partial<Pick<Config, 'tlsCert' | 'tlsKey'>>): TlsIdentity | undefined {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new PriorartError('usage', '--tls-cert and --tls-key: got one of them; expected both or none');
  }
  const identity = { certFile: tlsCert, keyFile: tlsKey };
  check(identity);
  return identity;
}

/** The last day on which clients accept the certificate. */
export function validTo({ certFile }: TlsIdentity): Date {
  return new Date(new X509Certificate(readFileSync(certFile)).validTo);
}

function check({ certFile, keyFile }: TlsIdentity): void {
  const cert = readOf('--tls-cert', certFile, 'certificate with its chain');
  const key = readOf('--tls-key', keyFile, 'key without a password');
  try {
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
      throw new Error('the key is not the one of the certificate');
    }
    createSecureContext({ cert, key, minVersion: 'TLSv1.2' });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new PriorartError(
      'invalid_tls',
      `--tls-cert ${certFile}, --tls-key ${keyFile}: ${why}; expected a certificate with its chain and its key, without a password, both in PEM form`,
      { cause },
    );
  }
}

function readOf(flag: string, file: string, what: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    const message = `${flag}: the file ${JSON.stringify(file)} ${whyUnreadable(cause)}`;
    const remedy = `expected a ${what} in PEM form; check the path`;
    throw new PriorartError('invalid_tls', `${message}; ${remedy}`, { cause });
  }
}
