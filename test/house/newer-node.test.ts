/**
 * The main paths on newer versions of Node: worker threads, the engine, HTTP, MCP, the command line and the access store. Node
 * changes what messages between threads may move, for example. `.ci/run` installs these versions.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
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

const skip =
  NEWER_NODES.length > 0 ? false : 'no other Node is installed; .ci/run installs them on Linux x64';

describe('newer versions of Node', { skip }, () => {
  for (const node of NEWER_NODES) {
    it(`pass the tests of the main paths: ${node.split('/').at(-3)}`, async () => {
      const files = TESTS.map((name) => fileURLToPath(new URL(`../${name}`, import.meta.url)));
      // Without the variables of this run, by which the tests would report to it.
      const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env;
      const child = spawn(node, ['--test', '--test-reporter=spec', '--test-concurrency=1', ...files], {
        env,
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => (output += text));
      const [code] = (await once(child, 'close')) as [number | null];
      assert.equal(code, 0, output.slice(-5_000));
      assert.ok(Number(/^\S+ pass (\d+)/m.exec(output)?.[1]) > 90, 'the tests ran');
    });
  }
});
