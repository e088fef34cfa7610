/** `npm run bench -- http`: latency, throughput and cost of the server on both adapters. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Benchmark, Figure, Section, Setting } from '../result.js';
import { cheapRoutes } from './cheap.js';
import { type Data, prepare } from './data.js';
import { mcp } from './mcp.js';
import { mixed } from './mixed.js';
import { overhead } from './overhead.js';
import { overload } from './overload.js';
import type { Served } from './served.js';
import { ADAPTERS, type Adapter, serving } from './serving.js';

export { ADAPTERS };

/** The context of a section of this benchmark. */
export interface Bench {
  data: Data;
  short: boolean;
  progress(text: string): void;
  /** Starts `priorart serve` with raised limits, calls `run`, and stops the server. */
  serving<T>(adapter: Adapter, run: (served: Served) => Promise<T>): Promise<T>;
}

export interface Part {
  id: string;
  title: string;
  about(bench: Bench): string;
  run(bench: Bench): Promise<Figure[]>;
}

const PARTS: readonly Part[] = [mixed, cheapRoutes, overhead, mcp, overload];
const DOCUMENTS = { short: 200, whole: 5_000 };

export const http: Benchmark = {
  name: 'http',
  summary: 'latency and cost of the server at rising rates, cheap routes, overhead, MCP, overload',
  sections: PARTS.map(({ id }) => id),
  run: async (setting: Setting) => {
    const wanted = PARTS.filter(({ id }) => setting.only?.includes(id) ?? true);
    const unknown = setting.only?.find((name) => !PARTS.some(({ id }) => id === name));
    if (unknown !== undefined) {
      throw new Error(`--only: no section ${unknown}; there are ${PARTS.map(({ id }) => id).join(', ')}`);
    }
    const dir = mkdtempSync(join(tmpdir(), 'priorart-http-'));
    try {
      setting.progress('ingesting');
      const data = await prepare(dir, setting.short ? DOCUMENTS.short : DOCUMENTS.whole);
      const bench: Bench = {
        data,
        short: setting.short,
        progress: setting.progress,
        serving: (adapter, run) => serving(data.dir, adapter, run),
      };
      const sections: Section[] = [];
      for (const part of wanted) sections.push(await sectionOf(part, bench));
      return { models: {}, sections };
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  },
};

async function sectionOf(part: Part, bench: Bench): Promise<Section> {
  bench.progress(part.title);
  const started = performance.now();
  const { user, system } = process.cpuUsage();
  const figures = await part.run(bench);
  const used = process.cpuUsage({ user, system });
  return {
    id: part.id,
    title: part.title,
    about: part.about(bench),
    figures,
    seconds: Math.round(performance.now() - started) / 1000,
    cpuSeconds: (used.user + used.system) / 1e6,
  };
}
