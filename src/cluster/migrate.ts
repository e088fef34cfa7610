/**
 * Copies publications with their vectors from a data folder to a cluster, and back. Nothing is embedded again. A repeated call goes
 * on: what the target has already stays as it is.
 */
import type { ClusterAddress } from '../engine-options.js';
import { PriorartError } from '../errors.js';
import { calling } from '../index/native.js';
import type { OpenSnapshot } from '../index/segment.js';
import { FolderTarget } from '../ingest/folder-target.js';
import { textsOf } from '../ingest/prepare.js';
import type { IngestTarget } from '../ingest/target.js';
import { storedModels } from '../models/config.js';
import { closeModels, loadModels } from '../models/load.js';
import type { Reranker } from '../rerank/reranker.js';
import { pinWithSegments } from '../search/records.js';
import { type PreparedDocument, patentOf } from '../store/document.js';
import { copySources } from '../store/ledger.js';
import { type ModelIdentity, modelName, sameModel } from '../store/manifest.js';
import type { PinnedDocuments } from '../store/pinned.js';
import { damagedLookup } from '../store/resolve.js';
import { Store } from '../store/store.js';
import { ClusterClient, unavailable } from './client.js';
import { documentsOfCluster } from './copied.js';
import { openBucket } from './drawings.js';
import { createIndex, enterLedger, readLedger, readMeta } from './meta.js';
import { type CopiedDrawings, drawingsToCluster, drawingsToFolder } from './migrate-drawings.js';
import { settingsOf } from './settings.js';
import { ClusterTarget } from './target.js';

/** Publications of one commit, and of one read of a folder. */
const COMMITTED = 512;
const READ = 64;
/** Time for which the state of a cluster can be read on, while the folder commits. */
const READ_KEPT = '1h';

export interface MigrateOptions {
  signal?: AbortSignal | undefined;
  /** Called after each commit with the number of publications read so far, and of all. */
  onProgress?: ((read: number, all: number) => void) | undefined;
}

/** Numbers of publications. */
export interface MigrateSummary {
  /** Read from the source. */
  documents: number;
  /** New in the target. */
  written: number;
  /** In the target with other content before. */
  updated: number;
  /** In the target with this content, or with a later one. */
  unchanged: number;
  /** Absent if the source has none. */
  drawings?: CopiedDrawings;
}

/**
 * Copies a data folder to a cluster. The index is made if it is not there.
 * @throws PriorartError `no_data`, `usage` if the settings of the bucket are wrong, `model_mismatch` if the index has another model, `unavailable`
 */
export async function migrateToCluster(
  dir: string,
  address: Omit<ClusterAddress, 'engine'>,
  options: MigrateOptions = {},
): Promise<MigrateSummary> {
  const bucket = openBucket(address.drawings);
  const store = Store.open(dir);
  try {
    return await withClient(address, async (client) => {
      await bucket?.check(options.signal);
      const { pinned, snapshot } = await pinWithSegments(store);
      const { model, models, documents } = snapshot.manifest;
      const opened = await loadModels(storedModels(models, dir));
      try {
        if ((await readMeta(client)) === undefined) await createIndex(client, model, models);
        const meta = await readMeta(client);
        if (meta === undefined) throw unavailable('the index was made and is not there');
        checkSame(model, meta.model, address.index);
        const target = await ClusterTarget.open(client, options.signal);
        const read = documentsOfFolder(store, pinned, snapshot, opened.reranker);
        const summary = await copy(read, target, model, documents, options);
        const drawings = await drawingsToCluster(dir, pinned, client, bucket, options.signal);
        await enterLedger(client, pinned.sources());
        return { ...summary, ...(drawings && { drawings }) };
      } finally {
        await closeModels(opened);
        pinned.release();
        snapshot.native.close();
      }
    });
  } finally {
    await store.close();
  }
}

/**
 * Copies an index on a cluster to a data folder, which is made if it is not there.
 * @throws PriorartError `no_data`, `model_mismatch` if the folder has another model, `unavailable`, `disk_full`
 */
