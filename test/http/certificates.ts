/**
 * Two self-signed test identities for `localhost` and 127.0.0.1, P-256, valid until 2036. Made by `openssl req -x509
 * -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj /CN=a -addext
 * subjectAltName=DNS:localhost,IP:127.0.0.1`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Identity {
  cert: string;
  key: string;
}

export const A: Identity = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBiDCCAS+gAwIBAgIUPT9nhcyNmhJujBFP38S+cIALgU8wCgYIKoZIzj0EAwIw
DDEKMAgGA1UEAwwBYTAeFw0yNjExMjExMTA5MDRaFw0zNjExMTgxMTA5MDRaMAwx
CjAIBgNVBAMMAWEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQeBfgIi2kbLIrP
lqgnlK0X9Urro+vfLXRZzXBip01EEQxZxr8NDiJ5/Vcxs6xoIhjTSRw/WVlZU3Kc
h3t1T8Dko28wbTAdBgNVHQ4EFgQU31pcwaqt9YbCNk8PsNACu3vmUNQwHwYDVR0j
BBgwFoAU31pcwaqt9YbCNk8PsNACu3vmUNQwDwYDVR0TAQH/BAUwAwEB/zAaBgNV
HREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZIzj0EAwIDRwAwRAIgKrxTpzYW
v8d3+jlq+XMdwQ+5iE7ydNcHcqjCAAXgpR0CIAXDxOZythmwrYJFY2g3zaWcikkX
y3jJEOO4vqK8icgf
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgVho3V8NMQ+ailOsa
0BjtOMBmKUMwfM5eo32cnZP3Rp6hRANCAAQeBfgIi2kbLIrPlqgnlK0X9Urro+vf
LXRZzXBip01EEQxZxr8NDiJ5/Vcxs6xoIhjTSRw/WVlZU3Kch3t1T8Dk
-----END PRIVATE KEY-----
`,
};

export const B: Identity = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBijCCAS+gAwIBAgIUIPXfHb52m7cv4y/ydvRWr72u1wswCgYIKoZIzj0EAwIw
DDEKMAgGA1UEAwwBYjAeFw0yNjExMjExMTA5MDRaFw0zNjExMTgxMTA5MDRaMAwx
CjAIBgNVBAMMAWIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASyYISzzW9CdCH+
tx6thxOCQPSie1lMXqtoCR8tR7Xkjxh5PhldQLDRjda5tXMBNRVD2vdahLO1DxF/
YCyCkg6jo28wbTAdBgNVHQ4EFgQUeM6ltNp2F6szNUVXTCMVJF6o1o8wHwYDVR0j
BBgwFoAUeM6ltNp2F6szNUVXTCMVJF6o1o8wDwYDVR0TAQH/BAUwAwEB/zAaBgNV
HREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZIzj0EAwIDSQAwRgIhAIQGhb0f
p5ue/uH9GSqZ/xlRHFUjujCOP/UWgEce8taRAiEA+VY7t+x4oBrgxHk+AhLVLctw
3K7btRpZSikiMN9Y6pE=
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbVBIpacG1Hz4BZdk
IEKVqxmNiKPWFXq1+RKVjwuXb8KhRANCAASyYISzzW9CdCH+tx6thxOCQPSie1lM
XqtoCR8tR7Xkjxh5PhldQLDRjda5tXMBNRVD2vdahLO1DxF/YCyCkg6j
-----END PRIVATE KEY-----
`,
};

/** The files of an identity; another identity can overwrite them. */
export function identityFiles(first: Identity): {
  certFile: string;
  keyFile: string;
  write(identity: Identity): void;
  remove(): void;
} {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-tls-'));
  const [certFile, keyFile] = [join(dir, 'cert.pem'), join(dir, 'key.pem')];
  const write = ({ cert, key }: Identity) => {
    writeFileSync(certFile, cert);
    writeFileSync(keyFile, key);
  };
  write(first);
  return { certFile, keyFile, write, remove: () => rmSync(dir, { recursive: true, force: true }) };
}
