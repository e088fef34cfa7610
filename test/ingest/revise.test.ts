/** Parts and corrections through the whole ingest: the folder is the same for one run or several, in any order. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { checkFolder } from '../../src/index/check.js';
import { type Engine, open } from '../../src/index.js';
import { Store } from '../../src/store/store.js';

let dir = '';
before(() => {
  dir = mkdtempSync(join(tmpdir(), 'priorart-revise-'));
});
after(() => rmSync(dir, { recursive: true }));

const ops = (part: string): string => resolve(`fixtures/formats/ops-${part}.xml`);
const written = (name: string, ...records: object[]): string => {
  const path = join(dir, `${name}.jsonl`);
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  return path;
};

async function folder(name: string, ...runs: string[][]): Promise<Engine> {
  const engine = await open(join(dir, name), { create: true, workers: 0 });
  for (const paths of runs) {
    const { failed, documents, ingested, updated, unchanged } = await engine.ingest(paths);
    assert.deepEqual(failed, []);
    assert.equal(ingested + updated + unchanged, documents);
  }
  return engine;
}

/** Closes the engine and checks the folder. */
async function sound(engine: Engine, name: string): Promise<void> {
  await engine.close();
  const store = Store.open(join(dir, name));
  assert.deepEqual((await checkFolder(store)).problems, []);
  await store.close();
}

