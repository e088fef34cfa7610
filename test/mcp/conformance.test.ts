/**
 * The official conformance suite. The tables of docs/mcp.md say which of its checks do not pass, and why: most call tools that
 * only a server made for the suite has (`test_simple_text`). The tests compare every check of every scenario with
 * these tables.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { onEachAdapter, Service } from '../api/service.js';
import { read } from '../house/checkout.js';
import { CONFORMANCE, noConformance } from '../house/npm-tools.js';
import { freePort } from '../http/free-port.js';
import { Visitor } from './oauth-client.js';
import { registered } from './oauth-flow-helper.js';

const skip = noConformance;
const HOOK = new URL('conformance-hook.js', import.meta.url).href;

/** How the suite is asked for the scenarios of a revision. The first is older than its lists of requirements. */
const REVISIONS: Readonly<Record<string, readonly string[]>> = {
  '2025-06-18': ['--suite', 'all', '--spec-version', '2025-06-18'],
  '2025-11-25': ['--requirements', '2025-11-25'],
  '2026-07-28': ['--requirements', '2026-07-28'],
};
/** Words of the tables, by status of the suite. Other statuses are passed checks and information. */
const WORDS: Readonly<Record<string, string>> = { FAILURE: 'fails', WARNING: 'warning', SKIPPED: 'skipped' };

interface Check {
  id: string;
  status: string;
}

/** Runs the suite. Resolves to its output. */
async function suite(args: readonly string[], onOutput: (text: string) => void = () => {}): Promise<string> {
  const child = spawn(process.execPath, ['--import', HOOK, CONFORMANCE!, ...args]);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      onOutput(output);
    });
  await once(child, 'close');
  return output;
}

/** The checks of each scenario that ran. */
function resultsIn(folder: string): Map<string, Check[]> {
  const results = new Map<string, Check[]>();
  for (const name of readdirSync(folder)) {
    const scenario = /^(?:authorization-)?server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name)?.[1];
    assert.ok(scenario, name);
    results.set(scenario, JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')));
  }
  return results;
}

/** Every scenario has it: whether all messages have the form of the protocol. */
const FORM = 'wire-schema-valid';

/** Checks that do not pass, as the table names them. `all`: those that belong to the scenario alone. */
function notPassed(checks: readonly Check[]): string[] {
  const named = (some: readonly Check[]) =>
    some.flatMap(({ id, status }) => (WORDS[status] === undefined ? [] : [`${id} (${WORDS[status]})`]));
  const own = checks.filter(({ id, status }) => id !== FORM && status !== 'INFO');
  const form = named(checks.filter(({ id }) => id === FORM));
  const [first] = own;
  if (first === undefined) return ['none ran', ...form];
  const isAll = WORDS[first.status] !== undefined && own.every(({ status }) => status === first.status);
  return [...(isAll ? [`all (${WORDS[first.status]})`] : named(own)), ...form].sort();
}

/** The table of docs/mcp.md: the checks that do not pass, by revision and scenario. */
function tabled(): Map<string, string[]> {
  const [, section] = read('docs/mcp.md').split('\n## Conformance\n');
  const rows = new Map<string, string[]>();
  for (const line of section!.split('\n## ')[0]!.split('\n')) {
    const [scenario, checks, revisions, why] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    const name = /^`([\w-]+)`$/.exec(scenario ?? '')?.[1];
    if (name === undefined || revisions === undefined) continue;
    assert.ok(why, `${name}: no reason`);
    const named = checks!.split(', ').map((check) => check.replaceAll('`', ''));
    for (const revision of revisions.split(', ')) rows.set(`${revision} ${name}`, named.sort());
  }
  return rows;
}

/** Scenarios of the suite for servers. */
async function scenarios(): Promise<string[]> {
  const [, list] = (await suite(['list', '--server'])).split('Server scenarios');
  return [...list!.split('\n\n')[0]!.matchAll(/^ {2}- ([\w-]+)/gm)].map((match) => match[1]!);
}

onEachAdapter('the conformance suite of MCP', (adapter) => {
  let service: Service;
  let proxy: Server;
  let url: string;
  let base: string;
  let account: string;
  const folder = mkdtempSync(join(tmpdir(), 'priorart-conformance-'));
  before(async () => {
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    service = await Service.start(adapter, 10_000, {}, { port, oauthEmbedded: 'on' });
    account = (await service.access.createAccount({ name: 'Kim', plan: 'free' })).id;
    await service.access.passwords.set(account, 'correct horse battery');
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
    rmSync(folder, { recursive: true });
  });

  it('each check passes, or stands in the table of docs/mcp.md with the reason', { skip }, async () => {
    const all = await scenarios();
    const runs = [
      ...Object.entries(REVISIONS),
      // Skills are an extension of no revision.
      ...all
        .filter((name) => name.startsWith('sep-2640-skills-'))
        .map((name) => ['extension', ['--scenario', name]] as const),
    ];
    const seen = new Map<string, string[]>();
    const ran = new Set<string>();
    const note = async ([revision, args]: (typeof runs)[number], n: number): Promise<void> => {
      const out = join(folder, String(n));
      await suite(['server', '--url', url, ...args, '--output-dir', out]);
      for (const [scenario, checks] of resultsIn(out)) {
        ran.add(scenario);
        if (notPassed(checks).length > 0) seen.set(`${revision} ${scenario}`, notPassed(checks));
      }
    };
    await Promise.all(runs.map(note));
    assert.deepEqual([...ran].sort(), all.sort());
    assert.deepEqual(Object.fromEntries([...seen].sort()), Object.fromEntries([...tabled()].sort()));
  });

  it('its scenarios for authorization servers pass', { skip }, async () => {
    const port = await freePort();
    const redirect = `http://127.0.0.1:${port}/callback`;
    const client = await registered(base, 'The conformance suite', redirect);
    const out = join(folder, 'authorization');
    let signIn: Promise<void> | undefined;
    const output = await suite(
      [
        'authorization',
        ...['--url', base, '--client-id', client, '--resource', `${base}/mcp`],
        ...['--port', String(port), '--output-dir', out],
      ],
      (text) => {
        const page = /^http:\S+\/oauth\/authorize\?\S+$/m.exec(text)?.[0];
        if (page === undefined || signIn) return;
        signIn = new Visitor(redirect)
          .agree(new URL(page), account, 'correct horse battery')
          .then(async (back) => void (await fetch(back)));
      },
    );
    await signIn;
    const results = resultsIn(out);
    assert.deepEqual([...results.keys()].sort(), [
      'authorization-code-grant',
      'authorization-server-metadata-endpoint',
    ]);
    for (const [scenario, checks] of results)
      assert.deepEqual(notPassed(checks), [], `${scenario}: ${JSON.stringify(checks)}\n${output}`);
  });
});
