/** Both HTTP adapters behind nginx, with deploy/nginx.conf and with nginx's defaults. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { IDLE_TIMEOUT_MS } from '../../src/http/adapters/adapter.js';
import { BODY_MAX_BYTES } from '../../src/limits.js';
import { ADAPTERS } from '../adapters.js';
import { SEMANTIC } from '../api/service.js';
import { read } from '../house/checkout.js';
import { codeBlocks } from '../house/docs.js';
import {
  answersHalfClosedClients,
  cancelsWhatNobodyWaitsFor,
  itServesBehindAProxy,
  itTellsWhenTheServerIsGone,
  knowsTheClient,
} from './behind.js';
import { changed, jsonOf, missingProgram, ProxiedService, type ProxyProgram } from './proxy.js';

const skip = missingProgram('nginx');
const RECOMMENDED = read('deploy/nginx.conf');

const NGINX: ProxyProgram = {
  name: 'nginx',
  command(site, folder) {
    const main = `
      ${process.getuid?.() === 0 ? 'user root;' : ''}
      worker_processes 1;
      error_log stderr error;
      pid ${folder}/nginx.pid;
      events {}
      http {
        access_log off;
        ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
        include ${folder}/site.conf;
      }`;
    writeFileSync(join(folder, 'site.conf'), site);
    writeFileSync(join(folder, 'nginx.conf'), main);
    return ['nginx', '-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'];
  },
};

const recommended = ({ own, server, folder }: { own: number; server: number; folder: string }) =>
  changed(
    RECOMMENDED,
    ['127.0.0.1:8080', `127.0.0.1:${server}`],
    ['listen 443', `listen 127.0.0.1:${own}`],
    ['/etc/ssl/priorart', folder],
    ['client_body_timeout 8s', 'client_body_timeout 1s'],
  );

const byDefault = ({ own, server }: { own: number; server: number }) => `
  server {
    listen 127.0.0.1:${own};
    location / { proxy_pass http://127.0.0.1:${server}; }
  }`;

it('in deploy/nginx.conf, nginx closes idle connections before the server does', () => {
  const [, seconds] = /keepalive_timeout (\d+)s;/.exec(RECOMMENDED)!;
  assert.ok(Number(seconds) * 1_000 < IDLE_TIMEOUT_MS);
});

for (const adapter of ADAPTERS) {
  describe(`behind nginx with deploy/nginx.conf (${adapter})`, { skip }, () => {
    const proxied = itServesBehindAProxy(() =>
      ProxiedService.start(NGINX, adapter, recommended, { settings: { trustProxy: '1' } }),
    );

    it('answers requests with too many header fields as the adapter does', async () => {
      const headers = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`h${i}`, 'x']));
      const { status } = await proxied().ask('/livez', { headers });
      // uWebSockets.js closes the connection after 10 s.
      assert.equal(status, adapter === 'uws' ? 503 : 200);
    });

    it("takes the client's address from Forwarded, as docs/operations.md describes", async (t) => {
      const block = codeBlocks(read('docs/operations.md')).find(({ language }) => language === 'nginx')!;
      const [map, line] = block.text.trim().split('\n');
      const settings = { trustProxy: '1', trustProxyHeader: 'forwarded' } as const;
      const forwarded = await ProxiedService.start(
        NGINX,
        adapter,
        (where) => `${map}\n${changed(recommended(where), ['proxy_set_header Forwarded "";', line!])}`,
        { settings },
      );
      t.after(() => forwarded.stop());
      await knowsTheClient(forwarded);
    });

    it('answers a client that closes its sending side if nginx is configured for this', async (t) => {
      const patient = await ProxiedService.start(NGINX, adapter, (where) =>
        changed(recommended(where), [
          'proxy_read_timeout',
          'proxy_ignore_client_abort on; proxy_read_timeout',
        ]),
      );
      t.after(() => patient.stop());
      await answersHalfClosedClients(patient);
    });

    it('serves below a path prefix', async (t) => {
      const below = await ProxiedService.start(NGINX, adapter, (where) =>
        changed(
          recommended(where),
          ['location /admin {', 'location /patents/admin {'],
          [
            /deny all;\s+proxy_pass http:\/\/priorart;/.exec(recommended(where))![0],
            'deny all; proxy_pass http://priorart/admin;',
          ],
          ['location / {', 'location /patents/ {'],
          ['proxy_pass http://priorart;', 'proxy_pass http://priorart/;'],
        ),
      );
      t.after(() => below.stop());
      const { path, bytes } = below.drawing;
      const redirect = await below.ask(`/patents${path}`);
      assert.equal(redirect.status, 302);
      const link = new URL(redirect.headers.location!, `https://127.0.0.1/patents${path}`);
      assert.ok((await below.ask(link.pathname + link.search)).body.equals(bytes));
      const plans = '/patents/admin/api/v1/plans';
      assert.equal((await below.ask(plans)).status, 401, 'from this machine, without the secret');
      for (const written of [plans, plans.replace('admin', '%61dmin'), plans.replace('/admin', '//admin')])
        assert.equal((await below.ask(written, { from: '127.0.0.9' })).status, 403, written);
    });
    itTellsWhenTheServerIsGone(proxied);
  });
}

describe('behind nginx with its defaults', { skip }, () => {
  it("the node adapter answers, and logs the proxy's address as the client's", async (t) => {
    const proxied = await ProxiedService.start(NGINX, 'node', byDefault, { isSecure: false });
    t.after(() => proxied.stop());
    const answer = await proxied.post(SEMANTIC, { query: 'q' }, { from: '127.0.0.9' });
    assert.equal(jsonOf(answer)['total'], 10);
    assert.deepEqual(proxied.clientsOf('semantic'), ['127.0.0.1']);
    const headers = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`h${i}`, 'x']));
    assert.equal((await proxied.ask('/livez', { headers })).status, 200);
    assert.equal((await proxied.ask('/livez', { headers: { my_header: '1' } })).status, 200);
    const large = await proxied.post(SEMANTIC, ' '.repeat(BODY_MAX_BYTES + 1));
    assert.deepEqual([large.status, large.headers['content-type']], [413, 'text/html']);
    await cancelsWhatNobodyWaitsFor(proxied);
    await proxied.service.server.close();
    const gone = await proxied.ask('/livez');
    assert.deepEqual([gone.status, gone.headers['content-type']], [502, 'text/html']);
  });

  it('the uws adapter answers every request 505, because nginx uses HTTP/1.0', async (t) => {
    const proxied = await ProxiedService.start(NGINX, 'uws', byDefault, { isSecure: false });
    t.after(() => proxied.stop());
    const answer = await proxied.ask('/livez');
    assert.equal(answer.status, 505);
    assert.match(answer.body.toString(), /<h1>/);
  });
});