describe('parts of a publication', () => {
  it('parts become one record, in one run or in several', async () => {
    const orders = [
      [[ops('biblio'), ops('claims'), ops('description')]],
      [[ops('description')], [ops('claims')], [ops('biblio')]],
      [[ops('claims')], [ops('biblio'), ops('description')]],
    ];
    const shown: string[] = [];
    for (const [n, runs] of orders.entries()) {
      const engine = await folder(`parts-${n}`, ...runs);
      assert.equal((await engine.coverage()).total, 1);
      const [patent] = (await engine.details({ patent_ids: ['EP3777001A1'] })).patents;
      shown.push(JSON.stringify(patent));
      assert.match(patent?.content ?? '', /# POPCORN BAG[\s\S]*susceptor[\s\S]*\*\*3\.\*\*[\s\S]*\[0002\]/);
      const found = await engine.search({ query: 'kernels remain unpopped', ipc_codes: ['B65D'] });
      assert.deepEqual(
        found.results.map(({ patent_id }) => patent_id),
        ['EP03777001A1'],
      );
      const again = await engine.ingest([ops('claims'), ops('biblio')]);
      assert.deepEqual([again.unchanged, again.updated, again.ingested], [2, 0, 0]);
      await sound(engine, `parts-${n}`);
    }
    assert.deepEqual(shown, Array(orders.length).fill(shown[0]));
  });
});

describe('corrections', () => {
  const grant = {
    ...{
      patent_id: 'EP04444001B1',
      title: 'Lid of a jar',
      publication_date: '2020-01-08',
      grant_date: '2020-01-08',
    },
    ...{ claims: ['A lid with a bayonet.'], inventors: ['Mayer, Ida'], application_number: '17100001.2' },
  };
  const frontPage = {
    ...{ patent_id: 'EP04444001B8', title: 'Lid of a jar', publication_date: '2020-05-06' },
    ...{ inventors: ['Meyer, Ida'], application_number: '17100001.2' },
  };

  it('a correction replaces the corrected publication and is found under both numbers', async () => {
    const orders = [
      [[written('b1', grant), written('b8', frontPage)]],
      [[written('b8', frontPage)], [written('b1', grant)]],
    ];
    for (const [n, runs] of orders.entries()) {
      const engine = await folder(`corrected-${n}`, ...runs);
      assert.equal((await engine.coverage()).total, 1);
      const { results } = await engine.search({ query: 'bayonet lid', inventor: 'Meyer', doc_type: 'grant' });
      assert.deepEqual(
        results.map(({ patent_id }) => patent_id),
        ['EP04444001B8'],
      );
      assert.equal((await engine.search({ query: 'bayonet lid', inventor: 'Mayer' })).total, 0);
      for (const [kinds, total] of [
        [['B1'], 1],
        [['B8'], 1],
        [['B1', 'B8'], 1],
        [['B2', 'B9', 'A1'], 0],
      ] as const) {
        const found = await engine.search({ query: 'bayonet lid', kind_codes: [...kinds] });
        assert.equal(found.total, total, `the grant, or its correction, as ${kinds.join(' or ')}`);
      }
      assert.deepEqual((await engine.coverage()).by_country['EP']?.by_kind, { B8: 1 }, 'counted once');
      for (const asked of ['EP04444001B1', 'EP 4444001 B1', 'EP4444001B8', 'EP4444001']) {
        const [patent] = (await engine.details({ patent_ids: [asked] })).patents;
        assert.equal(patent?.patent_id, 'EP04444001B8', asked);
        assert.match(patent?.content ?? '', /A lid with a bayonet/);
      }
      const again = await engine.ingest(runs.flat());
      assert.equal(again.unchanged, 2, 'the corrected publication stays replaced');
      assert.deepEqual(await engine.delete(['EP04444001B1']), { deleted: ['EP04444001B8'], not_found: [] });
      assert.equal((await engine.coverage()).total, 0);
      await sound(engine, `corrected-${n}`);
    }
  });

  it("a correction in another version keeps the corrected publication's data", async () => {
    const engine = await folder('versions', [written('b1', grant)], [written('b8', frontPage)]);
    const { updated } = await engine.ingest([
      written('b8-again', { ...frontPage, inventors: ['Meier, Ida'] }),
    ]);
    assert.equal(updated, 1);
    const { results } = await engine.search({ query: 'bayonet lid', inventor: 'Meier' });
    assert.deepEqual(
      results.map(({ chunks }) => chunks.some(({ text }) => text.includes('bayonet'))),
      [true],
    );
    const again = await engine.ingest([written('b1', grant), written('b8', frontPage)]);
    assert.equal(again.unchanged, 2, 'earlier versions stay replaced');
    await sound(engine, 'versions');
  });

  it('a translation that the gazette calls T and a database A is one publication, found under both', async () => {
    const gazette = { patent_id: 'JP30524120T', title: '電池', claims: ['固体電解質を備える電池。'] };
    const database = { patent_id: 'JP30524120A', title: 'BATTERY', language: 'en', family_id: '22345678' };
    const parts = [written('jp-t', gazette), written('jp-a', { ...database, partial: true })];
    for (const [n, runs] of [[parts], [[parts[0]!], [parts[1]!]], [[parts[1]!], [parts[0]!]]].entries()) {
      const engine = await folder(`translation-${n}`, ...runs);
      assert.equal((await engine.coverage()).total, 1);
      const asked = ['JP30524120A', 'JP30524120T', 'JP2018524120A', '特表2018-524120', 'JP-T-2018-524120'];
      const { patents } = await engine.details({ patent_ids: asked });
      for (const patent of patents) assert.match(patent.content ?? '', /固体電解質を備える電池/);
      for (const kind of ['A', 'T']) {
        const { results } = await engine.search({ query: '電池', kind_codes: [kind] });
        assert.deepEqual(
          results.map(({ patent_id }) => patent_id),
          ['JP30524120T'],
        );
      }
      const again = await engine.ingest(parts);
      assert.deepEqual([again.unchanged, again.updated, again.ingested], [2, 0, 0]);
      await sound(engine, `translation-${n}`);
    }
  });

  it('a correction leaves other fields unchanged', async () => {
    const application = { ...grant, patent_id: 'EP04444001A1', grant_date: null };
    const engine = await folder('apart', [written('all', application, frontPage)]);
    assert.equal((await engine.coverage()).total, 2);
    await sound(engine, 'apart');
  });
});
