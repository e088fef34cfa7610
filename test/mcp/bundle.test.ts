/** The package as `npm pack` makes it: without the protocol's library, whose parts are in one file. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, it } from 'node:test';
import { ROOT } from '../house/checkout.js';

const INITIALIZE = {
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const DISCOVER = {
  ...{ jsonrpc: '2.0', id: 1, method: 'server/discover' },
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
};

/** A sign-in, and a refresh, as a client and a browser do them: every kind of record is written and read. */
const WHOLE_FLOW = `
    const account = await access.createAccount({ name: 'Team', plan: 'pro' });
    await access.passwords.set(account.id, 'a password of the team');
    const verifier = 'v'.repeat(43);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const client = { client_id: registered.client_id, redirect_uri: 'http://127.0.0.1:9/' };
    const cookies = new Map();
    const visit = async (path, form) => {
      const headers = { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') };
      const { pathname, search } = new URL(path, server.url);
      const body = form && new URLSearchParams(form);
      const reply = await fetch(server.url + pathname + search, { method: body ? 'POST' : 'GET', body, headers, redirect: 'manual' });
      for (const cookie of reply.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
        cookies.set(name, value);
      }
      return reply;
    };
    const query = new URLSearchParams({ ...client, response_type: 'code', code_challenge: challenge, code_challenge_method: 'S256', scope: 'offline_access', state: 's' });
    const page = (await visit('/oauth/authorize?' + query)).headers.get('location');
    console.log('signed in', (await visit(page, { step: 'sign-in', account: 'Team', password: 'a password of the team' })).status);
    const resumed = await visit(page, { step: 'allow' });
    const back = await visit(resumed.headers.get('location'));
    console.log('allowed', back.status < 400 ? 302 : back.status);
    const code = new URL(back.headers.get('location')).searchParams.get('code');
    const token = await visit('/oauth/token', { ...client, grant_type: 'authorization_code', code, code_verifier: verifier });
    const { refresh_token } = await token.json();
    console.log('token', token.status);
    console.log('refreshed', (await visit('/oauth/token', { ...client, grant_type: 'refresh_token', refresh_token })).status);`;

/** Compiled files that bundles replace, and their most bytes. */
const BUNDLES = {
  mcp: ['dist/src/mcp/sdk.js', 300_000],
  oauth: ['dist/src/http/oauth/library.js', 850_000],
  metrics: ['dist/src/observe/prometheus.js', 100_000],
} as const;

/** The compiled program without the libraries that are bundled. */
let folder: string;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'priorart-bundled-'));
  cpSync(join(ROOT, 'dist/src'), join(folder, 'dist/src'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  for (const name of ['native', 'models']) symlinkSync(join(ROOT, name), join(folder, name));
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), link);
  }
  const made = Object.entries(BUNDLES).map(([name, [file]]) => [name, join(folder, file)]);
  run(`import { bundle } from ${JSON.stringify(`${ROOT}/scripts/setup/bundle.mjs`)};
    for (const [name, file] of ${JSON.stringify(made)}) await bundle(${JSON.stringify(ROOT)}, name, file);`);
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a script. Its output. */
function run(script: string): string {
  const file = join(folder, 'script.mjs');
  writeFileSync(file, script);
  const made = spawnSync(process.execPath, [file], { encoding: 'utf8' });
  assert.equal(made.status, 0, made.stderr);
  return made.stdout;
}

function assertSmall(name: keyof typeof BUNDLES): void {
  const [file, most] = BUNDLES[name];
  const { size } = statSync(join(folder, file));
  assert.ok(size < most, `${size} bytes`);
}

it('the bundle of MCP takes little room, and serves both eras without the library', () => {
  assertSmall('mcp');
  for (const [opening, expected] of [
    [INITIALIZE, /"protocolVersion":"2025-11-25"/],
    [DISCOVER, /"supportedVersions":\["2026-07-28"\]/],
  ] as const) {
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [join(folder, 'dist/src/cli/main.js'), 'mcp', '--url', 'http://127.0.0.1:9'],
      { input: `${JSON.stringify(opening)}\n`, encoding: 'utf8' },
    );
    assert.match(stdout, expected, stderr);
  }
});

it('the bundle of OAuth takes little room, and answers without the libraries and without advice', () => {
  assertSmall('oauth');
  const output = run(`
    import { createHash } from 'node:crypto';
    import { startServer } from ${JSON.stringify(join(folder, 'dist/src/http/server.js'))};
    import { AccessStore } from ${JSON.stringify(join(folder, 'dist/src/access/store.js'))};
    import { createLog } from ${JSON.stringify(join(folder, 'dist/src/observe/log.js'))};
    console.warn = (text) => console.log(text);
    const access = AccessStore.open(${JSON.stringify(join(folder, 'access'))});
    const server = await startServer({
      access,
      engine: { ready: () => ({ ready: true, missing: [] }) },
      log: createLog('error', { write: (line) => console.log(line) }),
      config: {
        host: '127.0.0.1', port: 0, httpAdapter: 'node', deadlineMs: 1000, shutdownGraceMs: 1000,
        publicUrl: 'http://127.0.0.1:9', oauthEmbedded: 'on',
      },
    });
    const answer = await fetch(server.url + '/oauth/register', {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ redirect_uris: ['http://127.0.0.1:9/'] }),
    });
    const registered = await answer.json();
    console.log(answer.status, registered.client_id.slice(0, 7));
    ${WHOLE_FLOW}
    const { OAuth } = await import(${JSON.stringify(join(folder, 'dist/src/http/admission/oauth.js'))});
    const settings = { oauthIssuer: 'x', oauthJwks: 'https://localhost/', publicUrl: 'https://localhost' };
    await OAuth.of(settings).keyOf('x').catch(({ code }) => console.log(code));
    await server.close();
    await access.close();`);
  assert.equal(output, '201 client_\nsigned in 200\nallowed 302\ntoken 200\nrefreshed 200\nunauthorized\n');
});

it('the bundle of metrics takes little room, and shows metrics without the library', () => {
  assertSmall('metrics');
  const output = run(`
    import { Metrics } from ${JSON.stringify(join(folder, 'dist/src/observe/metrics.js'))};
    const text = await new Metrics().text();
    console.log(text);`);
  assert.match(output, /^process_cpu_seconds_total /m);
});
