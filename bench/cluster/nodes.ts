/** A cluster of one node for a benchmark, and what it costs. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../machine.js';

const NAME = 'bench';

export interface NodeCosts {
  urls: string[];
  /** Processor time of all nodes so far, ms. */
  cpuMs(): Promise<number>;
  /** Bytes of an index on the disk. */
  bytesOf(index: string): Promise<number>;
  /** Deletes an index and what is beside it. */
  remove(index: string): Promise<void>;
  /** Ends the node and deletes its data. */
  close(): Promise<void>;
}

/** Starts a node; or takes those of PRIORART_TEST_CLUSTER, addresses parted by commas. */
export async function startedNodes(progress: (text: string) => void): Promise<NodeCosts> {
  const given = process.env['PRIORART_TEST_CLUSTER'];
  const { start, stop } = await import(pathToFileURL(join(ROOT, 'scripts/cluster/cluster.mjs')).href);
  const urls: string[] =
    given?.split(',') ?? (await start({ name: NAME, nodes: 1, optimised: true, report: progress })).urls;
  const ask = async <T>(path: string, method = 'GET'): Promise<T> => {
    const answer = await fetch(urls[0] + path, { method });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  return {
    urls,
    cpuMs: async () => {
      type Stats = { nodes: Record<string, { process: { cpu: { total_in_millis: number } } }> };
      const { nodes } = await ask<Stats>('/_nodes/stats/process');
      return Object.values(nodes).reduce((sum, { process: { cpu } }) => sum + cpu.total_in_millis, 0);
    },
    bytesOf: async (index) => {
      await ask(`/${index}/_flush`, 'POST');
      type Stats = { _all: { primaries: { store: { size_in_bytes: number } } } };
      return (await ask<Stats>(`/${index}/_stats/store`))._all.primaries.store.size_in_bytes;
    },
    remove: async (index) => {
      for (const name of [`${index}-1`, `${index}-meta`]) await ask(`/${name}`, 'DELETE');
    },
    close: async () => {
      if (given === undefined) await stop({ name: NAME, remove: true });
    },
  };
}
