/** Copies the drawings of a data folder to a bucket, which can then serve them. */
import { readFile } from 'node:fs/promises';
import { isPriorartError } from '../errors.js';
import { PUSH_FAILURES_LISTED, S3_REQUESTS } from '../limits.js';
import { contentOf, type LocalDrawings } from './files.js';
import type { S3Drawings } from './s3/drawings.js';

export interface PushSummary {
  uploaded: number;
  /** Number of drawings that the bucket already had. */
  present: number;
  /** Bytes uploaded. */
  bytes: number;
  failed: number;
  /** The first failures. */
  failures: { drawing: string; reason: string }[];
}

export interface PushOptions {
  signal?: AbortSignal | undefined;
  /** Called after each shard. */
  onProgress?: (summary: PushSummary) => void;
  /** Called with each drawing that is not uploaded because its file is damaged. */
  onFailed?: (content: string) => void;
}

/**
 * Uploads the drawings that the bucket lacks. May be stopped and run again at any time. Damaged files are skipped and
 * reported.
 * @throws PriorartError `unavailable` if the storage refuses a request
 */
export async function pushDrawings(
  files: LocalDrawings,
  bucket: S3Drawings,
  { signal, onProgress, onFailed }: PushOptions = {},
): Promise<PushSummary> {
  const summary: PushSummary = { uploaded: 0, present: 0, bytes: 0, failed: 0, failures: [] };
  for await (const shard of shardsOf(files)) {
    signal?.throwIfAborted();
    const there = await bucket.list(shard[0]!.content.slice(0, 3), signal);
    const missing = shard.filter(({ content }) => !there.has(content));
    summary.present += shard.length - missing.length;
    await inParallel(missing, S3_REQUESTS.concurrency, async (file) => {
      if (!(await pushOne(file, bucket, summary, signal))) onFailed?.(file.content);
    });
    onProgress?.(summary);
  }
  return summary;
}

interface StoredFile {
  content: string;
  path: string;
}

/** @returns whether the bucket has the drawing now */
async function pushOne(
  { content, path }: StoredFile,
  bucket: S3Drawings,
  summary: PushSummary,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    const bytes = await readFile(path, signal ? { signal } : {});
    if (contentOf(bytes) !== content) throw new Error('wrong checksum; run `priorart check --repair`');
    await bucket.put(bytes, signal);
    summary.uploaded += 1;
    summary.bytes += bytes.length;
    return true;
  } catch (error) {
    signal?.throwIfAborted();
    if (isPriorartError(error)) throw error;
    summary.failed += 1;
    if (summary.failures.length < PUSH_FAILURES_LISTED) {
      summary.failures.push({ drawing: content, reason: (error as Error).message });
    }
    return false;
  }
}

/** The stored files, grouped by their first digits. One listing of the bucket covers a group of some hundred files. */
async function* shardsOf(files: LocalDrawings): AsyncGenerator<StoredFile[]> {
  let shard: StoredFile[] = [];
  for await (const file of files.list()) {
    if (shard[0] && !file.content.startsWith(shard[0].content.slice(0, 3))) {
      yield shard;
      shard = [];
    }
    shard.push(file);
  }
  if (shard.length > 0) yield shard;
}

/** Processes a list in `limit` lanes. A failure ends its lane. Rejects with a failure once all lanes end. */
export async function inParallel<T>(
  all: readonly T[],
  limit: number,
  work: (one: T) => Promise<void>,
): Promise<void> {
  const rest = all.values();
  const lanes = Array.from({ length: Math.min(limit, all.length) }, async () => {
    for (const one of rest) await work(one);
  });
  const failed = (await Promise.allSettled(lanes)).find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
}
