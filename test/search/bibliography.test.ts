/** Bibliographic data of documents, as the details request adds it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Engine, open } from '../../src/index.js';
import type { PatentInput } from '../../src/ingest/patent-input.js';
import { FAMILY_LISTED } from '../../src/limits.js';

const patent = (patent_id: string, more: Partial<PatentInput> = {}): PatentInput => ({
  patent_id,
  country: patent_id.slice(0, 2) as 'US',
  kind_code: patent_id.slice(2).replace(/^\d+/, ''),
  title: `Pump ${patent_id}`,
  abstract: 'A pump with a valve.',
  ...more,
});

const CITING = patent('US11000001B2', {
  applicants: [{ name: 'Example Pumps' }],
  inventors: [{ name: '김철수', name_en: 'KIM Chulsoo' }, { name: 'Ada Example' }],
  cpc_codes: ['F04B 1/12', 'Y02E 10/20'],
  application_number: '16000001',
  family_id: 'F1',
  priority_date: '2018-01-02',
  priorities: [{ country: 'KR', number: '1020180000001', date: '2018-01-02' }],
  citations: [
    { patent_id: 'US10000001B2', country: 'US', number: '10000001', kind: 'B2', cited_by: 'examiner' },
    { country: 'EP', number: '03500001', category: 'X' },
    { country: 'DE', number: '4321', kind: 'A1' },
    { country: 'US', number: '99999999', kind: 'B2' },
    { text: 'Example, A.: Pumps. Berlin 1999' },
  ],
});

describe('the bibliography of a document', () => {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-bibliography-'));
  let engine: Engine;
  before(async () => {
    engine = await open(dir, { create: true, workers: 1 });
    const { failed } = await engine.ingest([
      CITING,
      patent('US10000001B2'),
      patent('EP03500001A1'),
      patent('EP03500001B1'),
      patent('KR1020190000001A', { family_id: 'F1' }),
      patent('JP2019000001A', { family_id: 'F2' }),
    ]);
    assert.deepEqual(failed, []);
  });
  after(async () => {
    await engine.close();
    rmSync(dir, { recursive: true });
  });
  const of = async (...patent_ids: string[]) =>
    (await engine.details({ patent_ids, sections: 'title', bibliography: true })).patents.map(
      (entry) => entry.bibliography,
    );

  it('has names, codes and priorities as they are stored', async () => {
    const [found] = await of('US11000001B2');
    assert.deepEqual(found!.inventors, CITING.inventors);
    assert.deepEqual(found!.applicants, CITING.applicants);
    assert.deepEqual(found!.cpc_codes, CITING.cpc_codes);
    assert.deepEqual(found!.priorities, CITING.priorities);
    assert.equal(found!.application_number, '16000001');
    assert.equal(found!.priority_date, '2018-01-02');
  });

  it('as_of a grant has the priority date of its application, if the grant states none', async () => {
    const one = { application_number: '15000001', filing_date: '2015-05-05' };
    const { failed } = await engine.ingest([
      patent('US20160000001A1', { ...one, priority_date: '2014-01-01' }),
      patent('US09900001B2', one),
    ]);
    assert.deepEqual(failed, []);
    for (const as_of of ['US20160000001A1', 'US09900001B2']) {
      assert.equal((await engine.explain({ query: 'pump', as_of })).asOf, '2014-01-01', as_of);
    }
  });

  it('has the earliest priority of a record that states only the claims, as filters and as_of have it', async () => {
    const id = 'EP03500002A1';
    const priorities = [
      { country: 'KR', number: '1020100000001', date: '2010-01-01' },
      { country: 'US', number: '61000001', date: '2009-05-05' },
    ];
    const { failed } = await engine.ingest([patent(id, { filing_date: '2011-01-01', priorities })]);
    assert.deepEqual(failed, []);
    assert.equal((await of(id))[0]!.priority_date, '2009-05-05');
    const range = { priority_date_from: '2009-05-05', priority_date_to: '2009-05-05' };
    const { results } = await engine.search({ query: 'pump', ...range });
    assert.deepEqual(
      results.map(({ patent_id }) => patent_id),
      [id],
    );
    assert.equal((await engine.search({ query: 'pump', as_of: id })).as_of_day, '2009-05-05');
  });

  it('says which citations the index holds', async () => {
    const [found] = await of('US11000001B2');
    assert.deepEqual(
      found!.citations.map(({ publications }) => publications),
      [['US10000001B2'], ['EP03500001A1', 'EP03500001B1'], undefined, undefined, undefined],
    );
    assert.equal(found!.citations[4]!.text, 'Example, A.: Pumps. Berlin 1999');
    assert.equal(found!.citations[1]!.category, 'X');
  });

  it('lists the other members of the family, for each of several documents', async () => {
    const [own, member, other, none] = await of('US11000001B2', 'KR1020190000001A', 'JP2019000001A', 'US1');
    assert.deepEqual(own!.family, ['KR1020190000001A']);
    assert.deepEqual(member!.family, ['US11000001B2']);
    assert.deepEqual(other!.family, []);
    assert.deepEqual(other!.citations, []);
    assert.equal(none, undefined);
  });

  it('lists a part of a family that is too large to be one', async () => {
    const ids = Array.from({ length: FAMILY_LISTED + 3 }, (_, n) => `KR10201800${n + 10_000}A`);
    const { failed } = await engine.ingest(ids.map((id) => patent(id, { family_id: 'F9' })));
    assert.deepEqual(failed, []);
    for (const own of [ids[0]!, ids.at(-1)!]) {
      const [found] = await of(own);
      assert.equal(new Set(found!.family).size, FAMILY_LISTED);
      assert.deepEqual(found!.family, [...found!.family].sort());
      assert.ok(found!.family.every((id) => id !== own && ids.includes(id)));
    }
    // The last by id stands for the family. A new record gives it the last place in the folder, too.
    await engine.ingest([patent(ids.at(-1)!, { family_id: 'F9', title: 'Valve of a kiln' })]);
    const { results } = await engine.search({ query: 'valve of a kiln', collapse: 'family' });
    const [first] = results;
    assert.equal(first?.patent_id, ids.at(-1));
    const members = first?.members?.map(({ patent_id }) => patent_id) ?? [];
    assert.equal(new Set(members).size, FAMILY_LISTED);
    assert.ok(members.includes(ids.at(-1)!));
    assert.deepEqual(members, [...members].sort());
  });

  it('does not list a deleted publication', async () => {
    await engine.delete(['KR1020190000001A', 'US10000001B2']);
    const [found] = await of('US11000001B2');
    assert.deepEqual(found!.family, []);
    assert.equal(found!.citations[0]!.publications, undefined);
  });
});
