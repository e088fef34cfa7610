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

const MOST_BYTES = { mcp: 300_000, oauth: 850_000 };
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

/** Makes a bundle, and returns its bytes. */
function bundled(name: string, output: string): number {
  const file = join(folder, output);
  rmSync(file);
  run(`import { bundle } from ${JSON.stringify(`${ROOT}/scripts/setup/bundle.mjs`)};
    await bundle(${JSON.stringify(ROOT)}, ${JSON.stringify(name)}, ${JSON.stringify(file)});`);
  return statSync(file).size;
}

it('the bundle of MCP takes little room, and serves both eras without the library', () => {
  const bytes = bundled('mcp', 'dist/src/mcp/sdk.js');
  assert.ok(bytes < MOST_BYTES.mcp, `${bytes} bytes`);
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
  bundled('mcp', 'dist/src/mcp/sdk.js');
  const bytes = bundled('oauth', 'dist/src/http/oauth/library.js');
  assert.ok(bytes < MOST_BYTES.oauth, `${bytes} bytes`);
  const output = run(`
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
    console.log(answer.status, await answer.text());
    const { OAuth } = await import(${JSON.stringify(join(folder, 'dist/src/http/admission/oauth.js'))});
    const settings = { oauthIssuer: 'x', oauthJwks: 'https://localhost/', publicUrl: 'https://localhost' };
    await OAuth.of(settings).keyOf('x').catch(({ code }) => console.log(code));
    await server.close();
    await access.close();`);
  assert.match(output, /^201 \{.*"client_id":"client_.*\}\nunauthorized\n$/);
});
