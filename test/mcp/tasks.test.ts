/** Six tasks, with the calls that a model makes that has read the list of tools only: each succeeds at the first attempt. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { LocalDrawings } from '../../src/drawings/files.js';
import { EngineApi } from '../../src/mcp/engine-api.js';
import { toolSchema } from '../../src/mcp/schemas.js';
import { TOOLS } from '../../src/mcp/tools.js';
import { IndexService } from '../../src/service.js';
import { FIXTURES } from '../crash/folder.js';
import { noSharp } from '../drawings/images.js';
import { type Collection, collect } from '../search/collection.js';

describe('tasks of a model', () => {
  let collection: Collection;
  let service: IndexService;
  before(async () => {
    collection = await collect(FIXTURES);
    service = await IndexService.open(collection.dir, { workers: 1 });
  });
  after(async () => {
    await service.close();
    collection.remove();
  });

  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  async function call(name: string, args: Record<string, unknown>): Promise<any> {
    const tool = TOOLS.find((one) => one.name === name)!;
    const ajv = new Ajv2020({ strict: false });
    (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
    const fits = ajv.compile(toolSchema(tool.input, 'input'));
    assert.ok(fits(args), ajv.errorsText(fits.errors));
    const options = { signal: new AbortController().signal, label: 'test' };
    return (await tool.run(args, new EngineApi(service, new LocalDrawings(service.dir)), options)).structured;
  }

  it('find Korean and Japanese grants on sulfide electrolytes that were filed since 2015', async () => {
    const { results } = await call('search_patents', {
      query: 'sulfide solid electrolyte for a lithium secondary battery',
      countries: ['KR', 'JP'],
      doc_type: 'grant',
      filing_date_from: '2015-01-01',
    });
    assert.ok(results.length > 0);
    assert.ok(results.every((row: { patent_id: string }) => /^(KR|JP)/.test(row.patent_id)));
  });

  it('find the prior art of a patent, one result for each family', async () => {
    const { results } = await call('search_patents', {
      like: ['US 11,217,824 B2'],
      as_of: 'US11217824B2',
      collapse: 'family',
    });
    assert.ok(results.length > 0);
    assert.ok(results.every((row: { members: unknown[] }) => row.members.length >= 1));
  });

  it('say who files how much on robot cleaners, and when', async () => {
    const { stats, total_matched } = await call('analyze_patents', {
      query: 'robot cleaner that docks at a charging station',
      stats_group_by: ['applicant', 'year'],
      min_score: 0.4,
    });
    assert.ok(total_matched > 0 && stats.top_applicants.length > 0);
  });

  it('read only the claims of two patents', async () => {
    const { patents } = await call('get_patents', {
      patent_ids: ['US11217824B2', 'KR1022419060000B1'],
      sections: 'claims',
    });
    assert.ok(patents.every(({ content }: { content: string }) => content.startsWith('## Claims')));
  });

  it('show the main drawing of the best patent on robot cleaners', { skip: noSharp }, async () => {
    const { results } = await call('search_patents', { query: 'robot cleaner docking station', top_k: 50 });
    const best = results.find((row: { representative_figure?: string }) => row.representative_figure);
    const drawing = { publication_id: best.patent_id, filename: best.representative_figure };
    assert.ok((await call('get_drawing', drawing)).bytes > 0);
  });

  it('find documents with a word and without another, and say why they are there', async () => {
    const { results } = await call('search_patents', {
      query: 'solid electrolyte',
      must_terms: ['lithium'],
      must_not_terms: ['robot'],
      explain: true,
    });
    assert.ok(results.length > 0);
    assert.equal(results[0].explanation.rank, 1);
  });
});
