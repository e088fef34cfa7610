/** Loads the client of OpenSearch. The package is optional: only an engine on a cluster needs it. */
import { PriorartError } from '../errors.js';

/** The version that is tested and that package.json names as a peer. */
export const CLIENT_VERSION = '3.9.0';

export type Library = typeof import('@opensearch-project/opensearch');

/** @throws PriorartError `unavailable` if it is not installed or does not load */
export async function loadLibrary(): Promise<Library> {
  try {
    return await import('@opensearch-project/opensearch');
  } catch (cause) {
    const absent = (cause as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND';
    const reason = absent ? 'is not installed' : `does not load: ${(cause as Error).message}`;
    throw new PriorartError(
      'unavailable',
      `the engine opensearch needs @opensearch-project/opensearch, which ${reason}; run ` +
        `\`npm install @opensearch-project/opensearch@${CLIENT_VERSION}\``,
      { cause },
    );
  }
}
