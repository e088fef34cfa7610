/** The publications of a data folder or of a cluster, for commands that need no models. */
import type { DeleteResult } from '../engine-port.js';
import type { Patent } from '../patent/record.js';
import { coverageOf } from '../search/coverage.js';
import { Folder } from '../search/folder.js';
import type { Filters } from '../search/query.js';
import { allRecords, type RecordReadOptions, recordsByNumber } from '../search/records.js';
import type { Coverage } from '../search/types.js';
import { deletePublications } from '../store/delete-publications.js';
import { reading } from '../store/faults.js';
import type { Publications } from '../store/publications.js';
import { Store } from '../store/store.js';
import { openOptions } from './options.js';
import { EXIT, inOneLine } from './output.js';

export interface OpenPublications {
  /** @returns undefined at the place of a number that fits none */
  records(numbers: readonly string[]): Promise<(Patent | undefined)[]>;
  allRecords(filters: Filters, options: RecordReadOptions): AsyncIterable<Patent>;
  delete(numbers: readonly string[]): Promise<DeleteResult>;
  /** Runs work that looks publications up. It may run several times, so it has no effects. */
  look<T>(work: (publications: Publications) => T): Promise<T>;
  close(): Promise<void>;
}

/** Opens what the settings of a command name. */
export async function openPublications(flags: Record<string, unknown>): Promise<OpenPublications> {
  const { place } = openOptions(flags);
  if (typeof place !== 'string') return onCluster(place);
  const store = Store.open(place);
  return {
    records: (numbers) => recordsByNumber(store, numbers),
    allRecords: (filters, options) => allRecords(store, filters, options),
    delete: async (numbers) => deletePublications(store, numbers),
    look: async (work) => reading(place, () => work(store)),
    close: () => store.close(),
  };
}

/** Says which of the numbers that the user named the index lacks; the command then exits with 1. */
export function tellMissing(numbers: readonly string[]): void {
  if (numbers.length === 0) return;
  process.stderr.write(`priorart: not in the index: ${numbers.map(inOneLine).join(', ')}\n`);
  process.exitCode = EXIT.failed;
}

/** Says which of the numbers that the user named fit several publications; the command then exits with 2. */
export function tellAmbiguous(numbers: readonly { number: string; ids: readonly string[] }[]): void {
  for (const { number, ids } of numbers) {
    process.stderr.write(`priorart: ${inOneLine(number)} fits ${ids.join(', ')}; name one of them\n`);
    process.exitCode = EXIT.usage;
  }
}

/** What the index that the settings name holds. */
export async function coverageFor(flags: Record<string, unknown>): Promise<Coverage> {
  const { place } = openOptions(flags);
  if (typeof place !== 'string') {
    const engine = await clusterEngine(place);
    try {
      return JSON.parse(
        Buffer.from(await engine.countedCoverage({ isPatient: true })).toString(),
      ) as Coverage;
    } finally {
      await engine.close();
    }
  }
  const folder = new Folder(place);
  try {
    return coverageOf(folder);
  } finally {
    await folder.close();
  }
}

type Cluster = Exclude<ReturnType<typeof openOptions>['place'], string>;

async function onCluster(address: Cluster): Promise<OpenPublications> {
  const engine = await clusterEngine(address);
  return {
    records: (numbers) => engine.records(numbers, {}),
    allRecords: (filters, options) => engine.allRecords(filters, options),
    delete: (numbers) => engine.delete(numbers),
    look: (work) => engine.look(work),
    close: () => engine.close(),
  };
}

async function clusterEngine({ engine: _, ...address }: Cluster) {
  const { ClusterEngine } = await import('../cluster/engine.js');
  return ClusterEngine.open(address, { withoutModels: true });
}
