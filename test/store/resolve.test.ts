/** Numbers in a folder that has publications with the same digits: Japanese applications, examined ones and registrations. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { open } from '../../src/index.js';
import { citedPatent } from '../../src/patent/citation.js';
import { resolveCitation, resolvePublications } from '../../src/store/resolve.js';
import { Store } from '../../src/store/store.js';

/** As Google Patents writes them. */
const EXPORT: readonly [string, number][] = [
  ['JP-H06105321-B2', 19941221],
  ['JP-6105321-B2', 20170329],
  ['JP-H05123456-A', 19930521],
  ['JP-5123456-B2', 20130123],
  ['JP-H06112345-A', 19940422],
  ['JP-S6112345-A', 19860121],
  ['JP-H0578571-B2', 19931029],
  ['JP-H0512345-A', 19930122],
  ['JP-H0312345-U', 19910207],
];
const LINES: readonly object[] = [
  { patent_id: 'KR1020020012345A' },
  { patent_id: 'KR1020170062563A' },
  { patent_id: 'JP11315016A' },
  { patent_id: 'JP35520506A' },
  // A database without the era: the day tells that it is no registration.
  { patent_id: 'JP07012345B2', publication_date: '1995-02-15' },
  { patent_id: 'JP02500001B2', publication_date: '1996-05-29' },
  { number: '7-54321', country: 'JP', kind_code: 'B2' },
  { number: 'H0812345', country: 'JP', kind_code: 'Y2' },
];

describe('numbers with the same digits', () => {
  let dir = '';
  let store: Store;
  const found = (text: string): string => resolvePublications(store, text).join(' ');

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'priorart-resolve-'));
    const path = join(dir, 'export.jsonl');
    const lines = EXPORT.map(([publication_number, publication_date]) => ({
      ...{ publication_number, publication_date },
      title_localized: [{ text: `Device ${publication_number}`, language: 'en' }],
    }));
    const write = (file: string, records: readonly object[]): void =>
      writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    write(path, lines);
    const own = join(dir, 'own.jsonl');
    write(
      own,
      LINES.map((line) => ({ ...line, title: 'Device' })),
    );
    const engine = await open(join(dir, 'data'), { create: true, workers: 0 });
    const { failed, ingested } = await engine.ingest([path, own]);
    assert.deepEqual([failed, ingested], [[], EXPORT.length + LINES.length]);
    await engine.close();
    store = Store.open(join(dir, 'data'));
  });
  after(async () => {
    await store?.close();
    rmSync(dir, { recursive: true });
  });

  it('an examined publication and a registration are two publications', () => {
    assert.equal(found('JPH06105321B2'), 'JP06105321B');
    assert.equal(found('JP6105321B2'), 'JP06105321B2');
    for (const text of ['特公平6-105321', '特公平6-105321号公報', 'JP 6-105321 B2', 'JP-B2-6-105321'])
      assert.equal(found(text), 'JP06105321B', text);
    for (const text of ['特許第6105321号', '일본등록특허 제6105321호'])
      assert.equal(found(text), 'JP06105321B2', text);
    assert.equal(found('JP6105321'), 'JP06105321B JP06105321B2');
    assert.equal(found('特公平7-12345'), 'JP07012345B');
    assert.equal(found('特公平7-54321'), 'JP07054321B');
    assert.equal(found('実公平8-12345'), 'JP08012345Y');
    assert.equal(found('特許第2500001号'), 'JP02500001B2');
  });

  it('an application laid open is no registration', () => {
    for (const text of ['特開平5-123456号公報', 'JP H05-123456', 'JP 5-123456', 'JP 5-123456 A'])
      assert.equal(found(text), 'JP05123456A', text);
    assert.equal(found('特許第5123456号'), 'JP05123456B2');
  });

  it('a year of an era without zeros is not taken for another publication', () => {
    for (const text of ['JP 61-12345 A', '特開昭61-12345', 'Japanese Patent Laid-Open No. 61-12345'])
      assert.equal(found(text), 'JP61012345A', text);
    assert.equal(found('特開平6-112345'), 'JP06112345A');
    for (const text of ['JP 5-12345 A', 'JPH0512345A', 'JP H05-12345'])
      assert.equal(found(text), 'JP05012345A', text);
    assert.equal(found('JPH0578571B2'), 'JP05078571B');
    assert.equal(found('実開平3-12345'), 'JP03012345U');
  });

  it('the spelling of Google Patents, and eras by their number', () => {
    for (const [spelled] of EXPORT.filter(([number]) => /^JP-[HS]/.test(number)))
      assert.equal(found(spelled), found(spelled.replaceAll('-', '')), spelled);
    assert.equal(found('JP-H05123456-A'), 'JP05123456A');
    assert.equal(found('JP-S6112345-A'), 'JP61012345A');
    assert.equal(found('JP-H06105321-B2'), 'JP06105321B');
    for (const text of ['JP 405123456 A', 'JP405123456']) assert.equal(found(text), 'JP05123456A', text);
    assert.equal(found('JP406105321B2'), 'JP06105321B');
  });

  it('Korean spellings', () => {
    for (const text of ['공개특허 특2002-0012345', '공개번호 특2002-0012345', 'KR 특2002-0012345'])
      assert.equal(found(text), 'KR1020020012345A', text);
    for (const text of ['JP평성11315016 A', '일본공개특허공보 특개평11-315016호'])
      assert.equal(found(text), 'JP11315016A', text);
    for (const text of [
      '공개특허공보 제10-2017-0062563호(2017.06.08.)',
      '공개특허공보 제10-2017-0062563호',
      '10-2017-0062563',
    ])
      assert.equal(found(text), 'KR1020170062563A', text);
  });

  it('a translation that is stored as A is found as T', () => {
    for (const text of ['特表2023-520506', 'JP-T-2023-520506', '特開2023-520506', 'JP2023520506A'])
      assert.equal(found(text), 'JP35520506A', text);
  });

  it('a citation of an era number does not lead to the registration with its digits', () => {
    const cited = (number: string, kind?: string): string =>
      resolveCitation(store, citedPatent('JP', number, kind)).join(' ');
    assert.equal(cited('H06105321', 'B2'), 'JP06105321B');
    assert.equal(cited('6105321', 'B2'), 'JP06105321B2');
    assert.equal(cited('H05123456', 'B2'), '', 'only the registration is stored');
    assert.equal(cited('61-12345'), 'JP61012345A');
    const dated = (number: string, date?: string): string =>
      resolveCitation(store, citedPatent('JP', number, undefined, date)).join(' ');
    assert.equal(dated('5-123456'), 'JP05123456A', 'without a kind');
    assert.equal(dated('5123456', '19930500'), 'JP05123456A', 'no registration had this number in 1993');
    assert.equal(dated('5123456', '20130123'), 'JP05123456A JP05123456B2');
    assert.deepEqual(resolveCitation(store, { text: 'a book' }), []);
  });
});
