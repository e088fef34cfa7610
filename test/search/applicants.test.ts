/** `applicant_expand`: names of an applicant in other languages, learned from the records. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { PriorartError } from '../../src/errors.js';
import { type Engine, open } from '../../src/index.js';
import { withApplicantNames } from '../../src/search/applicants.js';
import { uncancelled } from '../../src/search/cancel.js';
import { Folder } from '../../src/search/folder.js';
import { parseSemantic } from '../../src/search/query.js';

interface Applicant {
  name: string;
  name_en?: string;
}

let number = 0;
/** A publication of a family, with its applicants. */
function publication(country: string, family: number | undefined, ...applicants: Applicant[]) {
  number += 1;
  const office: Record<string, string[]> = {
    KR: [`KR10${2_000_000 + number}0000B1`, 'B1'],
    US: [`US${11_000_000 + number}B2`, 'B2'],
  };
  const [patent_id = '', kind_code = ''] = office[country] ?? [`${country}0${1_000_000 + number}B`, 'B'];
  return {
    patent_id,
    country,
    kind_code,
    applicants,
    title: `Pump ${number}`,
    ...(family === undefined ? {} : { family_id: String(family) }),
  };
}

const HANBIT = { name: '한빛전자 주식회사', name_en: 'Hanbit Electronics Co., Ltd.' };
const RECORDS = [
  publication('KR', undefined, HANBIT),
  publication('KR', undefined, { name: '한빛전자(주)' }),
  // Every name contains an empty one.
  publication('KR', undefined, { name: '한빛전자 주식회사', name_en: '-' }),
  publication('KR', undefined, { name: '한빛전자 주식회사', name_en: 'Co., Ltd.' }),
  publication('US', undefined, { name: 'HANBIT ELECTRONICS INC.' }),
  // Two families pair the names in Chinese; of the Japanese ones, each is in one family only.
  ...[1, 2].flatMap((family) => [
    publication('US', family, { name: 'Hanbit Electronics' }),
    publication('CN', family, { name: '韩光电子有限公司' }),
  ]),
  publication('US', 3, { name: 'Hanbit Electronics' }),
  publication('JP', 3, { name: '買手株式会社' }),
  publication('US', 4, { name: 'Hanbit Electronics' }),
  publication('JP', 4, { name: '別手株式会社' }),
  // Two applicants: which of them is which is unknown.
  ...[5, 6].flatMap((family) => [
    publication('US', family, { name: 'Hanbit Electronics' }, { name: 'Other University' }),
    publication('EP', family, { name: 'Andere Universität' }, { name: 'Hanbit Electronics' }),
  ]),
  publication('CN', undefined, { name: '韩光电子有限公司' }),
  publication('KR', undefined, { name: '다른회사', name_en: 'Another Company' }),
];

describe('applicant_expand', () => {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-applicants-'));
  let engine: Engine;
  before(async () => {
    engine = await open(join(dir, 'data'), { create: true, workers: 0 });
    assert.equal((await engine.ingest(RECORDS)).ingested, RECORDS.length);
  });
  after(async () => {
    await engine.close();
    rmSync(dir, { recursive: true });
  });

  const EVERY = { query: 'pump', top_k: 100, collapse: 'none' } as const;
  /** patent_ids of the records that name one of some applicants. */
  const withNames = (...names: string[]) =>
    RECORDS.filter(({ applicants }) =>
      applicants.some(({ name, name_en }) => names.includes(name) || names.includes(name_en ?? '')),
    )
      .map(({ patent_id }) => patent_id)
      .sort();
  const KOREAN = ['한빛전자 주식회사', '한빛전자(주)'];
  const ENGLISH = ['Hanbit Electronics', 'HANBIT ELECTRONICS INC.', 'Hanbit Electronics Co., Ltd.'];
  const CHINESE = '韩光电子有限公司';

  it('ends while it reads records if the search is cancelled', async () => {
    const folder = new Folder(join(dir, 'data'));
    try {
      const { filters } = parseSemantic({ ...EVERY, applicant: 'Hanbit', applicant_expand: true });
      const read = (checks: number) => {
        let left = checks;
        const check = () => {
          if (left-- === 0) throw new PriorartError('cancelled', 'the request was cancelled');
        };
        return withApplicantNames(folder.snapshot().native, folder.store, filters, { ...uncancelled, check });
      };
      const { names } = read(Number.POSITIVE_INFINITY);
      assert.ok(names?.includes(CHINESE), String(names));
      for (const checks of [0, 5]) assert.throws(() => read(checks), { code: 'cancelled' });
    } finally {
      await folder.close();
    }
  });

  it('adds the names that records state together, and those that two families pair', async () => {
    const found = await engine.search({ ...EVERY, applicant: 'Hanbit Electronics', applicant_expand: true });
    assert.deepEqual(found.applicant_names, [CHINESE, '한빛전자 주식회사']);
    const expected = withNames(...KOREAN, ...ENGLISH, CHINESE);
    assert.deepEqual(found.results.map(({ patent_id }) => patent_id).sort(), expected);
    const korean = await engine.search({ ...EVERY, applicant: '한빛전자', applicant_expand: true });
    assert.deepEqual(korean.applicant_names, ['Hanbit Electronics Co., Ltd.', CHINESE]);
    assert.deepEqual(korean.results.map(({ patent_id }) => patent_id).sort(), expected);
    // The same Chinese name in traditional characters.
    for (const applicant of [CHINESE, '韓光電子有限公司']) {
      const chinese = await engine.search({ ...EVERY, applicant, applicant_expand: true });
      assert.deepEqual(chinese.applicant_names, ['Hanbit Electronics', '한빛전자 주식회사'], applicant);
      assert.deepEqual(chinese.results.map(({ patent_id }) => patent_id).sort(), expected);
    }
  });

  it('is off by default, and then not in the answer', async () => {
    const found = await engine.search({ ...EVERY, applicant: 'Hanbit Electronics' });
    assert.ok(!('applicant_names' in found));
    assert.deepEqual(found.results.map(({ patent_id }) => patent_id).sort(), withNames(...ENGLISH));
    const expanded = await engine.search({ ...EVERY, applicant_expand: true });
    assert.ok(!('applicant_names' in expanded), 'no applicant is asked for');
    const unknown = await engine.search({ ...EVERY, applicant: 'Unknown Works', applicant_expand: true });
    assert.deepEqual(unknown, { total: 0, applicant_names: [], results: [] });
  });

  it('counts in statistics, on every page, and selects the same records in an export', async () => {
    const filter = { applicant: 'Hanbit', applicant_match: 'prefix', applicant_expand: true } as const;
    const expected = withNames(...KOREAN, ...ENGLISH, CHINESE);
    for (const page of [1, 2]) {
      const request = {
        query: 'pump',
        min_score: 0,
        collapse: 'none',
        page,
        page_size: 5,
        ...filter,
      } as const;
      const { total_matched, applicant_names } = await engine.analyze(request);
      assert.equal(total_matched, expected.length);
      assert.deepEqual(applicant_names, [CHINESE, '한빛전자 주식회사']);
    }
    const exported = [];
    for await (const { patent_id } of engine.patents({ filter })) exported.push(patent_id);
    assert.deepEqual(exported, expected);
  });
});
