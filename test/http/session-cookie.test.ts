/** Set-Cookie of sessions: Secure, and the path below which a proxy serves the server. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { sessionCookie } from '../../src/http/admission/cookie.js';
import { onEachAdapter, Service } from '../api/service.js';

const MADE = { name: 's', token: 't', path: '/admin', maxAge: 60 };
const PUBLIC = { host: 'example.com' };

it('a cookie is Secure if the certificate, the proxy or the public address tells of TLS', () => {
  const isSecure = (headers: Record<string, string>, config: object) =>
    sessionCookie({ headers }, MADE, config).endsWith('; Secure');
  assert.equal(isSecure(PUBLIC, {}), false);
  assert.equal(isSecure(PUBLIC, { publicUrl: 'http://example.com' }), false);
  assert.equal(isSecure(PUBLIC, { publicUrl: 'https://example.com' }), true);
  assert.equal(isSecure(PUBLIC, { tlsCert: 'cert.pem' }), true);
  assert.equal(isSecure({ ...PUBLIC, 'x-forwarded-proto': 'https' }, {}), true);
});

it('the path begins with that of the public address, unless a browser of this machine needs no proxy', () => {
  const pathOf = (headers: Record<string, string>, publicUrl?: string, path = '/admin') =>
    /; Path=([^;]*);/.exec(sessionCookie({ headers }, { ...MADE, path }, { publicUrl }))![1];
  assert.equal(pathOf(PUBLIC), '/admin');
  assert.equal(pathOf(PUBLIC, 'https://example.com'), '/admin');
  assert.equal(pathOf(PUBLIC, 'https://example.com/patents'), '/patents/admin');
  assert.equal(pathOf(PUBLIC, 'https://example.com/patents', '/'), '/patents/');
  const local = { host: '127.0.0.1:8080' };
  assert.equal(pathOf(local, 'https://example.com/patents'), '/admin');
  assert.equal(
    pathOf({ ...local, 'x-forwarded-for': '::1' }, 'https://example.com/patents'),
    '/patents/admin',
  );
});

onEachAdapter('sessions of a server below a path', (adapter) => {
  it('the administrator gets a cookie for that path and for TLS', async (t) => {
    const publicUrl = 'https://example.com/patents';
    const service = await Service.start(adapter, 10_000, {}, { publicUrl });
    t.after(() => service.stop());
    const secret = readFileSync(join(service.accessFolder, 'admin-secret'), 'utf8').trim();
    const { headers } = await service.post(
      '/admin/api/v1/session',
      { secret },
      { 'x-api-key': undefined, 'x-forwarded-for': '192.0.2.1' },
    );
    assert.match(headers.get('set-cookie')!, /; Path=\/patents\/admin; .*; Secure$/);
  });
});
