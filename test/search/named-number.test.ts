/** Numbers that have the digits of another publication: applications of the US, of the EPO, of China and of Korea. */
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
  {
    patent_id: 'US09742144B2',
    application_number: '14/700,002',
    abstract: 'Better than DE 102007003914 A1.',
  },
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
  // KR 10-2009-0104349 is that of a publication and of another application.
  { patent_id: 'KR1020090104349A', application_number: '10-2008-0000007', priority_date: '2008-01-07' },
  { patent_id: 'KR1020110000042A', application_number: '10-2009-0104349', priority_date: '2009-10-30' },
  { patent_id: 'KR1011000420000B1', application_number: '10-2009-0104349', priority_date: '2009-10-30' },
  // 10-2009-0104350 as well, with one priority date, and 10-2009-0104351 of one application alone.
  { patent_id: 'KR1020090104350A', application_number: '10-2008-0000008', priority_date: '2008-01-08' },
  { patent_id: 'KR1020110000043A', application_number: '10-2009-0104350', priority_date: '2008-01-08' },
  // 特願2009-104349 and 特願2009-104351, whose digits are in the Korean numbers.
  { patent_id: 'JP22104349A', application_number: '特願2009-104349', priority_date: '2009-04-22' },
  { patent_id: 'JP22104351A', application_number: '特願2009-104351', priority_date: '2009-04-23' },
  { patent_id: 'KR1020090104351A', application_number: '10-2009-0104351', priority_date: '2009-02-01' },
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

  const everyKind = { include_utility_model: true, collapse: 'none' } as const;
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

  it('a Korean number with its right is no number of another office', async () => {
    for (const text of ['10-2009-0104351', '10 2009 0104351', '제10-2009-0104351호']) {
      assert.deepEqual(await named(text), ['KR1020090104351A'], text);
      assert.deepEqual(await found({ application_number: text }), ['KR1020090104351A'], text);
    }
    assert.deepEqual(await found({ application_number: '출원번호 10-2009-0104351' }), ['KR1020090104351A']);
    const { as_of_day } = await engine.search({ query: 'pump', as_of: '10-2009-0104351' });
    assert.equal(as_of_day, '2009-02-01');
    // The registration is not stored, and EP 10158432.5 is.
    assert.deepEqual(await named('10-1584324'), []);
    assert.deepEqual(await named('2009-104351'), ['JP22104351A']);
  });

  it('a Korean number of a publication and of an application names both, the publication first', async () => {
    const publication = 'KR1020090104349A';
    const application = ['KR1011000420000B1', 'KR1020110000042A'];
    for (const text of [
      ...['10-2009-0104349', 'KR 10-2009-0104349', 'KR20090104349', '1020090104349', '제10-2009-0104349호'],
      ...['10 2009 0104349', '10-2009-104349', '"10\u20132009\u20130104349"'],
    ]) {
      assert.deepEqual(await named(text), [publication, ...application], text);
      const { results } = await engine.search({ query: text });
      const first = results.slice(0, 2).map(({ patent_id }) => patent_id);
      assert.ok(first.includes(publication) && first.some((id) => application.includes(id)), text);
      for (const field of ['like', 'unlike'])
        await assert.rejects(found({ [field]: [text] }), {
          code: 'invalid_request',
          message: new RegExp(
            `is the number of ${publication}, ${application.join(', ')}; expected one of these`,
          ),
        });
      await assert.rejects(engine.search({ query: 'pump', as_of: text }), {
        code: 'invalid_request',
        message: new RegExp(`priority dates differ: ${publication}, ${application.join(', ')}`),
      });
      // Details and the filter by publications take no bare numbers of applications, and no quotes.
      if (text.startsWith('"')) continue;
      assert.equal(await shown(text), publication, text);
      assert.deepEqual(await found({ publication_number: text }), [publication], text);
    }
    assert.deepEqual(await named('10-2009-0104350'), ['KR1020090104350A', 'KR1020110000043A']);
    const { as_of_day } = await engine.search({ query: 'pump', as_of: '10-2009-0104350' });
    assert.equal(as_of_day, '2008-01-08', 'one date');
    assert.deepEqual(await named('10-2009-0104351'), ['KR1020090104351A']);
    assert.ok((await found({ like: ['10-2009-0104351'] })).length > 0);
  });

  it('words and kind codes tell what a Korean number is of', async () => {
    for (const text of [
      ...['KR1020090104349A', '10-2009-0104349 A', '공개특허 10-2009-0104349', '공개번호 10-2009-0104349'],
      ...['공개특허번호 10-2009-0104349', 'Korean Patent Publication No. 10-2009-0104349'],
    ]) {
      assert.deepEqual(await named(text), ['KR1020090104349A'], text);
      assert.deepEqual(await found({ like: [text] }), others('KR1020090104349A').sort(), text);
    }
    for (const text of ['출원번호 10-2009-0104349', '특허출원 제10-2009-0104349호'])
      assert.deepEqual(await named(text), ['KR1011000420000B1', 'KR1020110000042A'], text);
    assert.equal(await named('10-2009-0104349 pumps'), undefined);
  });

  it('a number of another office is not in the index; texts that cite it come first', async () => {
    for (const query of ['DE102007003914A1', 'DE 10 2007 003 914 A1', 'GB2345678A', 'TW201812345A']) {
      assert.deepEqual(await named(query), [], query);
      const { results, not_in_index } = await engine.search({ query, explain: true });
      assert.equal(not_in_index, 'number', query);
      for (const { similarity_score } of results) assert.ok(similarity_score < 0.1, query);
      await assert.rejects(found({ like: [query] }), { code: 'invalid_request' }, query);
    }
    const { results } = await engine.search({ query: 'DE102007003914A1' });
    assert.equal(results[0]?.patent_id, 'US09742144B2');
    for (const query of ['DE 10 mm screw', 'CA 125 antigen', 'AU 2020 solar'])
      assert.equal(await named(query), undefined, query);
  });
});
