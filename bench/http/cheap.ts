/** Throughput of routes that need no worker, on one core. */
import type { Figure } from '../result.js';
import { ADAPTERS, type Part } from './http.js';
import { figures, loaded } from './runs.js';

export const cheapRoutes: Part = {
  id: 'cheap',
  title: 'Cheap routes',
  about: () =>
    'The coverage document and the redirect of a drawing to a fresh signed link, each with limits, log, metrics and request id. 64 connections that send the next request at once. "a core" is the rate that one core could serve, by the processor time of a request; "reached" is the rate on this machine, limited by the generator, which needs more processor time than the server.',
  run: async (bench) => {
    const found: Figure[] = [];
    for (const adapter of ADAPTERS) {
      await bench.serving(adapter, async (served) => {
        for (const [name, message] of Object.entries(bench.data.cheap)) {
          const seconds = bench.short ? 1 : 8;
          await loaded(served, [message], { seconds: seconds / 4, connections: 64 });
          const run = await loaded(served, [message], { seconds, connections: 64 });
          found.push(
            ...figures(name, adapter, run.answered.n, {
              'requests a second, a core': [1e6 / run.cpuMicros, '/s'],
              'requests a second, reached': [run.goodPerSecond, '/s'],
              'CPU a request': [run.cpuMicros, 'µs'],
              failed: [run.failedShare * 100, '%'],
            }),
          );
        }
      });
    }
    return found;
  },
};
