/**
 * The official conformance suite, as far as it applies. Most of its scenarios call tools that only a server made for the
 * suite has (`test_simple_text`), or features that this server does not announce: completion, logging, sampling,
 * elicitation, subscriptions, tasks.
 *
 * The suite needs Node ≥ 22 and is not a dependency. To run it, install @modelcontextprotocol/conformance@0.2.0-alpha.12 in
 * some folder, and set PRIORART_TEST_CONFORMANCE to the path of its dist/index.js.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { after, before, it } from 'node:test';
import { onEachAdapter, Service } from '../api/service.js';

const SUITE = process.env['PRIORART_TEST_CONFORMANCE'];
const skip = SUITE === undefined ? 'PRIORART_TEST_CONFORMANCE names no conformance suite' : false;

/** Scenarios that need no tools of the suite. */
const SCENARIOS = [
  'tools-list',
  'resources-list',
  'prompts-list',
  'caching',
  'sep-2164-resource-not-found',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
  'http-header-validation',
  'input-required-result-missing-input-response',
  'input-required-result-unsupported-methods',
  'input-required-result-ignore-extra-params',
  'input-required-result-validate-input',
];

onEachAdapter('the conformance suite of MCP', (adapter) => {
  let service: Service;
  let proxy: Server;
  let url: string;
  before(async () => {
    service = await Service.start(adapter);
    // The suite cannot send a key.
    proxy = createServer((message, response) => {
      const headers = { ...message.headers, 'x-api-key': service.key };
      const inner = request(
        { host: '127.0.0.1', port: service.server.port, method: message.method, path: message.url, headers },
        (answer) => {
          response.writeHead(answer.statusCode!, answer.headers);
          answer.pipe(response);
        },
      );
      inner.on('error', () => response.destroy());
      message.pipe(inner);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    url = `http://127.0.0.1:${(proxy.address() as { port: number }).port}/mcp`;
  });
  after(async () => {
    proxy.close();
    proxy.closeAllConnections();
    await service.stop();
  });

  for (const scenario of SCENARIOS) {
    it(`passes ${scenario}`, { skip }, async () => {
      const child = spawn(process.execPath, [SUITE!, 'server', '--url', url, '--scenario', scenario]);
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => (output += text));
      const [code] = await once(child, 'close');
      assert.equal(code, 0, output.slice(-3_000));
      assert.match(output, /Passed: (\d+)\/\1, 0 failed/);
    });
  }
});
