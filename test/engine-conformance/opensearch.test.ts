/**
 * The engine on a cluster conforms: an index on one node, with the engine on a data folder as the reference. Skipped with a
 * message where the server was not downloaded.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { open } from '../../src/engine.js';
import { FAMILY_LISTED, TERMS_MAX, WORD_CANDIDATES } from '../../src/limits.js';
import { missingForCluster, type StartedCluster, startedCluster } from '../cluster/started.js';
import { FIXTURES } from '../crash/folder.js';
import { ALL, HOLDING, idsWith, QUESTION } from '../search/holding-words.js';
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

  it('balance: words have candidates of each country and each language', async (t) => {
    const { engine, close } = await onCluster([]);
    t.after(close);
    assert.equal((await engine.ingest(ALL)).ingested, ALL.length);
    for (const balance of ['country', 'language'] as const) {
      const request = { query: QUESTION, balance, explain: true, top_k: 100 };
      const { results } = await engine.search(request);
      const found = results.filter(
        ({ country, explanation }) => country === 'CN' && explanation!.found_by === 'words',
      );
      assert.deepEqual(found.map(({ patent_id }) => patent_id).sort(), idsWith('CN'));
      const { words } = await engine.explain(request);
      assert.equal(words.added, WORD_CANDIDATES.short / 2 + HOLDING.CN + HOLDING.US);
    }
  });

  it('more words than a query of the cluster may have are refused with what to change', async (t) => {
    const { engine, close } = await onCluster([]);
    t.after(close);
    await engine.ingest(ALL);
    const words = ['lithium-ion', 'self-aligned', 'non-volatile', 'high-voltage', 'micro-processor'];
    const terms = words
      .flatMap((a) => words.map((b) => `${a} ${b} photo-resist fuel-cell`))
      .slice(0, TERMS_MAX);
    const request = { query: QUESTION, must_terms: terms, must_not_terms: terms, translate_terms: true };
    const refused = { code: 'invalid_request', message: /max_clause_count.*fewer or shorter must_terms/ };
    await assert.rejects(engine.search(request), refused);
    await assert.rejects(engine.analyze(request), refused);
  });

  it('a family of more publications than a request reads is listed in part', async (t) => {
    const { engine, close } = await onCluster([]);
    t.after(close);
    const other = { name: '한빛전자 주식회사', name_en: 'Hanbit Electronics' };
    const ids = Array.from({ length: 10_050 }, (_, n) => `KR102018${n + 1_000_000}A`);
    const records = ids.map((patent_id) => ({
      ...{ patent_id, country: 'KR' as const, kind_code: 'A', title: 'Pump', family_id: '0' },
      applicants: [other],
    }));
    const own = { ...records[0]!, patent_id: 'US11000001B2', country: 'US' as const, kind_code: 'B2' };
    const { failed } = await engine.ingest([...records, own]);
    assert.deepEqual(failed, []);
    const asked = { patent_ids: ['US11000001B2', ids[0]!], bibliography: true };
    for (const { patent_id, bibliography } of (await engine.details(asked)).patents) {
      assert.equal(new Set(bibliography!.family).size, FAMILY_LISTED);
      assert.ok(!bibliography!.family.includes(patent_id));
    }
    const named = { query: 'pump', applicant: other.name, applicant_expand: true };
    assert.deepEqual((await engine.search(named)).applicant_names, ['Hanbit Electronics']);
    const ofClass = { ...named, query: 'F04B 17/00' };
    assert.deepEqual((await engine.search(ofClass)).applicant_names, ['Hanbit Electronics']);
    assert.ok((await engine.analyze(ofClass)).total_matched >= 0);
  });

  conformance('an index on a cluster', {
    sources: FIXTURES,
    subject: onCluster,
    reference: embedded(ONE_BATCH, { drawings: false }),
    rounding: ROUNDING,
  });
});
