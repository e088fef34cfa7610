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

/** Names in simplified, traditional and Japanese forms, and names that only look alike. */
const NAMED = [
  { patent_id: 'CN101000001A', applicants: ['三菱电机株式会社'], inventors: ['陈伟'] },
  { patent_id: 'JP01000001B', applicants: ['三菱電機株式会社'], inventors: ['陳偉'] },
  { patent_id: 'CN101000002A', applicants: ['华为技术有限公司'] },
  { patent_id: 'JP01000002B', applicants: ['華為技術有限公司'] },
  { patent_id: 'CN101000003A', applicants: ['株式会社日立制作所'] },
  { patent_id: 'JP01000003B', applicants: ['株式会社日立製作所'] },
  { patent_id: 'CN101000004A', applicants: ['广东中华电子有限公司', '三电机'] },
];

describe('unusual filter values', () => {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-filter-'));
  let engine: Engine;
  before(async () => {
    const file = join(dir, 'records.jsonl');
    const records = [...RECORDS, ...NAMED];
    const lines = records.map((record) =>
      JSON.stringify({ ...record, title: 'Electrolyte', language: 'en' }),
    );
    writeFileSync(file, lines.join('\n'));
    engine = await open(join(dir, 'data'), { create: true, workers: 0 });
    assert.equal((await engine.ingest(file)).ingested, records.length);
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

  it('a name is found in any form of its Han characters', async () => {
    const [mitsubishi, huawei, hitachi] = [0, 2, 4].map((at) =>
      NAMED.slice(at, at + 2).map(({ patent_id }) => patent_id),
    );
    for (const [names, expected] of [
      [['三菱电机', '三菱電機', '三菱電机', '三菱電機株式会社'], mitsubishi],
      [['华为技术', '華為技術', '華爲技術有限公司'], huawei],
      [['日立制作所', '日立製作所'], hitachi],
    ] as const) {
      for (const applicant of names) {
        for (const applicant_match of ['contains', 'prefix', 'exact']) {
          assert.deepEqual(await found({ applicant, applicant_match }), expected, applicant);
        }
      }
    }
    for (const applicant of ['華', '华']) {
      assert.deepEqual(await found({ applicant }), [huawei![0], NAMED[6]!.patent_id, huawei![1]].sort());
      assert.deepEqual(await found({ applicant, applicant_match: 'prefix' }), huawei);
      assert.deepEqual(await found({ applicant, applicant_match: 'exact' }), []);
    }
    for (const applicant of ['菱電', '電機']) {
      const all = applicant === '菱電' ? mitsubishi! : [...mitsubishi!, NAMED[6]!.patent_id].sort();
      assert.deepEqual(await found({ applicant }), all);
      assert.deepEqual(await found({ applicant, applicant_match: 'prefix' }), []);
    }
    for (const inventor of ['陈', '陳偉', '陈偉']) assert.deepEqual(await found({ inventor }), mitsubishi);
    const { total_matched } = await engine.analyze({ query: 'electrolyte', min_score: 0, applicant: '華為' });
    assert.equal(total_matched, 2);
  });
});
