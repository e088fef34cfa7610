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
import { uwsIsMissing } from '../adapters.js';
import { MemoryEngine } from '../api/service.js';

type Load = (request: string, ...rest: unknown[]) => unknown;

/** The errors of its loader: of a binary that does not fit the system, and of one that is not there. */
const TOO_NEW = ofLoader("libc.so.6: version `GLIBC_2.38' not found");
const NO_BINARY = ofLoader("Cannot find module './uws_linux_x64_999.node'");
const NO_PACKAGE = "Cannot find module 'uWebSockets.js'\nRequire stack:\n- uws.js";

function ofLoader(own: string): string {
  return `This version of uWS.js supports only Node.js versions 20 and 22.\n\nError: ${own}`;
}

/** Runs a test as on a system without a binary of uWebSockets.js. */
async function withoutUws(error: string, run: () => Promise<void>): Promise<void> {
  const loader = Module as unknown as { _load: Load };
  const load = loader._load;
  loader._load = (request, ...rest) => {
    if (request === 'uWebSockets.js') {
      throw new Error(error);
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
  // Newer versions of Node may lack a binary.
  const notNode20 = process.version.startsWith('v20.') ? false : 'for Node 20';
  it('loads uWebSockets.js', { skip: notNode20 }, () => assert.equal(uwsIsMissing, false));

  it('uses uWebSockets.js if it loads', { skip: uwsIsMissing }, async (t) => {
    const server = await startServer(parts('auto', []));
    t.after(() => server.close());
    assert.equal(server.adapter, 'uws');
  });

  it('uses node:http otherwise, with a log line', async (t) => {
    await withoutUws(TOO_NEW, async () => {
      const lines: string[] = [];
      const server = await startServer(parts('auto', lines));
      t.after(() => server.close());
      assert.equal(server.adapter, 'node');
      assert.equal((await fetch(`${server.url}/livez`)).status, 200);
      const warning = lines.map((line) => JSON.parse(line)).find(({ level }) => level === 'warn');
      assert.equal(warning?.msg, 'uWebSockets.js does not load; using node:http, which is slower');
      assert.equal(warning?.reason, "libc.so.6: version `GLIBC_2.38' not found");
      assert.match(warning?.remedy, /^take a version of Node that it has a binary for \(docs\/http\.md/);
      assert.equal('err' in warning, false, 'no stack');
    });
  });

  for (const [what, error, expected] of [
    ['is missing', NO_PACKAGE, /; add it with `npm install uWebSockets\.js@npm:/],
    [
      'has no binary for this Node',
      NO_BINARY,
      /: it has no binary for Node v[\d.]+ on \w+ \w+; take a version of Node/,
    ],
  ] as const) {
    it(`says that uWebSockets.js ${what}, and what to do`, async () => {
      await withoutUws(error, async () => {
        await assert.rejects(startServer(parts('uws', [])), (error: Error) => expected.test(error.message));
      });
    });
  }

  it('does not start with another adapter than the configured one', async () => {
    await withoutUws(TOO_NEW, async () => {
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
