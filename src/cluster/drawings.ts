/** Drawings of an index on a cluster. Their images are in an S3 bucket, which all servers on the cluster share. */
import { SETTINGS } from '../config.js';
import { whyNoDrawings } from '../drawings/convert.js';
import type { DrawingFiles } from '../drawings/files.js';
import { keepImage } from '../drawings/keep.js';
import { S3Drawings } from '../drawings/s3/drawings.js';
import { bucketOf } from '../drawings/s3/settings.js';
import type { DrawingBucket } from '../engine-options.js';
import { PriorartError } from '../errors.js';
import { Figures } from '../ingest/figures.js';
import { ingestInto, NO_DRAWINGS } from '../ingest/ingest.js';
import type { PatentRecords } from '../ingest/patent-schema.js';
import type { Preparer } from '../ingest/prepare.js';
import type { IngestOptions, IngestSummary } from '../ingest/summary.js';
import type { IngestTarget } from '../ingest/target.js';
import { S3_REQUESTS } from '../limits.js';
import { drawingKey } from '../search/find-drawing.js';
import { figureImages } from '../store/figures.js';
import { again } from './again.js';
import type { ClusterClient } from './client.js';
import { ClusterFigures, figuresOf } from './figures.js';

/** What to do about a cluster without a bucket. */
const NAME_A_BUCKET = 'name an S3 bucket with --s3-bucket (`drawings` of the library)';

/**
 * The bucket of an index; undefined if it has none.
 * @throws PriorartError `usage` if its settings are wrong or there are no credentials
 */
export function openBucket(drawings: DrawingBucket | undefined): S3Drawings | undefined {
  if (drawings === undefined) return undefined;
  const { bucket: s3Bucket, endpoint: s3Endpoint, region, prefix } = drawings;
  const { s3Region, s3Prefix } = SETTINGS;
  const bucket = bucketOf({
    s3Bucket,
    s3Endpoint,
    s3Region: region ?? s3Region.default,
    s3Prefix: prefix ?? s3Prefix.default,
  });
  return bucket && new S3Drawings(bucket);
}

/** The images of an index. Reading one rejects with `unavailable` if there is no bucket. */
export function imagesIn(drawings: DrawingBucket | undefined): Pick<DrawingFiles, 'read'> {
  const message = `the images of this index are in a bucket that is not known here; ${NAME_A_BUCKET}`;
  return openBucket(drawings) ?? { read: () => Promise.reject(new PriorartError('unavailable', message)) };
}

/**
 * Ingests into a cluster. Each image is in the bucket before its publication names it, and before its file enters the ledger.
 * So an ingest that was stopped loses nothing when it is repeated.
 * @throws PriorartError as `ingestInto`; `usage`, `unavailable` if there is a bucket that cannot be used
 */
export async function ingestIntoCluster(
  client: ClusterClient,
  bucketSettings: DrawingBucket | undefined,
  target: IngestTarget,
  preparer: Omit<Preparer, 'keepImage'>,
  source: readonly string[] | { records: PatentRecords },
  options: IngestOptions,
): Promise<IngestSummary> {
  const { drawings = true, signal } = options;
  const off = { ...preparer, keepImage: () => Promise.reject(new Error('drawings are off')) };
  if (!drawings) return ingestInto(target, off, source, options);
  const bucket = openBucket(bucketSettings);
  const unavailable =
    bucket === undefined
      ? `drawings were left out: an index on a cluster keeps them in a bucket; ${NAME_A_BUCKET} and ingest again, or set --drawings off`
      : await whyNoDrawings();
  if (bucket === undefined || unavailable !== undefined) {
    let isNamed = false;
    const prepare: Preparer['prepare'] = async (units) => {
      const prepared = await preparer.prepare(units);
      isNamed ||= prepared.drawings.length > 0;
      return prepared;
    };
    const summary = await ingestInto(target, { ...off, prepare }, source, options);
    if (!isNamed || unavailable === undefined) return summary;
    return { ...summary, drawings: { ...NO_DRAWINGS, unavailable } };
  }
  // A bucket that cannot be used is told before the first publication is stored.
  await bucket.check(signal);
  const files = { put: (bytes: Uint8Array) => bucket.put(bytes, signal) };
  const keep = (bytes: Uint8Array) => keepImage(files, bytes);
  const table = await ClusterFigures.open(client, signal);
  const figures = new Figures(table, bucket, keep, S3_REQUESTS.concurrency);
  return ingestInto(target, { ...preparer, keepImage: keep }, source, options, figures);
}

/**
 * Name of a drawing's content, as `findDrawing`.
 * @param look finds it under another number of the publication
 */
export async function findClusterDrawing(
  client: ClusterClient,
  publication: string,
  file: string,
  look: () => Promise<string>,
): Promise<string> {
  const key = drawingKey(publication, file);
  const figures = await again(() => figuresOf(client, [publication]), 'answer');
  return figureImages({ figures }, publication).get(key)?.content ?? look();
}
