/** Both HTTP adapters behind HAProxy, with deploy/haproxy.cfg and with its defaults. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { BODY_MAX_BYTES } from '../../src/limits.js';
import { ADAPTERS, uwsIsMissing } from '../adapters.js';
import { SEMANTIC } from '../api/service.js';
import { read } from '../house/checkout.js';
import { codeBlocks } from '../house/docs.js';
import { until } from '../until.js';
import {
  answersHalfClosedClients,
  itServesBehindAProxy,
  itTellsWhenTheServerIsGone,
  knowsTheClient,
} from './behind.js';
import { changed, jsonOf, missingProgram, ProxiedService, type ProxyProgram } from './proxy.js';

const skip = missingProgram('haproxy');

const HAPROXY: ProxyProgram = {
  name: 'haproxy',
  command(config, folder) {
    writeFileSync(join(folder, 'haproxy.cfg'), config);
    return ['haproxy', '-db', '-f', join(folder, 'haproxy.cfg')];
  },
};

const recommended = ({ own, server, folder }: { own: number; server: number; folder: string }) =>
  changed(
    read('deploy/haproxy.cfg'),
    ['127.0.0.1:8080', `127.0.0.1:${server}`],
    ['bind :443', `bind 127.0.0.1:${own}`],
    ['/etc/ssl/priorart', folder],
  );

/** The beginning of Debian's haproxy.cfg, with only the addresses changed. */
const byDefault =
  (backend = '') =>
  ({ own, server }: { own: number; server: number }) =>
    `
defaults
    mode http
    timeout connect 5000
    timeout client 50000
    timeout server 50000
frontend plain
    bind 127.0.0.1:${own}
    default_backend priorart
backend priorart
    ${backend}
    server one 127.0.0.1:${server}${backend === '' ? '' : ' check inter 100'}
`;

for (const adapter of ADAPTERS) {
  describe(`behind HAProxy with deploy/haproxy.cfg (${adapter})`, { skip }, () => {
    const proxied = itServesBehindAProxy(() =>
      ProxiedService.start(HAPROXY, adapter, recommended, { settings: { trustProxy: '1' } }),
    );

    it('answers requests with too many header fields 400', async () => {
      const headers = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`h${i}`, 'x']));
      assert.equal((await proxied().ask('/livez', { headers })).status, 400);
    });

    it("takes the client's address from Forwarded, as docs/operations.md describes", async (t) => {
      const block = codeBlocks(read('docs/operations.md')).find(({ language }) => language === 'haproxy')!;
      const settings = { trustProxy: '1', trustProxyHeader: 'forwarded' } as const;
      const forwarded = await ProxiedService.start(
        HAPROXY,
        adapter,
        (where) => changed(recommended(where), ['http-request del-header Forwarded\n', block.text]),
        { settings },
      );
      t.after(() => forwarded.stop());
      await knowsTheClient(forwarded);
    });

    it('keeps the administration from the public below a path, as docs/operations.md describes', async (t) => {
      const blocks = codeBlocks(read('docs/operations.md')).filter(({ language }) => language === 'haproxy');
      const line = blocks.find(({ text }) => text.includes('replace-path'))!.text;
      const rule = '# The administration is not public.';
      const below = await ProxiedService.start(HAPROXY, adapter, (where) =>
        changed(recommended(where), [
          rule,
          `${line}
    ${rule}`,
        ]),
      );
      t.after(() => below.stop());
      assert.equal((await below.ask('/patents/livez')).status, 200);
      const plans = '/patents/admin/api/v1/plans';
      assert.equal((await below.ask(plans)).status, 401, 'from this machine, without the secret');
      for (const written of [plans, plans.replace('admin', '%61dmin'), '/admin/api/v1/plans'])
        assert.equal((await below.ask(written, { from: '127.0.0.9' })).status, 403, written);
    });

    it('answers a client that closes its sending side without "option abortonclose"', async (t) => {
      const patient = await ProxiedService.start(HAPROXY, adapter, (where) =>
        changed(recommended(where), ['option abortonclose', '']),
      );
      t.after(() => patient.stop());
      await answersHalfClosedClients(patient);
    });

    it('checks /readyz, and sends no request to a server that is not ready', async (t) => {
      const checked = await ProxiedService.start(HAPROXY, adapter, (where) =>
        changed(recommended(where), ['inter 2s', 'inter 100ms']),
      );
      t.after(() => checked.stop());
      const status = async () => (await checked.ask('/livez')).status;
      assert.equal(await status(), 200);
      checked.service.engine.missing = ['index'];
      await until(async () => (await status()) === 503, 'the server is removed');
      checked.service.engine.missing = [];
      await until(async () => (await status()) === 200, 'the server is back');
    });
    itTellsWhenTheServerIsGone(proxied);
  });

  describe(`behind HAProxy with its defaults (${adapter})`, { skip }, () => {
    it("answers, and logs the proxy's address as the client's", async (t) => {
      const proxied = await ProxiedService.start(HAPROXY, adapter, byDefault(), { isSecure: false });
      t.after(() => proxied.stop());
      const answer = await proxied.post(SEMANTIC, { query: 'q' }, { from: '127.0.0.9' });
      assert.equal(jsonOf(answer)['total'], 10);
      assert.deepEqual(proxied.clientsOf('semantic'), ['127.0.0.1']);
      const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`h${i}`, 'x']));
      assert.equal((await proxied.ask('/livez', { headers: many })).status, 400);
      const underscore = await proxied.ask('/livez', { headers: { my_header: '1' } });
      assert.equal(underscore.status, adapter === 'uws' ? 502 : 200);
      const large = await proxied.post(SEMANTIC, ' '.repeat(BODY_MAX_BYTES + 1));
      assert.deepEqual([large.status, large.headers['x-error-code']], [413, 'body_too_large']);
      await answersHalfClosedClients(proxied);
      await proxied.service.server.close();
      const gone = await proxied.ask('/livez');
      assert.deepEqual([gone.status, gone.headers['content-type']], [503, 'text/html']);
    });
  });
}

describe('HAProxy with only "option httpchk"', { skip }, () => {
  it('considers the uws adapter down, because it checks in HTTP/1.0', { skip: uwsIsMissing }, async (t) => {
    const proxied = await ProxiedService.start(HAPROXY, 'uws', byDefault('option httpchk'), {
      isSecure: false,
    });
    t.after(() => proxied.stop());
    await until(async () => (await proxied.ask('/livez')).status === 503, 'the server is considered down');
  });
});
