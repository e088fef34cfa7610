/** Texts that are too long for the keys of a store: a failure of that record only, in every format. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { open } from '../../src/engine.js';
import { checkFolder } from '../../src/index/check.js';
import { KEY_MAX_CHARS } from '../../src/limits.js';
import { Store } from '../../src/store/store.js';
import { temporary } from '../crash/folder.js';

const LONG = '7'.repeat(2_000);
const record = (number: number, more: object = {}) => ({
  patent_id: `US${10_000_000 + number}B2`,
  country: 'US',
  kind_code: 'B2',
  title: `A pump with ${number} valves`,
  ...more,
});

test('a record with a number that is too long is one failure, and all others are stored', async (t) => {
  const dir = temporary(t);
  const engine = await open(dir, { create: true, workers: 0 });
  const { ingested, failed } = await engine.ingest([
    record(1),
    record(2, { application_number: LONG }),
    record(3, { family_id: '\u3042'.repeat(KEY_MAX_CHARS + 1) }),
    record(4, { corrects: [LONG] }),
    record(5, { patent_id: LONG }),
    // The longest ones are stored, in characters of three bytes as well.
    record(6, {
      application_number: LONG.slice(0, KEY_MAX_CHARS),
      family_id: '\u3042'.repeat(KEY_MAX_CHARS),
    }),
    record(7, { corrects: ['\u3042'.repeat(KEY_MAX_CHARS)] }),
  ]);
  await engine.close();
  assert.equal(ingested, 3);
  const expected = /^(\w+)(?:\[0\])?: ".*; expected a text of at most 128 characters$/s;
  assert.deepEqual(
    failed.map(({ position, reason }) => [position, expected.exec(reason)?.[1]]),
    [
      ['record 2', 'application_number'],
      ['record 3', 'family_id'],
      ['record 4', 'corrects'],
      ['record 5', 'patent_id'],
    ],
  );
  const store = Store.open(dir);
  t.after(() => store.close());
  assert.deepEqual((await checkFolder(store)).problems, []);
});

test('an XML document with a number that is too long is one failure with the reason', async (t) => {
  const dir = temporary(t);
  const source = readFileSync('fixtures/us/US11217824-20220104/US11217824-20220104.XML', 'utf8');
  const long = source.replace(
    /(<application-reference[^>]*>.*?<doc-number>)\d+/s,
    (_, before: string) => before + LONG,
  );
  assert.notEqual(long, source);
  writeFileSync(join(dir, 'long.xml'), long);
  writeFileSync(join(dir, 'own.jsonl'), `${JSON.stringify(record(1))}\n`);
  const engine = await open(join(dir, 'data'), { create: true, workers: 0 });
  t.after(() => engine.close());
  const { ingested, failed } = await engine.ingest([join(dir, 'long.xml'), join(dir, 'own.jsonl')]);
  assert.equal(ingested, 1);
  assert.equal(failed.length, 1);
  assert.match(
    failed[0]!.reason,
    /^US\w+: application_number has 2000 characters; at most 128 can be stored$/,
  );
});
