/**
 * What single offices do in their own way, each on a document written for this project in the office's form. The
 * whole records are in `fixtures/formats/golden`.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { parseUnit } from '../../../src/ingest/readers/registry.js';
import { isFailure, openSources } from '../../../src/ingest/source.js';
import type { Patent } from '../../../src/patent/record.js';

const FORMATS = resolve('fixtures/formats');

interface Read {
  patents: Patent[];
  /** Position and reason of what could not be read. */
  failures: { position: string; reason: string }[];
  skipped: string[];
}

/** What reading one fixture of `fixtures/formats` gives. */
async function read(name: string): Promise<Read> {
  const found: Read = { patents: [], failures: [], skipped: [] };
  for await (const item of openSources([join(FORMATS, name)])) {
    if (isFailure(item)) {
      found.failures.push({ position: item.position, reason: item.reason });
      continue;
    }
    const { patents, skipped, failed } = parseUnit(item.format, item.bytes);
    found.patents.push(...patents);
    found.skipped.push(...skipped.map(({ reason }) => reason));
    if (failed) found.failures.push({ position: item.position, reason: failed.reason });
  }
  return found;
}

const ids = ({ patents }: Read): string[] => patents.map(({ patent_id }) => patent_id);

describe('numbers', () => {
  it('a JP re-publication of an international application bears the WO number', async () => {
    const gazette = await read('jp-gazette-republication.xml');
    assert.deepEqual([ids(gazette), gazette.failures], [['JP30062001A1'], []]);
    const docdb = await read('docdb-old-numbers.xml');
    assert.ok(ids(docdb).includes('JP30062002A1'), ids(docdb).join());
    const google = await read('google-republication.json');
    assert.ok(ids(google).includes('JP30062001A1'), ids(google).join());
  });

  it('KR numbers of before 1998 have a year of two digits', async () => {
    const { patents, failures } = await read('docdb-old-numbers.xml');
    const korean = patents.filter(({ country }) => country === 'KR');
    assert.deepEqual(
      [korean.map(({ patent_id, application_number }) => [patent_id, application_number]), failures],
      [
        [
          ['KR1019830009677A', '1019820001001'],
          ['KR1019800001540B1', '1019770002001'],
        ],
        [],
      ],
    );
    assert.ok(ids(await read('google-republication.json')).includes('KR1019830009677A'));
  });
});

describe('DOCDB', () => {
  it("an application number is the office's own, in one form", async () => {
    const { patents } = await read('docdb-forms.xml');
    assert.deepEqual(
      patents.map(({ patent_id, application_number }) => [patent_id, application_number]),
      [
        ['US07123401B2', '11023667'],
        ['JP18123401A', '2004320001'],
        ['EP01555001A1', '04100001'],
      ],
    );
  });

  it('a priority given in several forms is one priority', async () => {
    const { patents } = await read('docdb-forms.xml');
    assert.deepEqual(patents[0]?.priorities, [{ country: 'US', number: '60533301', date: '2003-12-30' }]);
  });

  it('a name given in several forms is one name, in its own script with the Latin form beside it', async () => {
    const { patents } = await read('docdb-forms.xml');
    assert.deepEqual(patents[0]?.applicants, [{ name: 'Invented Gates, Inc.' }, { name: 'UNIV OF NOWHERE' }]);
    assert.deepEqual(patents[1]?.applicants, [{ name: '株式会社架空農具', name_en: 'KAKUU NOUGU:KK' }]);
    assert.deepEqual(patents[1]?.inventors, [{ name: '例示 次郎', name_en: 'REIJI JIROU' }]);
    assert.deepEqual(patents[2]?.applicants, [{ name: 'Gedacht AG' }]);
  });
});

describe('KIPRIS search answers', () => {
  it('a damaged item of many costs that item, and its place is told', async () => {
    const { patents, failures } = await read('kipris-many.xml');
    assert.equal(patents.length, 93);
    assert.equal(failures.length, 2);
    const text = readFileSync(join(FORMATS, 'kipris-many.xml'));
    const items = [...text.toString('latin1').matchAll(/<item>/g)].map(({ index }) => `byte ${index}`);
    assert.deepEqual(
      failures.map(({ position }) => position),
      [items[9], items[89]],
    );
    assert.match(failures[0]?.reason ?? '', /^XML: line 1, column \d+: the attribute 관한 of <화분에> has no value/);
    assert.match(failures[1]?.reason ?? '', /<item> does not end/);
  });
});
