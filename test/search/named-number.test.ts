/** Numbers that have the digits of another publication: applications of the US, of the EPO and of China. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Engine, open } from '../../src/engine.js';

const DAY = '2010-01-01';
const RECORDS = [
  // US 10/123,456 and the patent with its digits; an application of the EPO with those of US 16/170,000.
  { patent_id: 'US20030123001A1', application_number: '10/123,456', priority_date: '2002-04-15' },
  { patent_id: 'US10123456B2', application_number: '14/700,001', priority_date: '2015-05-01' },
  { patent_id: 'US09742144B2', application_number: '14/700,002' },
  { patent_id: 'EP03000001A1', application_number: '16170000.4' },
  // EP 10158432.5 and the Korean registration with its digits; EP 11158432.5 and a Chinese publication.
  { patent_id: 'EP02000001A1', application_number: '10158432.5', priority_date: '2009-04-01' },
  { patent_id: 'KR1015843250000B1', application_number: '10-2014-0000001' },
  { patent_id: 'EP02000002A1', application_number: '11158432.5' },
  { patent_id: 'CN111584325A', application_number: '202010000001.X' },
  // CN 202010000123.4 and a Korean utility model, and a Korean application, with its digits.
  { patent_id: 'CN112000001A', application_number: '202010000123.4' },
  { patent_id: 'KR2020100001234U', application_number: '20-2009-0000001' },
  { patent_id: 'KR2020110009999U', application_number: '20-2010-0001234' },
];

describe('numbers with the digits of another publication', () => {
  let dir = '';
  let engine: Engine;
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'priorart-named-'));
    engine = await open(join(dir, 'data'), { create: true, workers: 0 });
    const records = RECORDS.map((record) => ({
      ...{ title: `Pump of ${record.patent_id}`, language: 'en', publication_date: DAY },
      ...record,
    }));
    const { failed, ingested } = await engine.ingest(records);
    assert.deepEqual([failed, ingested], [[], RECORDS.length]);
  });
  after(async () => {
    await engine?.close();
    rmSync(dir, { recursive: true });
  });

  const everyKind = { include_utility_model: true };
  /** The publications that a question names; undefined if it is a text. */
  async function named(query: string): Promise<readonly string[] | undefined> {
    const { reading } = await engine.explain({ query });
    return reading?.as === 'number' ? reading.publications : undefined;
  }
  async function found(fields: object): Promise<string[]> {
    const { results } = await engine.search({ query: 'pump', top_k: 100, ...everyKind, ...fields });
    return results.map(({ patent_id }) => patent_id).sort();
  }
  async function shown(id: string): Promise<unknown> {
    const [entry] = (await engine.details({ patent_ids: [id] })).patents;
    return entry && 'error' in entry ? entry.error : entry?.patent_id;
  }
  const others = (id: string) => RECORDS.map(({ patent_id }) => patent_id).filter((other) => other !== id);

  it('a US number with a slash is that of an application, everywhere', async () => {
    const own = 'US20030123001A1';
    for (const text of [
      ...['10/123,456', 'US 10/123,456', 'US10/123456', 'U.S. Ser. No. 10/123,456', 'Serial No. 10/123,456'],
      ...['USSN 10/123,456', 'U.S.S.N. 10/123,456', 'US Patent No. 10/123,456', '１０／１２３，４５６'],
    ]) {
      assert.deepEqual(await named(text), [own], text);
      assert.equal(await shown(text), own, text);
      assert.deepEqual(await found({ like: [text] }), others(own).sort(), text);
      assert.ok(!(await found({ unlike: [text] })).includes(own), text);
      assert.equal((await engine.search({ query: 'pump', as_of: text })).as_of_day, '2002-04-15', text);
      assert.deepEqual(await found({ publication_number: text }), [own], text);
      assert.deepEqual(await found({ application_number: text }), [own], text);
    }
    for (const text of ['US 10,123,456', 'US10123456B2', '10123456', 'U.S. Patent No. 10,123,456'])
      assert.deepEqual(await named(text), ['US10123456B2'], text);
  });

  it('an unknown US application is no patent and no application of another office', async () => {
    for (const text of [
      '09/742,144',
      'Serial No. 09/742,144',
      '16/170,000',
      '16/170000',
      'USSN 16/170,000',
    ]) {
      assert.deepEqual(await named(text), [], text);
      assert.equal(await shown(text), 'not_found', text);
      assert.deepEqual(await found({ application_number: text }), [], text);
      await assert.rejects(found({ like: [text] }), { code: 'invalid_request' }, text);
    }
    assert.deepEqual(await named('EP 16170000.4'), ['EP03000001A1']);
  });

  it('a number with a check digit is that of an application of the EPO or of China', async () => {
    for (const [text, own] of [
      ['10158432.5', 'EP02000001A1'],
      ['EP 10158432.5', 'EP02000001A1'],
      ['11158432.5', 'EP02000002A1'],
      ['202010000123.4', 'CN112000001A'],
      ['CN 202010000123.4', 'CN112000001A'],
      ['Application No. 202010000123.4', 'CN112000001A'],
    ] as const) {
      assert.deepEqual(await named(text), [own], text);
      assert.deepEqual(await found({ like: [text] }), others(own).sort(), text);
      assert.deepEqual(await found({ application_number: text }), [own], text);
      if (text.startsWith('Appl')) continue;
      assert.equal(await shown(text), 'not_found', 'a bare number of an application');
      assert.deepEqual(await found({ publication_number: text }), [], text);
    }
    const { as_of_day } = await engine.search({ query: 'pump', as_of: '10158432.5' });
    assert.equal(as_of_day, '2009-04-01');
    for (const text of ['10158433.5', '202010000124.X', 'CN 111584325.4'])
      assert.deepEqual(await named(text), [], text);
    for (const [text, own] of [
      ['101584325', 'KR1015843250000B1'],
      ['CN111584325', 'CN111584325A'],
      ['2020100001234', 'KR2020100001234U'],
    ] as const)
      assert.ok((await named(text))?.includes(own), text);
  });
});
