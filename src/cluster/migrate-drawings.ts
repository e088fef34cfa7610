/** Copies drawings between a data folder and the bucket of a cluster. Repeated, it copies what is missing. */
import { LocalDrawings } from '../drawings/files.js';
import { inParallel, pushDrawings } from '../drawings/push.js';
import type { S3Drawings } from '../drawings/s3/drawings.js';
import { isPriorartError, PriorartError } from '../errors.js';
import { FolderFigures } from '../ingest/figure-table.js';
import { S3_REQUESTS } from '../limits.js';
import { type Figure, filesOf } from '../store/figures.js';
import type { PinnedDocuments } from '../store/pinned.js';
import type { Store } from '../store/store.js';
import type { ClusterClient } from './client.js';
import { allFigures, ClusterFigures } from './figures.js';

/** Publications whose figures are copied at once. */
const COPIED = 64;

/** Numbers of drawings, each counted once per publication. */
export interface CopiedDrawings {
  /** The target has their images. */
  copied: number;
  /** Their images are missing or damaged in the source. */
  failed: number;
  /** They stay in the source, because no bucket is named. */
  left: number;
}

interface PatentFigures {
  patentId: string;
  figures: Figure[];
}

/**
 * Copies the drawings of a folder's state. The publications were copied before.
 * @param bucket of the cluster; undefined: the drawings are only counted
 * @returns undefined if there are none
 */
export function drawingsToCluster(
  dir: string,
  pinned: PinnedDocuments,
  client: ClusterClient,
  bucket: S3Drawings | undefined,
  signal: AbortSignal | undefined,
): Promise<CopiedDrawings | undefined> {
  return untilStopped(signal, async () => {
    const source = pinned.allFigures();
    if (bucket === undefined) return leftOf(source);
    // The state is older than the list of files, so that every image that it names is among them.
    const failed = new Set<string>();
    const onFailed = (content: string) => void failed.add(content);
    const files = new LocalDrawings(dir);
    await pushDrawings(files, bucket, { signal, onFailed });
    const table = await ClusterFigures.open(client, signal);
    const isThere = async (content: string) => !failed.has(content) && (await files.has(content));
    return copyFigures(source, table, isThere, signal);
  });
}

/**
 * Copies the drawings of a cluster to a folder. The publications were copied before.
 * @param bucket of the cluster; undefined: the drawings are only counted
 * @returns undefined if there are none
 */
export function drawingsToFolder(
  client: ClusterClient,
  bucket: S3Drawings | undefined,
  store: Store,
  signal: AbortSignal | undefined,
): Promise<CopiedDrawings | undefined> {
  return untilStopped(signal, async () => {
    const source = ofStored(allFigures(client, signal), store);
    if (bucket === undefined) return leftOf(source);
    const files = new LocalDrawings(store.dir);
    const fetched = async (content: string): Promise<boolean> => {
      if (await files.has(content)) return true;
      try {
        await files.put(await bucket.read(content, signal));
        return true;
      } catch (error) {
        if (isPriorartError(error) && ['not_found', 'data_corrupt'].includes(error.code)) return false;
        throw error;
      }
    };
    return copyFigures(source, new FolderFigures(store), fetched, signal);
  });
}

async function untilStopped<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!signal?.aborted) throw error;
    throw new PriorartError('cancelled', 'stopped; what was copied stays, run it again to go on', {
      cause: error,
    });
  }
}

/** The figures of publications that a folder has. */
async function* ofStored(
  all: AsyncIterable<PatentFigures>,
  store: Store,
): AsyncGenerator<PatentFigures, void> {
  for await (const one of all) if (store.ids.get(one.patentId) !== undefined) yield one;
}

async function leftOf(source: Source): Promise<CopiedDrawings | undefined> {
  let left = 0;
  for await (const { figures } of source) left += figures.filter(({ image }) => image).length;
  return left === 0 ? undefined : { copied: 0, failed: 0, left };
}

type Source = AsyncIterable<PatentFigures> | Iterable<PatentFigures>;

/** @param bring makes the target have a file; false if the source lacks it */
async function copyFigures(
  source: Source,
  target: { copy(figures: readonly PatentFigures[]): Promise<void> },
  bring: (content: string) => Promise<boolean>,
  signal: AbortSignal | undefined,
): Promise<CopiedDrawings | undefined> {
  const counts = { copied: 0, failed: 0, left: 0 };
  let waiting: PatentFigures[] = [];
  const flush = async () => {
    const there = new Set<string>();
    const files = [...new Set(waiting.flatMap(({ figures }) => [...filesOf(figures)]))];
    await inParallel(files, S3_REQUESTS.concurrency, async (content) => {
      signal?.throwIfAborted();
      if (await bring(content)) there.add(content);
    });
    const copied = waiting.map(({ patentId, figures }) => ({
      patentId,
      figures: figures.map(({ key, place, image }): Figure => {
        if (image === undefined) return { key, place };
        const isWhole = there.has(image.content) && there.has(image.thumbnail);
        counts[isWhole ? 'copied' : 'failed'] += 1;
        return isWhole ? { key, place, image } : { key, place };
      }),
    }));
    await target.copy(copied);
    waiting = [];
  };
  for await (const one of source) {
    waiting.push(one);
    if (waiting.length >= COPIED) await flush();
  }
  if (waiting.length > 0) await flush();
  return counts.copied + counts.failed === 0 ? undefined : counts;
}
