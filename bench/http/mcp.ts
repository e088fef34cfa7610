/** The cost of a call by MCP beyond the REST call behind it. */
import type { Figure } from '../result.js';
import { postTo } from './data.js';
import { ADAPTERS, type Part } from './http.js';
import { figures, loaded } from './runs.js';

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

export const mcp: Part = {
  id: 'mcp',
  title: 'A call by MCP beyond the REST call',
  about: () =>
    `The same search over REST and as a tool call, in both eras of the protocol. Time: one connection that makes all three by turns; the figure is the difference of the medians. Processor time: a run of each; the difference of the processor time of the process per call. Memory: ${CONNECTIONS.memory} connections, after a warm-up with all three; how much the resident memory grows, divided by the connections.`,
  run: async (bench) => {
    const found: Figure[] = [];
    for (const adapter of ADAPTERS) {
      await bench.serving(adapter, async (served) => {
        const seconds = bench.short ? 1 : 10;
        const kinds = Object.entries(messages(bench.data.key)).map(([kind, text]) => ({
          kind,
          weight: 1,
          text,
        }));
        await loaded(served, kinds, { seconds, connections: CONNECTIONS.memory });
        const turns = await loaded(served, kinds, { seconds: 3 * seconds, connections: CONNECTIONS.time });
        const [rest, ...others] = kinds;
        const alone = await loaded(served, [rest!], { seconds, connections: CONNECTIONS.memory });
        for (const message of others) {
          const before = served.cost().memory;
          const run = await loaded(served, [message], { seconds, connections: CONNECTIONS.memory });
          const grown = served.cost().memory - before;
          const { n, p50 } = turns.byKind[message.kind]!;
          found.push(
            ...figures(message.kind, adapter, n, {
              'time beyond, median': [p50 - turns.byKind[rest!.kind]!.p50, 'ms'],
              'CPU beyond': [(run.cpuMicros - alone.cpuMicros) / 1000, 'ms'],
              'memory beyond, a connection': [Math.max(0, grown) / 1e6 / CONNECTIONS.memory, 'MB'],
              failed: [Math.max(run.failedShare, turns.failedShare) * 100, '%'],
            }),
          );
        }
      });
    }
    return found;
  },
};
