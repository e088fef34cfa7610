/**
 * The engine on a cluster conforms: an index on one node, with the engine on a data folder as the reference. Skipped with a
 * message where the server was not downloaded.
 */
import { randomUUID } from 'node:crypto';
import { after, describe } from 'node:test';
import { open } from '../../src/engine.js';
import { missingForCluster, type StartedCluster, startedCluster } from '../cluster/started.js';
import { FIXTURES } from '../crash/folder.js';
import { embedded, ONE_BATCH } from './embedded-holding.js';
import { conformance, type Holding } from './suite.js';

/**
 * The cluster adds the products of a vector's numbers, and the parts of a lexical score, in another order. A similarity of
 * statistics is shown with six digits.
 */
const ROUNDING = 2e-5;

describe('OpenSearch', { skip: await missingForCluster() }, () => {
  let cluster: StartedCluster | undefined;
  after(() => cluster?.remove());

  const onCluster: Holding = async (sources) => {
    cluster ??= await startedCluster();
    const address = { engine: 'opensearch', nodes: cluster.urls, index: `test-${randomUUID()}` } as const;
    const engine = await open({ ...address, knnEngine: 'lucene', replicas: 0 }, { create: true });
    for (const source of sources) await engine.ingest(source);
    return { engine, close: () => engine.close() };
  };

  conformance('an index on a cluster', {
    sources: FIXTURES,
    subject: onCluster,
    reference: embedded(ONE_BATCH, { drawings: false }),
    rounding: ROUNDING,
  });
});
