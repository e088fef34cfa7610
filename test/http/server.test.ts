import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import Module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { AccessStore } from '../../src/access/store.js';
import { isPriorartError } from '../../src/errors.js';
import { startServer } from '../../src/http/server.js';
import { createLog } from '../../src/observe/log.js';
import { MemoryEngine } from '../api/service.js';

type Load = (request: string, ...rest: unknown[]) => unknown;

/** Runs a test as on a system without a binary of uWebSockets.js. */
async function withoutUws(run: () => Promise<void>): Promise<void> {
  const loader = Module as unknown as { _load: Load };
  const load = loader._load;
  loader._load = (request, ...rest) => {
    if (request === 'uWebSockets.js') {
      // The error of its loader.
      const own = "Error: libc.so.6: version `GLIBC_2.38' not found";
      throw new Error(`This version of uWS.js supports only Node.js versions 20 and 22.\n\n${own}`);
    }
    return load.call(loader, request, ...rest);
  };
  try {
    await run();
  } finally {
    loader._load = load;
  }
}

// A server makes the administrator's secret in the folder of the keys.
const folder = mkdtempSync(join(tmpdir(), 'priorart-server-'));
after(() => rmSync(folder, { recursive: true }));

function parts(httpAdapter: 'auto' | 'uws' | 'node', lines: string[]) {
  return {
    engine: new MemoryEngine(),
    access: AccessStore.open(join(folder, 'access'), { create: false }),
    log: createLog('info', { write: (line) => void lines.push(line) }),
    config: { host: '127.0.0.1', port: 0, httpAdapter, deadlineMs: 1_000, shutdownGraceMs: 100 },
  };
}

describe('server', () => {
  it('uses uWebSockets.js if it loads', async (t) => {
    const server = await startServer(parts('auto', []));
    t.after(() => server.close());
    assert.equal(server.adapter, 'uws');
  });

  it('uses node:http otherwise, with a log line', async (t) => {
    await withoutUws(async () => {
      const lines: string[] = [];
      const server = await startServer(parts('auto', lines));
      t.after(() => server.close());
      assert.equal(server.adapter, 'node');
      assert.equal((await fetch(`${server.url}/livez`)).status, 200);
      const warning = lines.map((line) => JSON.parse(line)).find(({ level }) => level === 'warn');
      assert.match(
        warning?.msg,
        /^uWebSockets\.js does not load; using node:http, which is slower\. Add it with `npm install uWebSockets\.js@npm:/,
      );
      assert.equal(warning?.reason, "libc.so.6: version `GLIBC_2.38' not found");
      assert.equal('err' in warning, false, 'no stack');
    });
  });

  it('does not start with another adapter than the configured one', async () => {
    await withoutUws(async () => {
      await assert.rejects(
        startServer(parts('uws', [])),
        (error: unknown) =>
          isPriorartError(error) &&
          error.code === 'addon_missing' &&
          /GLIBC_2\.38' not found; /.test(error.message),
      );
    });
  });
});