export async function migrateToFolder(
  address: Omit<ClusterAddress, 'engine'>,
  dir: string,
  options: MigrateOptions = {},
): Promise<MigrateSummary> {
  const bucket = openBucket(address.drawings);
  return withClient(address, async (client) => {
    await bucket?.check(options.signal);
    const meta = await readMeta(client);
    const { index } = client.settings;
    if (meta === undefined) throw new PriorartError('no_data', `the cluster has no index ${index}`);
    const store = Store.openOrCreate(dir, meta.model, 'auto', meta.models);
    try {
      checkSame(meta.model, store.manifest().model, dir);
      const target = new FolderTarget(store, { signal: options.signal });
      // Read before the state of the publications: a file that is committed meanwhile must not count as copied.
      const sources = await readLedger(client);
      const summary = await client.atOneState(
        meta.index,
        async (state) => {
          const { hits } = await state.search({ size: 0, track_total_hits: true });
          return copy(documentsOfCluster(state), target, meta.model, hits.total!.value, options);
        },
        options.signal,
        READ_KEPT,
      );
      const drawings = await drawingsToFolder(client, bucket, store, options.signal);
      copySources(store, sources);
      return { ...summary, ...(drawings && { drawings }) };
    } finally {
      await store.close();
    }
  });
}

async function withClient<T>(
  address: Omit<ClusterAddress, 'engine'>,
  work: (client: ClusterClient) => Promise<T>,
): Promise<T> {
  const client = await ClusterClient.open(settingsOf(address));
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

function checkSame(from: ModelIdentity, to: ModelIdentity, where = 'the index'): void {
  if (sameModel(from, to)) return;
  const message = `${where} has vectors of ${modelName(to)}, and those of the source are of ${modelName(from)}`;
  throw new PriorartError('model_mismatch', `${message}; expected the same model`);
}

async function copy(
  source: AsyncIterable<PreparedDocument>,
  target: IngestTarget,
  model: ModelIdentity,
  all: number,
  { signal, onProgress }: MigrateOptions,
): Promise<MigrateSummary> {
  const summary = { documents: 0, written: 0, updated: 0, unchanged: 0 };
  let waiting: PreparedDocument[] = [];
  const commit = async () => {
    if (signal?.aborted) {
      const message = 'stopped; what was copied stays, run it again to go on';
      throw new PriorartError('cancelled', message);
    }
    for (const [n, outcome] of (await target.commit(model, waiting)).entries()) {
      if (typeof outcome === 'object') {
        const message = `${waiting[n]!.patent.patent_id} cannot be copied: ${outcome.refused}`;
        throw new PriorartError('internal', message);
      }
      // A copied document has no basis, so it is never out of date.
      if (outcome === 'outdated' || outcome === 'beside') continue;
      summary[outcome === 'ingested' ? 'written' : outcome] += 1;
    }
    summary.documents += waiting.length;
    waiting = [];
    target.tend(() => {});
    onProgress?.(summary.documents, all);
  };
  try {
    for await (const document of source) {
      waiting.push(document);
      if (waiting.length >= COMMITTED) await commit();
    }
    if (waiting.length > 0) await commit();
  } catch (error) {
    await target.stop();
    throw error;
  }
  await target.settle();
  return summary;
}

/** All documents of a folder with their vectors. */
export async function* documentsOfFolder(
  store: Store,
  pinned: PinnedDocuments,
  { native, manifest }: OpenSnapshot,
  reranker: Pick<Reranker, 'bags'>,
): AsyncGenerator<PreparedDocument, void, undefined> {
  let after: string | undefined;
  do {
    const page = pinned.publications(after, READ);
    for (const { patentId, doc } of page) {
      const [head, body] = [pinned.head(doc), pinned.body(doc)];
      if (head === undefined || body === undefined) throw damagedLookup(store.dir, patentId);
      // A correction is found under the numbers that it corrects, too.
      if (head.patent_id !== patentId) continue;
      const passages = Array.from({ length: head.passages }, (_, n) => pinned.passage(doc, n));
      const vectors = calling(() => native.vectorsOf(doc));
      const isWhole =
        passages.every((passage) => passage !== undefined) &&
        vectors?.length === passages.length * manifest.model.dimensions;
      if (!isWhole) throw damagedLookup(store.dir, patentId);
      const document = {
        patent: patentOf(head, body),
        hash: head.hash,
        passages: passages.filter((passage) => passage !== undefined),
        vectors: vectors!,
        sources: head.replaced ?? [],
      };
      yield { ...document, bags: reranker.bags?.of(textsOf(document)) };
    }
    after = page.at(-1)?.patentId;
  } while (after !== undefined);
}
