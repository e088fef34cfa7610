/**
 * schemathesis against /openapi.json: sends valid and invalid requests from the schemas, and checks every answer
 * against the document. `.ci/run` installs it; without it, the test is skipped.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { openDrawings } from '../../src/drawings/open.js';
import { loadConfig } from '../../src/load-config.js';
import { ADAPTERS } from '../adapters.js';
import { FIXTURES } from '../crash/folder.js';
import { ROOT } from '../house/checkout.js';
import { noPython, PYTHON } from '../house/python.js';
import { openBefore } from '../search/collection.js';
import { Service } from './service.js';

const PROGRAM = join(dirname(PYTHON), 'schemathesis');
const skip =
  noPython ||
  (existsSync(PROGRAM) ? false : 'schemathesis is not installed with that Python; .ci/run installs it');
/** Examples of an operation in each phase. With 10, the test takes about a minute. */
const EXAMPLES = process.env['PRIORART_TEST_EXAMPLES'] ?? 10;
const SECRET = 'a secret of the administration for tests';
/** The administration runs separately, because it can turn maintenance on. */
const PARTS = [
  ['the API', '--exclude-path-regex=^/admin/', (service: Service) => `X-API-Key: ${service.key}`],
  ['the administration', '--include-path-regex=^/admin/', () => `Authorization: Bearer ${SECRET}`],
] as const;

describe('schemathesis', { skip }, () => {
  const opened = openBefore(FIXTURES);

  for (const adapter of ADAPTERS) {
    for (const [part, filter, credential] of PARTS) {
      it(`finds no internal error and no undocumented answer: ${part} (${adapter})`, async () => {
        const drawings = await openDrawings(opened.collection.dir, loadConfig({ env: {} }));
        const settings = { adminSecret: SECRET, trustProxy: '127.0.0.1' };
        const service = await Service.start(adapter, 10_000, { engine: opened.engine, drawings }, settings);
        try {
          const { code, output } = await check(service, adapter, [filter, `--header=${credential(service)}`]);
          assert.equal(code, 0, output.slice(-6_000));
          assert.match(output, /[1-9]\d* generated/);
        } finally {
          await service.stop();
        }
      });
    }
  }
});

function check(
  service: Service,
  adapter: string,
  own: readonly string[],
): Promise<{ code: number | null; output: string }> {
  // Working folder for its files.
  const folder = mkdtempSync(join(tmpdir(), 'priorart-schemathesis-'));
  const hooks = JSON.stringify(join(ROOT, 'test/api/schemathesis_hooks.py'));
  writeFileSync(join(folder, 'schemathesis.toml'), `hooks = ${hooks}\n`);
  const args = [
    'run',
    `${service.server.url}/openapi.json`,
    `--max-examples=${EXAMPLES}`,
    '--seed=1',
    '--checks=all',
    ...own,
    '--no-color',
  ];
  const env = { ...process.env, PRIORART_TEST_PLAIN_HEADER_NAMES: adapter === 'uws' ? '1' : '0' };
  const child = spawn(PROGRAM, args, { cwd: folder, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  return new Promise((resolve) => {
    child.once('close', (code) => {
      rmSync(folder, { recursive: true, force: true });
      resolve({ code, output });
    });
  });
}
