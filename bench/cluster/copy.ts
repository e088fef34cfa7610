/** Copies the documents of a data folder to a cluster and to another folder, and times the writing. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ClusterClient } from '../../src/cluster/client.js';
import { createIndex } from '../../src/cluster/meta.js';
import { documentsOfFolder } from '../../src/cluster/migrate.js';
import { settingsOf } from '../../src/cluster/settings.js';
import { ClusterTarget } from '../../src/cluster/target.js';
import type { ClusterAddress } from '../../src/engine-options.js';
import { FolderTarget } from '../../src/ingest/folder-target.js';
import type { IngestTarget } from '../../src/ingest/target.js';
import { loadModels } from '../../src/models/load.js';
import { pinWithSegments } from '../../src/search/records.js';
import type { PreparedDocument } from '../../src/store/document.js';
import { Store } from '../../src/store/store.js';
import type { NodeCosts } from './nodes.js';

/** Documents of one commit. */
const COMMITTED = 512;

export interface Copied {
  documents: number;
  passages: number;
  seconds: number;
  /** Processor time of this process, and of the node if there is one. */
  cpuSeconds: number;
  bytes: number;
}

export async function copiedToCluster(
  from: string,
  { engine: _, ...address }: ClusterAddress,
  nodes: NodeCosts,
): Promise<Copied> {
  const client = await ClusterClient.open(settingsOf(address));
  const source = Store.open(from);
  try {
    await createIndex(client, source.manifest().model, undefined);
    const before = await nodes.cpuMs();
    const copied = await copy(source, await ClusterTarget.open(client));
    const cpuSeconds = copied.cpuSeconds + ((await nodes.cpuMs()) - before) / 1e3;
    return { ...copied, cpuSeconds, bytes: await nodes.bytesOf(client.settings.index) };
  } finally {
    await Promise.all([client.close(), source.close()]);
  }
}

export async function copiedToFolder(from: string, dir: string): Promise<Copied> {
  const source = Store.open(from);
  const store = Store.openOrCreate(dir, source.manifest().model, 'auto');
  try {
    const copied = await copy(source, new FolderTarget(store, {}));
    return { ...copied, bytes: bytesIn(dir) };
  } finally {
    await Promise.all([source.close(), store.close()]);
  }
}

async function copy(source: Store, target: IngestTarget): Promise<Omit<Copied, 'bytes'>> {
  const { embedder, reranker } = await loadModels();
  const { pinned, snapshot } = await pinWithSegments(source);
  const sum = { documents: 0, passages: 0, seconds: 0, cpuSeconds: 0 };
  const timed = async (work: () => Promise<unknown>) => {
    const [started, before] = [performance.now(), process.cpuUsage()];
    await work();
    const { user, system } = process.cpuUsage(before);
    sum.seconds += (performance.now() - started) / 1e3;
    sum.cpuSeconds += (user + system) / 1e6;
  };
  let waiting: PreparedDocument[] = [];
  const commit = async () => {
    await timed(async () => {
      const outcomes = await target.commit(snapshot.manifest.model, waiting);
      const other = outcomes.find((outcome) => outcome !== 'ingested');
      if (other !== undefined) throw new Error(`a document was not written: ${JSON.stringify(other)}`);
    });
    sum.documents += waiting.length;
    sum.passages += waiting.reduce((count, { passages }) => count + passages.length, 0);
    waiting = [];
  };
  try {
    for await (const document of documentsOfFolder(source, pinned, snapshot, reranker)) {
      waiting.push(document);
      if (waiting.length >= COMMITTED) await commit();
    }
    await commit();
    await timed(() => target.settle());
    return sum;
  } finally {
    pinned.release();
    snapshot.native.close();
    await Promise.all([embedder.close(), reranker.close()]);
  }
}

function bytesIn(dir: string): number {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
