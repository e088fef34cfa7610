/** The same calls by real clients, over every transport, on both HTTP adapters. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { openDrawings } from '../../src/drawings/open.js';
import { type Engine, open } from '../../src/index.js';
import { loadConfig } from '../../src/load-config.js';
import { ADAPTERS, type AdapterName } from '../adapters.js';
import { Service } from '../api/service.js';
import { CLI, FIXTURES } from '../crash/folder.js';
import { noSharp } from '../drawings/images.js';
import { noPython, PYTHON } from '../house/python.js';
import { type Collection, collect } from '../search/collection.js';
import { newClient, oldClient, type Place, pythonResults } from './clients.js';
import { checkResults, type Known, type ScriptClient, scriptOf } from './script.js';

const hasMcp = () => spawnSync(PYTHON, ['-c', 'import mcp']).status === 0;
const noPythonMcp = noPython || (hasMcp() ? false : 'this Python lacks the package mcp');

describe('MCP clients', () => {
  let collection: Collection;
  let engine: Engine;
  let known: Known;
  const services = {} as Record<AdapterName, Service>;
  before(async () => {
    collection = await collect(FIXTURES);
    engine = await open(collection.dir, { workers: 1 });
    const drawings = await openDrawings(collection.dir, loadConfig({ env: {} }));
    for (const adapter of ADAPTERS) {
      services[adapter] = await Service.start(adapter, 30_000, { engine, drawings });
    }
    const { results } = await engine.search({ query: 'robot cleaner docking station', top_k: 100 });
    const shown = results.find(({ representative_figure }) => representative_figure !== undefined);
    known = {
      publication: 'US11217824B2',
      drawing:
        shown && !noSharp
          ? { publication_id: shown.patent_id, filename: shown.representative_figure! }
          : undefined,
      served: true,
    };
    if (!noSharp) assert.ok(known.drawing);
  });
  after(async () => {
    for (const service of Object.values(services)) await service.stop();
    await engine.close();
    collection.remove();
  });

  function overHttp(adapter: AdapterName, transport: 'http' | 'sse'): Place {
    const { server, key } = services[adapter];
    const url = `${server.url}/mcp${transport === 'sse' ? '/sse' : ''}`;
    return { transport, url, headers: { 'x-api-key': key } };
  }

  function overStdio(source: 'server' | 'folder'): Place {
    const { server, key } = services.node;
    const args = source === 'server' ? ['--url', server.url] : ['--data', collection.dir];
    const env: Record<string, string> = source === 'server' ? { PRIORART_KEY: key } : {};
    return { transport: 'stdio', command: process.execPath, args: [CLI, 'mcp', ...args], env };
  }

  async function run(
    connecting: Promise<ScriptClient>,
    revision: string | undefined,
    served = true,
  ): Promise<void> {
    const client = await connecting;
    try {
      assert.equal(client.revision, revision);
      const results = [];
      for (const call of scriptOf(known)) results.push(await client.make(call));
      checkResults({ ...known, served }, results);
    } finally {
      await client.close();
    }
  }

  async function runPython(
    place: Place,
    mode: 'auto' | 'legacy',
    revision: string,
    served = true,
  ): Promise<void> {
    const answer = await pythonResults(place, mode, scriptOf(known));
    assert.equal(answer.revision, revision);
    checkResults({ ...known, served }, answer.results);
  }

  for (const adapter of ADAPTERS) {
    it(`streamable HTTP, ${adapter}: @modelcontextprotocol/client, revision 2026-07-28`, () =>
      run(newClient(overHttp(adapter, 'http'), 'auto'), '2026-07-28'));
    it(`streamable HTTP, ${adapter}: @modelcontextprotocol/client, revision 2025-11-25`, () =>
      run(newClient(overHttp(adapter, 'http'), 'legacy'), '2025-11-25'));
    it(`streamable HTTP, ${adapter}: @modelcontextprotocol/sdk`, () =>
      run(oldClient(overHttp(adapter, 'http')), '2025-11-25'));
    it(`SSE, ${adapter}: @modelcontextprotocol/client`, () =>
      run(newClient(overHttp(adapter, 'sse'), 'legacy'), '2025-11-25'));
    it(`SSE, ${adapter}: @modelcontextprotocol/sdk`, () =>
      run(oldClient(overHttp(adapter, 'sse')), undefined));
    for (const mode of ['auto', 'legacy'] as const) {
      const revision = mode === 'auto' ? '2026-07-28' : '2025-11-25';
      it(`streamable HTTP, ${adapter}: Python mcp, revision ${revision}`, { skip: noPythonMcp }, () =>
        runPython(overHttp(adapter, 'http'), mode, revision),
      );
    }
    it(`SSE, ${adapter}: Python mcp`, { skip: noPythonMcp }, () =>
      runPython(overHttp(adapter, 'sse'), 'legacy', '2025-11-25'),
    );
  }

  for (const source of ['server', 'folder'] as const) {
    const served = source === 'server';
    it(`stdio, with a ${source}: @modelcontextprotocol/client, revision 2026-07-28`, () =>
      run(newClient(overStdio(source), 'auto'), '2026-07-28', served));
    it(`stdio, with a ${source}: @modelcontextprotocol/client, revision 2025-11-25`, () =>
      run(newClient(overStdio(source), 'legacy'), '2025-11-25', served));
    it(`stdio, with a ${source}: @modelcontextprotocol/sdk`, () =>
      run(oldClient(overStdio(source)), undefined, served));
    it(`stdio, with a ${source}: Python mcp`, { skip: noPythonMcp }, () =>
      runPython(overStdio(source), 'auto', '2026-07-28', served),
    );
  }
});
