/** Questions that are the number of an international application or of its publication. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../../src/engine.js';
import { checkFolder } from '../../src/index/check.js';
import { repairFolder } from '../../src/index/repair.js';
import { change } from '../../src/store/commit.js';
import { Store } from '../../src/store/store.js';
import { temporary } from '../crash/folder.js';
import { derivation } from '../store/folder.js';

const PCT = 'PCT/KR2018/016728';
const WO = 'WO2019135546';
/** Two national publications of one international application, and one of another. */
const RECORDS = [
  {
    ...{ patent_id: 'EP03733001A1', title: 'Lid of a jar', application_number: '18898765.4' },
    ...{ priority_date: '2018-01-05', publication_date: '2020-11-11' },
    ...{ pct_application: { number: PCT }, pct_publication: { number: WO, date: '2019-07-11' } },
  },
  {
    ...{ patent_id: 'JP33511001A', title: '蓋', language: 'ja', application_number: '2020-555123' },
    ...{ priority_date: '2018-01-05', publication_date: '2021-04-30' },
    pct_publication: { number: 'WO 2019/135546 A1' },
  },
  {
    ...{ patent_id: 'US20200123456A1', title: 'Bayonet', pct_application: { number: 'PCT/US99/12345' } },
    publication_date: '2020-04-23',
  },
];
const REPUBLICATION = { patent_id: 'JP30062001A1', title: '容器の蓋', publication_date: '2019-07-11' };

test('the national publications of an international application are found by its numbers', async (t) => {
  const dir = temporary(t);
  const engine = await open(dir, { create: true, workers: 0 });
  assert.deepEqual((await engine.ingest([...RECORDS, REPUBLICATION])).failed, []);
  const reading = async (query: string) => {
    const { reading } = await engine.explain({ query });
    return reading?.as === 'number' ? reading.publications : reading;
  };
  for (const [question, found] of [
    ['WO 2019/135546', ['EP03733001A1', 'JP33511001A']],
    ['wo2019135546a1', ['EP03733001A1', 'JP33511001A']],
    ['WO/2019/135546', ['EP03733001A1', 'JP33511001A']],
    ['WO/2019/135546 A1', ['EP03733001A1', 'JP33511001A']],
    ['WO-A1-2019/135546', ['EP03733001A1', 'JP33511001A']],
    ['国際公開第2019/135546号', ['EP03733001A1', 'JP33511001A']],
    ['국제공개번호 WO 2019/135546', ['EP03733001A1', 'JP33511001A']],
    ['PCT/KR2018/016728', ['EP03733001A1']],
    ['국제출원번호 PCT/KR2018/016728', ['EP03733001A1']],
    ['PCT/US1999/012345', ['US20200123456A1']],
    ['PCT/US99/12345', ['US20200123456A1']],
    ['WO2018/062001', ['JP30062001A1']],
    ['WO 2019/135547', []],
    ['PCT/KR2018/016729', []],
  ] as const) {
    assert.deepEqual(await reading(question), found, question);
  }
  const { results } = await engine.search({ query: WO });
  assert.deepEqual(
    results
      .slice(0, 2)
      .map(({ patent_id }) => patent_id)
      .sort(),
    ['EP03733001A1', 'JP33511001A'],
  );
  const before = await engine.search({ query: 'bayonet', as_of: 'WO2019/135546', explain: true });
  assert.deepEqual([before.as_of_day, before.total], ['2018-01-05', 0]);
  const like = await engine.search({ like: [PCT] });
  assert.ok(like.results.length > 0 && like.results.every(({ patent_id }) => patent_id !== 'EP03733001A1'));
  const several = { code: 'invalid_request', message: /EP03733001A1, JP33511001A; expected one of these/ };
  await assert.rejects(engine.search({ like: [WO] }), several);

  const asked = ['PCT/KR2018/016728', 'WO2019/135546', 'WO 2019/135547 A1'];
  const { patents } = await engine.details({ patent_ids: asked });
  assert.deepEqual(
    patents.map((entry) => ('error' in entry ? entry.error : entry.patent_id)),
    ['EP03733001A1', 'ambiguous', 'not_found'],
  );
  assert.deepEqual(
    (await engine.get(PCT)).map((record) => record?.patent_id),
    ['EP03733001A1'],
  );
  assert.deepEqual((await engine.delete([PCT])).not_found, [PCT], 'only what has the number itself');

  await engine.ingest([{ ...RECORDS[0]!, pct_application: { number: 'PCT/KR2018/016730' } }]);
  assert.deepEqual(await reading(PCT), [], 'the number of the version before is forgotten');
  assert.deepEqual(await reading('PCT/KR2018/016730'), ['EP03733001A1']);
  await engine.delete(['EP03733001A1']);
  assert.deepEqual(await reading(WO), ['JP33511001A']);
  assert.ok(!('international' in (await engine.get('JP33511001A'))[0]!), 'it is no field of the record');
  await engine.close();
});

test('a folder of an earlier version is whole, and a repair makes these numbers known', async (t) => {
  const dir = temporary(t);
  const engine = await open(dir, { create: true, workers: 0 });
  await engine.ingest(RECORDS);
  await engine.close();
  const store = Store.open(dir);
  t.after(() => store.close());
  change(store, () => {
    for (const doc of [...store.documents.getKeys()]) {
      const { international = [], ...head } = store.documents.get(doc)!;
      assert.ok(international.length > 0);
      for (const key of international) store.applications.removeSync(key, head.patent_id);
      store.documents.putSync(doc, head);
    }
  });
  assert.deepEqual((await checkFolder(store)).problems, []);
  const { ok, repaired } = await repairFolder(store, derivation);
  assert.ok(ok);
  assert.deepEqual(repaired, ['publications found by their international applications from now on: 3']);
  assert.deepEqual((await repairFolder(store, derivation)).repaired, [], 'once');
  assert.deepEqual([...store.applications.getValues('WO2019135546')], ['EP03733001A1', 'JP33511001A']);
  const [doc] = [...store.documents.getKeys()];
  change(store, () => {
    const { international, patent_id } = store.documents.get(doc!)!;
    store.applications.removeSync(international![0]!, patent_id);
  });
  const [problem, ...others] = (await checkFolder(store)).problems;
  assert.deepEqual([problem?.kind, others], ['lookup', []]);
  assert.ok((await repairFolder(store, derivation)).ok);
});
