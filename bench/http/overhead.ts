/** The cost of a request without its search: HTTP, JSON, key, limits, quota, log, metrics. */
import { fileURLToPath } from 'node:url';
import { parseSemantic } from '../../src/search/query.js';
import type { Figure } from '../result.js';
import { keyOf, post } from './data.js';
import { ADAPTERS, type Part } from './http.js';
import { figures, loaded } from './runs.js';
import { Served } from './served.js';
import { trivialEngine } from './trivial-engine.js';

const SCRIPT = fileURLToPath(new URL('./trivial.js', import.meta.url));

export const overhead: Part = {
  id: 'overhead',
  title: 'Overhead of a request',
  about: () =>
    'The whole server over an engine that returns 16 KB at once: a search with key, rate limit, quota, log line, metrics. 16 connections that send the next request at once. The figure is the processor time of the process per request, minus that of the engine. Most of it is the kernel: a read and a write for each request.',
  run: async ({ data, short }) => {
    const key = await keyOf(data.dir);
    const body = { query: 'How can a lithium battery be cooled?', top_k: 10, countries: ['US', 'KR'] };
    const message = { kind: 'semantic', weight: 1, text: post(key, '/api/v1/search/semantic', body) };
    const bare = await bareMicros();
    const found: Figure[] = [];
    for (const adapter of ADAPTERS) {
      const served = await Served.start(SCRIPT, [data.dir, adapter]);
      try {
        const seconds = short ? 1 : 10;
        await loaded(served, [message], { seconds: seconds / 3, connections: 16 });
        const run = await loaded(served, [message], { seconds, connections: 16 });
        found.push(
          ...figures('a search', adapter, run.answered.n, {
            'CPU a request': [run.cpuMicros, 'µs'],
            'of it the engine': [bare, 'µs'],
            overhead: [run.cpuMicros - bare, 'µs'],
            'requests a second': [run.goodPerSecond, '/s'],
            failed: [run.failedShare * 100, '%'],
          }),
        );
      } finally {
        await served.stop();
      }
    }
    return found;
  },
};

async function bareMicros(): Promise<number> {
  const query = parseSemantic({ query: 'How can a lithium battery be cooled?' });
  const calls = 200_000;
  const { user, system } = process.cpuUsage();
  for (let n = 0; n < calls; n++) await trivialEngine.searchBody(query, {});
  const used = process.cpuUsage({ user, system });
  return (used.user + used.system) / calls;
}
