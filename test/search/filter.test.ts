/** Filters with unusual values: names without a name, numbers that offices share. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Engine, open } from '../../src/engine.js';
import { parseSemantic } from '../../src/search/query.js';

/** An application of each office, of which EP and US have the same number; and two designs, one with a stated grant date. */
const RECORDS = [
  { patent_id: 'US20200067131A1', application_number: '20168852', applicants: ['Acme (주)'] },
  { patent_id: 'EP03893001A1', application_number: '20168852', applicants: ['.NET Ltd'] },
  { patent_id: 'KR1020200022285A', application_number: '1020180098231', applicants: ['주식회사 에이'] },
  { patent_id: 'USD0988629S1', publication_date: '2023-06-13' },
  { patent_id: 'KR3011049270000S', publication_date: '2021-04-12', grant_date: '2021-04-05' },
];

describe('unusual filter values', () => {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-filter-'));
  let engine: Engine;
  before(async () => {
    const file = join(dir, 'records.jsonl');
    const lines = RECORDS.map((record) =>
      JSON.stringify({ ...record, title: 'Electrolyte', language: 'en' }),
    );
    writeFileSync(file, lines.join('\n'));
    engine = await open(join(dir, 'data'), { create: true, workers: 0 });
    assert.equal((await engine.ingest(file)).ingested, RECORDS.length);
  });
  after(async () => {
    await engine.close();
    rmSync(dir, { recursive: true });
  });

  const found = async (filter: object) =>
    (await engine.search({ query: 'electrolyte', ...filter })).results
      .map((result) => result.patent_id)
      .sort();

  it('an application number with a country is of that country', async () => {
    const [us, ep] = [RECORDS[0]!.patent_id, RECORDS[1]!.patent_id];
    assert.deepEqual(await found({ application_number: '20168852' }), [ep, us]);
    assert.deepEqual(await found({ application_number: 'EP20168852' }), [ep]);
    assert.deepEqual(await found({ application_number: 'ep 20168852.4' }), [ep]);
    assert.deepEqual(await found({ application_number: 'US 20/168,852' }), [us]);
    assert.deepEqual(await found({ application_number: 'KR20168852' }), []);
  });

  it('a design has the grant date that is stated, else that of its publication', async () => {
    const onDay = (day: string) =>
      found({ kind_codes: ['S1', 'S'], grant_date_from: day, grant_date_to: day });
    assert.deepEqual(await onDay('2023-06-13'), ['USD0988629S1']);
    assert.deepEqual(await onDay('2021-04-05'), ['KR3011049270000S']);
    assert.deepEqual(await onDay('2021-04-12'), []);
  });

  it('an unknown number finds no publication', async () => {
    for (const text of ['KR1019990000001A', 'nonsense', '漢'.repeat(500), '\u{1f600}'.repeat(500)]) {
      assert.deepEqual(await found({ publication_number: text }), []);
      assert.deepEqual(await found({ application_number: text }), []);
      assert.deepEqual(await found({ family_id: text }), []);
    }
  });

  it('a name without letters or digits is refused, because every name would contain its empty key', () => {
    for (const name of ['.', '-', '(주)', '  & ', '㈜']) {
      for (const field of ['applicant', 'inventor']) {
        assert.throws(() => parseSemantic({ query: 'any', [field]: name }), {
          code: 'invalid_request',
          message: new RegExp(`^${field}: got .*${/[주㈜]/.test(name) ? 'legal form' : 'letter or digit'}`),
        });
      }
    }
    assert.throws(() => parseSemantic({ query: 'any', applicant: 'Inc.' }), /not a legal form alone/);
  });

  it('legal forms, width, case and spaces are ignored in an applicant', async () => {
    for (const name of ['에이', '(주)에이', '에이 주식회사', '주식회사에이']) {
      assert.deepEqual(
        await found({ applicant: name, applicant_match: 'exact' }),
        ['KR1020200022285A'],
        name,
      );
    }
    for (const name of ['ACME', 'ａｃｍｅ', 'Acme Co., Ltd.', ' acme ']) {
      assert.deepEqual(await found({ applicant: name, applicant_match: 'exact' }), ['US20200067131A1'], name);
    }
    assert.deepEqual(await found({ applicant: 'acm', applicant_match: 'exact' }), []);
  });
});
