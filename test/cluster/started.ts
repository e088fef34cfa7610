/** A cluster for a test file. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../house/checkout.js';

const script = (file: string) => import(pathToFileURL(join(ROOT, 'scripts/cluster', file)).href);

export interface StartedCluster {
  name: string;
  urls: string[];
  /** Starts those of its nodes again that have ended. Resolves when all are in the cluster. */
  restart(): Promise<void>;
  /** Ends its nodes and deletes its data. */
  remove(): Promise<void>;
}

/** Addresses of a cluster that runs already, parted by commas; its indexes are the test's to make and delete. */
export const GIVEN = process.env['PRIORART_TEST_CLUSTER'];

/**
 * Why no cluster can be started here; false if one can. 200 MB are downloaded only by continuous integration, or by
 * `npm run cluster:start`.
 */
export async function missingForCluster(): Promise<string | false> {
  if (GIVEN) return false;
  const { findJava } = await script('java.mjs');
  const { isReadyToStart } = await script('cluster.mjs');
  try {
    findJava();
  } catch (error) {
    return (error as Error).message;
  }
  return isReadyToStart() ? false : 'OpenSearch is not in the cache; `npm run cluster:start` downloads it';
}

/** Starts a cluster with a name of its own. Its nodes end with this process, also if the test runner ends it. */
export async function startedCluster(nodes = 1): Promise<StartedCluster> {
  if (GIVEN)
    return { name: 'given', urls: GIVEN.split(','), restart: async () => {}, remove: async () => {} };
  const { endNow, start, stop } = await script('cluster.mjs');
  const name = `test-${process.pid}`;
  const remove = () => stop({ name, remove: true });
  try {
    process.once('exit', () => endNow({ name }));
    process.once('SIGTERM', () => process.exit(143));
    const { urls } = await start({ name, nodes });
    const restart = async () => void (await start({ name, nodes }));
    return { name, urls, restart, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
