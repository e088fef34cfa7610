/** `priorart mcp`: what it prints and where, its configurations, and wrong usage. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { CLIENTS } from '../../src/mcp/client-config.js';
import { CLI, launch, priorart } from '../crash/folder.js';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const SEARCH = {
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name: 'search_patents', arguments: { query: 'x' } },
};

/** Sends messages, waits for `answers` lines, then closes standard input. With none it closes at once. */
async function talk(args: string[], messages: object[], answers: number, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [CLI, 'mcp', ...args], {
    env: { ...process.env, PRIORART_KEY: '', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  const ended = once(child, 'close');
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const told = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (stdout.split('\n').length > answers) resolve();
    });
  });
  for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`);
  if (answers > 0) await Promise.race([told, ended]);
  child.stdin.end();
  const [code] = await ended;
  return {
    code,
    stderr,
    lines: stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  };
}

describe('priorart mcp', () => {
  it('prints the protocol only, and ends with its client', async () => {
    const { code, lines, stderr } = await talk(['--url', 'http://127.0.0.1:9'], [INITIALIZE, SEARCH], 2);
    assert.equal(code, 0);
    assert.equal(lines[0].result.serverInfo.name, 'priorart');
    assert.equal(lines[1].result.isError, true);
    assert.match(
      lines[1].result.content[0].text,
      /unavailable.*http:\/\/127\.0\.0\.1:9 cannot be reached.*Wait 5 s/s,
    );
    assert.match(stderr, /PRIORART_KEY is not set/);
    assert.match(stderr, /serving MCP/);
  });

  it('answers all calls that were sent before standard input ended', async () => {
    const { createServer } = await import('node:http');
    const slow = createServer((_, response) => setTimeout(() => response.end('{}'), 50));
    slow.listen(0, '127.0.0.1');
    await once(slow, 'listening');
    const { port } = slow.address() as { port: number };
    try {
      const calls = [2, 3, 4, 5, 6, 7].map((id) => ({ ...SEARCH, id }));
      const env = { PRIORART_BASE_URL: `http://127.0.0.1:${port}/`, PRIORART_KEY: 'psk_live_x' };
      const { code, lines } = await talk([], [INITIALIZE, ...calls], 0, env);
      assert.equal(code, 0);
      assert.deepEqual(lines.map(({ id }) => id).sort(), [1, 2, 3, 4, 5, 6, 7]);
    } finally {
      slow.close();
    }
  });

  it('the error for a server of another program says that it is not priorart', async () => {
    const { createServer } = await import('node:http');
    const server = createServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    try {
      const { lines } = await talk([], [INITIALIZE, SEARCH], 2, {
        PRIORART_BASE_URL: `http://127.0.0.1:${port}/`,
        PRIORART_KEY: 'psk_live_x',
      });
      assert.match(lines[1].result.content[0].text, /is not JSON; check the base URL/);
    } finally {
      server.close();
    }
  });

  it('prints a configuration for each client, without the key of this machine', async () => {
    const env = { ...process.env, PRIORART_KEY: 'psk_live_secret' };
    for (const client of Object.keys(CLIENTS)) {
      for (const args of [
        ['--data', './patents'],
        ['--url', 'https://patents.example.com/x/', '--remote'],
        [],
      ]) {
        // Starts processes only: see "refuses wrong usage".
        if (client === 'claude-desktop' && args.includes('--remote')) continue;
        const { code, stdout, stderr } = await launch(CLI, ['mcp', '--print-config', client, ...args], env)
          .ended;
        assert.equal(code, 0, stderr);
        assert.match(stderr, /^Put this into /);
        assert.doesNotMatch(stdout, /psk_live_secret/);
        if (args.includes('--remote')) assert.match(stdout, /https:\/\/patents\.example\.com\/x\/mcp/);
        else assert.ok(stdout.includes(CLI), 'an absolute path');
        if (!args.includes('--data')) assert.match(stdout, /YOUR_API_KEY/);
        if (stdout.startsWith('{')) JSON.parse(stdout);
      }
    }
  });

  it('refuses wrong usage', async () => {
    for (const [args, expected] of [
      [['--print-config', 'nothing'], /got "nothing"; expected one of claude-desktop/],
      [['--url', 'ftp://x'], /--url: got "ftp:\/\/x"/],
      [['--url', 'http://user:pass@x'], /--url/],
      [['--data', 'x', '--url', 'http://x'], /--data opens a folder without a server/],
      [
        ['--url', 'https://x', '--print-config', 'claude-desktop', '--remote'],
        /--remote: the configuration of Claude Desktop starts processes only; leave --remote out/,
      ],
      [['--remote'], /expected it with --print-config/],
    ] as const) {
      const { code, stderr, stdout } = await priorart('mcp', ...args);
      assert.deepEqual([code, stdout], [2, ''], args.join(' '));
      assert.match(stderr, expected);
    }
    const ofVariable = await launch(CLI, ['mcp'], { ...process.env, PRIORART_BASE_URL: 'ftp://x' }).ended;
    assert.match(ofVariable.stderr, /^priorart: PRIORART_BASE_URL: got "ftp:\/\/x"; expected/);
    const missing = await priorart('mcp', '--data', '/nonexistent/folder');
    assert.equal(missing.code, 1);
    assert.equal(missing.stdout, '');
  });
});
