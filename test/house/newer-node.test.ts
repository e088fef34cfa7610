/**
 * The main paths on newer versions of Node: worker threads, the engine, HTTP, MCP, the command line and the access store. Node
 * changes what messages between threads may move, for example. `.ci/run` installs these versions.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CACHE } from './cache.js';
import { NEWER_NODES } from './npm-tools.js';

/** Tests among the compiled ones. */
const TESTS = [
  'access/counters.test.js',
  'api/semantic.test.js',
  'engine.test.js',
  'give-back.test.js',
  'http/adapter-answers.test.js',
  'http/adapter-requests.test.js',
  'http/server.test.js',
  'mcp/tools.test.js',
  'pool/pool.test.js',
];

/** Tests of both HTTP adapters. They start no other process of Node. */
const ADAPTER_TESTS = [
  'api/errors.test.js',
  'api/semantic.test.js',
  'http/adapter-answers.test.js',
  'http/adapter-events.test.js',
  'http/adapter-requests.test.js',
  'mcp/sse.test.js',
];

/** Its C library is new enough for uWebSockets.js on Node 24. Whole if it holds a file `complete`. */
const DEBIAN_13 = join(CACHE, 'debian-13');

const skip =
  NEWER_NODES.length > 0 ? false : 'no other Node is installed; .ci/run installs them on Linux x64';

/** Runs compiled tests, of which none may fail. @returns their output */
async function pass(program: string, before: readonly string[], tests: readonly string[]): Promise<string> {
  const files = tests.map((name) => fileURLToPath(new URL(`../${name}`, import.meta.url)));
  // Without the variables of this run, by which the tests would report to it.
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env;
  const args = [...before, '--test', '--test-reporter=spec', '--test-concurrency=1', ...files];
  const child = spawn(program, args, { env });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(child, 'close')) as [number | null];
  assert.equal(code, 0, output.slice(-5_000));
  assert.ok(Number(/^\S+ pass (\d+)/m.exec(output)?.[1]) > 50, 'the tests ran');
  return output;
}

describe('newer versions of Node', { skip }, () => {
  for (const node of NEWER_NODES)
    it(`pass the tests of the main paths: ${node.split('/').at(-3)}`, async () => {
      await pass(node, [], TESTS);
    });

  const noLibrary = existsSync(join(DEBIAN_13, 'complete'))
    ? false
    : 'no files of Debian 13; .ci/run fetches them';
  it('pass the tests of uWebSockets.js, with the C library of Debian 13', { skip: noLibrary }, async () => {
    const libraries = ['lib', 'usr/lib']
      .map((folder) => join(DEBIAN_13, folder, 'x86_64-linux-gnu'))
      .join(':');
    const before = ['--library-path', libraries, NEWER_NODES[0]!, '--test-isolation=none'];
    const output = await pass(join(DEBIAN_13, 'lib64/ld-linux-x86-64.so.2'), before, ADAPTER_TESTS);
    assert.doesNotMatch(output, /uWebSockets.js does not load/);
  });
});
