/** Adapters with TLS, and addresses in the form of uWebSockets.js. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressText } from '../../src/http/adapters/uws-request.js';
import { onEachHttpAdapter } from './adapter-server.js';
import { A, B, identityFiles } from './certificates.js';
import { get, secure } from './raw.js';

onEachHttpAdapter('TLS', (server) => {
  it('serves HTTPS, uses a new certificate for new connections, and keeps open ones', async (t) => {
    const files = identityFiles(A);
    t.after(() => files.remove());
    await server.start({ tls: files });
    const before = await secure(server.port, A.cert);
    assert.equal(await before.ask('/now?first'), 'now first');
    assert.equal(await before.ask('/big?200000'), 'b'.repeat(200_000));
    files.write(B);
    server.adapter!.replaceTls(files);
    const after = await secure(server.port, B.cert);
    assert.equal(await after.ask('/now?new'), 'now new');
    assert.equal(await before.ask('/now?old'), 'now old');
    await assert.rejects(secure(server.port, A.cert), 'the old certificate is replaced');
    // Plain HTTP on a TLS port, and an incomplete handshake.
    const plain = server.client().write(get('/now?plain'));
    server.client().write('\x16\x03\x01\x00\xa5\x01');
    assert.notEqual((await plain.reply({ ms: 1_000 }).catch(() => undefined))?.status, 200);
    assert.equal(await after.ask('/now?alive'), 'now alive');
    const running = after.ask('/later?150');
    while (server.adapter!.activeRequests < 1) await sleep(5);
    const closing = server.adapter!.close(5_000);
    server.adapter = undefined;
    assert.equal(await running, 'later 150');
    await closing;
    for (const one of [before, after]) one.end();
  });

  it('refuses an invalid certificate, and keeps the current one', async (t) => {
    const files = identityFiles(A);
    t.after(() => files.remove());
    await server.start({ tls: files });
    files.write({ cert: 'nothing', key: 'nothing' });
    assert.throws(() => server.adapter!.replaceTls(files));
    const one = await secure(server.port, A.cert);
    assert.equal(await one.ask('/now?still'), 'now still');
    one.end();
  });
});

describe('addresses of uWebSockets.js', () => {
  it('addresses are written in the usual notation', () => {
    assert.equal(addressText(Uint8Array.of(10, 0, 0, 1)), '10.0.0.1');
    assert.equal(addressText(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 0, 0, 1)), '10.0.0.1');
    assert.equal(addressText(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)), '::1');
    const documentation = Uint8Array.of(0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xaf);
    assert.equal(addressText(documentation), '2001:db8::af');
    assert.equal(addressText(new Uint8Array(0)), '');
  });
});
