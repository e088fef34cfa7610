/**
 * A small world of publications for the tests of clauses. Each filter, date and kind selects a different set. A
 * search with top_k 100 returns all publications that its filter allows, so tests compare sets of ids.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { type Engine, open } from '../../src/index.js';
import type { AdapterName } from '../adapters.js';
import { Service } from './service.js';

const TEXT = 'A pump moves a liquid along battery cells and cools them';

interface WorldRecord {
  patent_id: string;
  country: string;
  kind_code: string;
  [field: string]: unknown;
}

export const WORLD: readonly WorldRecord[] = [
  {
    patent_id: 'KR1020200000001A',
    country: 'KR',
    kind_code: 'A',
    filing_date: '2020-01-10',
    publication_date: '2021-07-01',
    priority_date: '2019-06-01',
    applicants: ['삼성전자주식회사'],
    inventors: ['홍길동'],
    ipc_codes: ['H01M 10/0525'],
    cpc_codes: ['H01M 10/0525'],
    application_number: '10-2020-0000001',
    family_id: 'F1',
  },
  {
    patent_id: 'KR1023000010000B1',
    country: 'KR',
    kind_code: 'B1',
    filing_date: '2020-01-10',
    publication_date: '2022-03-01',
    grant_date: '2022-02-20',
    priority_date: '2019-06-01',
    applicants: ['삼성전자주식회사'],
    inventors: ['홍길동'],
    ipc_codes: ['H01M 10/0525'],
    application_number: '10-2020-0000001',
    family_id: 'F1',
  },
  {
    patent_id: 'US11000001B2',
    country: 'US',
    kind_code: 'B2',
    filing_date: '2019-05-05',
    publication_date: '2021-05-11',
    priority_date: '2018-05-05',
    applicants: ['Samsung Electronics Co., Ltd.'],
    inventors: ['Kim, Min Jun'],
    ipc_codes: ['H01M 10/0562', 'B60L 50/64'],
    cpc_codes: ['Y02E 60/10'],
    application_number: '16/123,456',
    family_id: 'F1',
  },
  {
    patent_id: 'US20210000002A1',
    country: 'US',
    kind_code: 'A1',
    filing_date: '2020-06-06',
    publication_date: '2021-01-07',
    applicants: ['Foo Inc.', 'Bar LLC'],
    inventors: ['Smith, John', 'Doe, Jane'],
    ipc_codes: ['A47L 9/28'],
    application_number: '16/999,999',
  },
  {
    patent_id: 'JP32020123A',
    country: 'JP',
    kind_code: 'A',
    filing_date: '2019-01-01',
    publication_date: '2020-07-07',
    applicants: ['株式会社テスト'],
    inventors: ['山田 太郎'],
    ipc_codes: ['F04D 13/06'],
  },
  {
    patent_id: 'CN110000001B',
    country: 'CN',
    kind_code: 'B',
    publication_date: '2020-02-02',
    applicants: ['示例有限公司'],
    ipc_codes: ['F04D 13/06'],
  },
  {
    patent_id: 'EP03500001A1',
    country: 'EP',
    kind_code: 'A1',
    filing_date: '2017-12-31',
    publication_date: '2019-01-02',
    applicants: ['Muster GmbH'],
    ipc_codes: ['F04D 29/00'],
  },
  {
    patent_id: 'EP03500001B1',
    country: 'EP',
    kind_code: 'B1',
    filing_date: '2017-12-31',
    publication_date: '2021-12-31',
    applicants: ['Muster GmbH'],
    ipc_codes: ['F04D 29/00'],
  },
  {
    patent_id: 'KR2020200000005Y1',
    country: 'KR',
    kind_code: 'Y1',
    filing_date: '2020-02-02',
    publication_date: '2021-02-02',
    applicants: ['예시 주식회사'],
    application_number: '20-2020-0000005',
    family_id: 'F2',
  },
  {
    patent_id: 'USD0900001S1',
    country: 'US',
    kind_code: 'S1',
    publication_date: '2020-10-27',
    application_number: '29/700,001',
    family_id: 'F2',
  },
].map((record, i) => ({ title: `Pump ${i}`, abstract: `${TEXT}, number ${i}.`, ...record }));

export const idsWhere = (holds: (record: WorldRecord) => boolean): string[] =>
  WORLD.filter(holds)
    .map(({ patent_id }) => patent_id)
    .sort();

/** The publications of a search without filters: no utility models, no designs. */
export const isPatent = ({ kind_code }: WorldRecord): boolean => !/^[SY]/.test(kind_code);

/** An engine over the world, in its own folder. */
export async function openWorld(
  records: readonly WorldRecord[] = WORLD,
): Promise<{ engine: Engine; dir: string; close(): Promise<void> }> {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-world-'));
  const file = join(dir, 'world.jsonl');
  writeFileSync(file, records.map((record) => JSON.stringify(record)).join('\n'));
  const data = join(dir, 'data');
  const engine = await open(data, { create: true, workers: 2 });
  const { ingested, failed } = await engine.ingest(file);
  if (ingested !== records.length) throw new Error(`the world is not whole: ${JSON.stringify(failed)}`);
  return {
    engine,
    dir: data,
    async close() {
      await engine.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** What `serveWorld` starts. */
export interface Served {
  world: Awaited<ReturnType<typeof openWorld>>;
  /** A server over the world. */
  service: Service;
  /** A server over an engine in memory. */
  memory: Service;
}

/**
 * Starts servers before the tests of a suite, and stops them after these tests.
 * @returns an object whose fields are set when the tests run
 */
export function serveWorld(adapter: AdapterName, records: readonly WorldRecord[] = WORLD): Served {
  const served = {} as Served;
  before(async () => {
    served.world = await openWorld(records);
    served.service = await Service.start(adapter, 30_000, { engine: served.world.engine });
    served.memory = await Service.start(adapter);
  });
  after(async () => {
    await served.service.stop();
    await served.memory.stop();
    await served.world.close();
  });
  return served;
}
