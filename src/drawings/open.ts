/** Opens the store of drawings that the settings name. */
import type { Config } from '../config.js';
import { S3Drawings } from './s3/drawings.js';
import { bucketOf } from './s3/settings.js';
import { linkSecret } from './secret.js';
import { SignedDrawings } from './signed.js';

export type DrawingConfig = Pick<
  Config,
  'drawingLinkSeconds' | 'drawingSecretFile' | 's3Bucket' | 's3Endpoint' | 's3Region' | 's3Prefix'
>;

/**
 * Opens the bucket if one is configured, otherwise the data folder.
 * @throws PriorartError `usage`
 */
export async function openDrawings(
  dataDir: string,
  config: DrawingConfig,
): Promise<SignedDrawings | S3Drawings> {
  const bucket = bucketOf(config);
  const seconds = config.drawingLinkSeconds;
  if (bucket) return new S3Drawings(bucket, seconds);
  return new SignedDrawings(dataDir, linkSecret(dataDir, config.drawingSecretFile), { seconds });
}
