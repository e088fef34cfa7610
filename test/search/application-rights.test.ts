/** Japanese applications for a patent, a utility model and a design have numbers of the same form. They stay apart. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../../src/engine.js';
import { temporary } from '../crash/folder.js';

const text = { language: 'ja', publication_date: '2024-10-02' };
const PATENT = {
  ...text,
  patent_id: 'JP37150001A',
  title: '倒れない傘立て',
  application_number: '特願2024-002701',
};
const GRANT = {
  ...text,
  patent_id: 'JP07650001B2',
  title: '倒れない傘立て',
  application_number: '2024-002701',
};
const MODEL = { ...text, patent_id: 'JP03248001U', title: '傘立て', application_number: '2024-002701' };
const DESIGN = { ...text, patent_id: 'JP01790001S', title: '傘立て', application_number: 'JP2024002701' };

test('a utility model or a design is not a publication of the patent application with its digits', async (t) => {
  const engine = await open(temporary(t), { create: true, workers: 0 });
  t.after(() => engine.close());
  assert.deepEqual((await engine.ingest([PATENT, GRANT, MODEL, DESIGN])).failed, []);
  const patent_ids = [PATENT, GRANT, MODEL, DESIGN].map(({ patent_id }) => patent_id);
  const { patents } = await engine.details({ patent_ids, bibliography: true });
  const numbers = patents.map((entry) => 'bibliography' in entry && entry.bibliography?.application_number);
  assert.deepEqual(numbers, ['2024002701', '2024002701', '2024002701U', '2024002701S']);

  const found = async (request: object) =>
    (await engine.search({ query: '傘立て', ...request })).results.map(({ patent_id }) => patent_id).sort();
  assert.deepEqual(await found({ include_utility_model: true }), ['JP03248001U', 'JP07650001B2']);
  for (const [application_number, ids] of [
    ['特願2024-002701', ['JP07650001B2']],
    ['実願2024-002701', ['JP03248001U']],
    ['JP2024002701U', ['JP03248001U']],
    ['意願2024-002701', ['JP01790001S']],
    ['JP 2024-002701', ['JP01790001S', 'JP03248001U', 'JP07650001B2']],
    ['2024-002701', ['JP01790001S', 'JP03248001U', 'JP07650001B2']],
  ] as const) {
    assert.deepEqual(await found({ application_number }), ids, application_number);
  }

  for (const [question, ids] of [
    ['特願2024-002701', ['JP07650001B2', 'JP37150001A']],
    ['実願2024-002701', ['JP03248001U']],
    ['実用新案登録出願2024-002701号', ['JP03248001U']],
    ['出願番号：意願2024-002701', ['JP01790001S']],
    ['実願2024-2701(U2024-2701)', ['JP03248001U']],
    // As records have it.
    ['2024002701U', ['JP03248001U']],
    ['JP 2024-002701 U', ['JP03248001U']],
    ['2024002701S', ['JP01790001S']],
    ['特願2024-009999', []],
  ] as const) {
    const { reading } = await engine.explain({ query: question });
    assert.deepEqual(reading?.as === 'number' ? reading.publications : reading, ids, question);
  }
});

test('an older record without the right gets it, and so does the family that is made of its number', async (t) => {
  const engine = await open(temporary(t), { create: true, workers: 0 });
  t.after(() => engine.close());
  const family = { application_number: '2024002701', family_id: 'JP2024002701', family_derived: true };
  await engine.ingest([
    { ...PATENT, ...family },
    { ...MODEL, ...family },
  ]);
  const patent_ids = ['JP37150001A', 'JP03248001U'];
  const { patents } = await engine.details({ patent_ids, bibliography: true });
  const families = patents.map((entry) => 'bibliography' in entry && entry.bibliography?.family_id);
  assert.deepEqual(families, ['JP2024002701', 'JP2024002701U']);
});
