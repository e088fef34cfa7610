/** The cost of a call by MCP beyond the REST call behind it. */
import type { Figure } from '../result.js';
import { postTo } from './data.js';
import { ADAPTERS, type Part } from './http.js';
import { figures, loaded, type Run } from './runs.js';

const QUERY = { query: 'How can a lithium battery be cooled?', top_k: 10 };
const REVISION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const TOOL = 'search_patents';
const ACCEPT = { accept: 'application/json, text/event-stream' };
/** Connections that send the next request at once. */
const CONNECTIONS = { time: 1, memory: 32 } as const;

function call(meta: object): object {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...meta, name: TOOL, arguments: QUERY } };
}

function messages(key: string): Record<string, string> {
  const headers = { 'x-api-key': key };
  const modern = { 'mcp-protocol-version': REVISION, 'mcp-method': 'tools/call', 'mcp-name': TOOL };
  return {
    REST: postTo('/api/v1/search/semantic', headers, QUERY),
    [REVISION]: postTo('/mcp', { ...headers, ...ACCEPT, ...modern }, call({ _meta: META })),
    '2025-11-25': postTo('/mcp', { ...headers, ...ACCEPT }, call({})),
  };
}

interface Cost {
  run: Run;
  /** Resident memory of the server after the load of many connections, bytes. */
  memory: number;
}

export const mcp: Part = {
  id: 'mcp',
  title: 'A call by MCP beyond the REST call',
  about: () =>
    `The same search over REST and as a tool call, in both eras of the protocol. Time and processor time: one connection that sends the next request at once; the figure is the difference of the medians, and of the processor time of the process. Memory: ${CONNECTIONS.memory} connections; the difference of the resident memory afterwards, divided by the connections.`,
  run: async (bench) => {
    const found: Figure[] = [];
    for (const adapter of ADAPTERS) {
      await bench.serving(adapter, async (served) => {
        const costs: Record<string, Cost> = {};
        const seconds = bench.short ? 1 : 10;
        for (const [name, text] of Object.entries(messages(bench.data.key))) {
          const message = { kind: name, weight: 1, text };
          await loaded(served, [message], { seconds, connections: CONNECTIONS.memory });
          const { memory } = served.cost();
          const run = await loaded(served, [message], { seconds, connections: CONNECTIONS.time });
          costs[name] = { run, memory };
        }
        const rest = costs['REST']!;
        for (const [name, { run, memory }] of Object.entries(costs)) {
          if (name === 'REST') continue;
          found.push(
            ...figures(name, adapter, run.answered.n, {
              'time beyond, median': [run.answered.p50 - rest.run.answered.p50, 'ms'],
              'CPU beyond': [(run.cpuMicros - rest.run.cpuMicros) / 1000, 'ms'],
              'memory beyond, a connection': [(memory - rest.memory) / 1e6 / CONNECTIONS.memory, 'MB'],
              failed: [run.failedShare * 100, '%'],
            }),
          );
        }
      });
    }
    return found;
  },
};
