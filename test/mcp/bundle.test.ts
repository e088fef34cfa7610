/** The package as `npm pack` makes it: without the protocol's library, whose parts are in one file. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { ROOT } from '../house/checkout.js';

const MOST_BYTES = 300_000;
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

it('the bundle takes little room, and serves both eras without the library', () => {
  const folder = mkdtempSync(join(tmpdir(), 'priorart-bundled-'));
  try {
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
    const bundled = join(folder, 'dist/src/mcp/sdk.js');
    rmSync(bundled);
    const script = `import { bundleSdk } from ${JSON.stringify(`${ROOT}/scripts/setup/bundle.mjs`)};
      await bundleSdk(${JSON.stringify(ROOT)}, ${JSON.stringify(bundled)});`;
    const made = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
    assert.equal(made.status, 0, made.stderr);
    assert.ok(statSync(bundled).size < MOST_BYTES, `${statSync(bundled).size} bytes`);
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
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
