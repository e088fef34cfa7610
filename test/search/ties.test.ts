/** Statistics order documents of equal similarity by their shown fields. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Engine, open } from '../../src/engine.js';
import { publication } from '../crash/folder.js';

/** More than the extra documents that a search first finds. */
const DOCUMENTS = 300;

describe('ties in statistics', () => {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-ties-'));
  let engine: Engine;
  /** Ids, newest publication first, then by id. */
  let expected: string[];
  before(async () => {
    const { title, abstract, claims } = publication(0);
    const patents = Array.from({ length: DOCUMENTS }, (_, n) => ({
      ...publication(n),
      ...{ title: title!, abstract: abstract!, claims: claims! },
      publication_date: `2015-01-0${1 + ((n * 7) % 9)}`,
    }));
    expected = [...patents]
      .sort(
        (a, b) =>
          b.publication_date.localeCompare(a.publication_date) || (a.patent_id < b.patent_id ? -1 : 1),
      )
      .map(({ patent_id }) => patent_id);
    engine = await open(dir, { create: true, workers: 0 });
    await engine.ingest(patents);
  });
  after(async () => {
    await engine.close();
    rmSync(dir, { recursive: true });
  });

  it('ties are cut by publication date, then by patent_id', async () => {
    for (const max_results of [1, 10, 100, DOCUMENTS]) {
      const { results, total_matched } = await engine.analyze({
        query: 'valve with coating',
        ...{ min_score: 0, max_results, page_size: 100 },
      });
      assert.equal(total_matched, max_results);
      const wanted = expected.slice(0, Math.min(max_results, 100));
      assert.deepEqual(
        results.map(({ patent_id }) => patent_id),
        wanted,
        `max_results ${max_results}`,
      );
    }
  });
});
