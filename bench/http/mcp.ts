/** The cost of a call by MCP beyond the REST call behind it. */
import { median } from '../estimate.js';
import type { Figure } from '../result.js';
import { postTo } from './data.js';
import type { Message } from './generator.js';
import { ADAPTERS, type Part } from './http.js';
import { figures, loaded } from './runs.js';
import type { Served } from './served.js';

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

/** Rounds of runs whose processor time and memory are compared. */
const ROUNDS = 5;

/** What a run took: ms of processor time a call, MB a connection, share of failed calls. */
interface Cost {
  cpu: number;
  memory: number;
  failed: number;
}

async function costOf(served: Served, message: Message, seconds: number): Promise<Cost> {
  const run = await loaded(served, [message], { seconds, connections: CONNECTIONS.memory });
  const memory = served.cost().memory / 1e6 / CONNECTIONS.memory;
  return { cpu: run.cpuMicros / 1000, memory, failed: run.failedShare };
}

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
    `The same search over REST and as a tool call, in both eras of the protocol. Time: one connection that makes all three by turns; the figure is the difference of the medians. Processor time and memory: ${CONNECTIONS.memory} connections after a warm-up, ${ROUNDS} rounds with a run of each; the median over the rounds of what the run took beyond the REST run of its round: processor time of the process per call, and resident memory at its end, divided by the connections.`,
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
        const rounds: Map<string, Cost>[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          const costs = new Map<string, Cost>();
          for (const message of kinds) costs.set(message.kind, await costOf(served, message, seconds / 2));
          rounds.push(costs);
        }
        for (const { kind } of others) {
          const beyond = (part: keyof Cost) =>
            median(rounds.map((costs) => costs.get(kind)![part] - costs.get(rest!.kind)![part]));
          const { n, p50 } = turns.byKind[kind]!;
          const failed = Math.max(turns.failedShare, ...rounds.map((costs) => costs.get(kind)!.failed));
          found.push(
            ...figures(kind, adapter, n, {
              'time beyond, median': [p50 - turns.byKind[rest!.kind]!.p50, 'ms'],
              'CPU beyond': [beyond('cpu'), 'ms'],
              'memory beyond, a connection': [beyond('memory'), 'MB'],
              failed: [failed * 100, '%'],
            }),
          );
        }
      });
    }
    return found;
  },
};
