/** Lists that searchers exported from other services: detection, encodings, separators, and damage. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { parseUnit } from '../../../src/ingest/readers/registry.js';
import { isFailure, openSources } from '../../../src/ingest/source.js';
import type { Patent } from '../../../src/patent/record.js';

const folder = mkdtempSync(join(tmpdir(), 'priorart-lists-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const fixture = (name: string): string => readFileSync(resolve('fixtures/formats', name), 'utf8');

interface Read {
  patents: Patent[];
  reasons: string[];
  formats: Set<string>;
}

/** What an ingest makes of a file. Its name says nothing. */
async function read(bytes: string | Uint8Array): Promise<Read> {
  const path = join(folder, 'list.bin');
  writeFileSync(path, bytes);
  const found: Read = { patents: [], reasons: [], formats: new Set() };
  for await (const item of openSources([path])) {
    if (isFailure(item)) {
      found.reasons.push(item.reason);
      continue;
    }
    found.formats.add(item.format);
    const { patents, failed } = parseUnit(item.format, item.bytes);
    found.patents.push(...patents);
    if (failed) found.reasons.push(failed.reason);
  }
  return found;
}

const ids = ({ patents }: Read): string[] => patents.map(({ patent_id }) => patent_id);

/** A Lens.org table of one row. */
async function lens(cells: Record<string, string>): Promise<Patent> {
  const all = {
    'Lens ID': '000-000-000-000-001',
    Jurisdiction: 'US',
    Kind: 'A1',
    'Display Key': 'US 2019/0000001 A1',
    Title: 'A hinge',
    ...cells,
  };
  const names = Object.keys(all);
  const quoted = Object.values(all).map((cell) => `"${cell.replaceAll('"', '""')}"`);
  const { patents, reasons } = await read(`${names.join(',')}\n${quoted.join(',')}\n`);
  assert.deepEqual(reasons, []);
  assert.ok(patents[0]);
  return patents[0];
}

describe('encodings and separators', () => {
  const names = ['lens.csv', 'espacenet.csv', 'j-platpat.csv', 'patentscope.csv', 'patentsview.tsv'];
  for (const name of names) {
    it(`${name} in UTF-16, with CRLF, without and with a byte order mark`, async () => {
      const text = fixture(name).replace('\uFEFF', '');
      const expected = await read(text);
      assert.ok(expected.patents.length > 2);
      for (const bytes of [
        Buffer.from(`\uFEFF${text}`, 'utf16le'),
        Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
        `\uFEFF${text}`,
        text.replaceAll('\n', '\r\n'),
      ]) {
        const found = await read(bytes);
        assert.deepEqual(ids(found), ids(expected));
        assert.deepEqual(found.patents, expected.patents);
      }
    });
  }

  it('a table saved again with semicolons or tabs', async () => {
    const rows = ['Lens ID,Jurisdiction,Kind,Display Key,Title', 'x,EP,A1,EP 1000001 A1,A hinge'];
    for (const separator of [',', ';', '\t']) {
      const text = rows.map((row) => row.replaceAll(',', separator)).join('\n');
      assert.deepEqual(ids(await read(text)), ['EP01000001A1']);
    }
  });

  it('headings in quotes with other separators', async () => {
    const headings = [
      'Lens ID',
      'Jurisdiction',
      'Kind',
      'Display Key',
      'Title',
      '"a, b, c, d; e; f; g; h; i"',
    ];
    for (const separator of [',', ';', '\t']) {
      const rows = [headings, ['x', 'EP', 'A1', 'EP 1000001 A1', 'A hinge', '']];
      const text = rows.map((cells) => cells.join(separator)).join('\n');
      assert.deepEqual(ids(await read(text)), ['EP01000001A1']);
    }
  });

  it('a Japanese list that a spreadsheet saved in Shift_JIS', async () => {
    const expected = await read(fixture('j-platpat.csv'));
    const found = await read(readFileSync(resolve('fixtures/formats/j-platpat-shift-jis.csv')));
    assert.deepEqual(found.patents, expected.patents);
  });

  it('a table that a spreadsheet saved in windows-1252', async () => {
    const text =
      'Lens ID,Jurisdiction,Kind,Display Key,Title\nx,EP,A1,EP 1000001 A1,Café grinder for a household\n';
    const { patents } = await read(Buffer.from(text, 'latin1'));
    assert.equal(patents[0]?.title, 'Café grinder for a household');
  });
});

it('the letters of the cells tell the East Asian encoding of a table with English headings', async () => {
  const titles: [string, string][] = [
    ['b3c3b0a220c0e5c4a120b9d720b9e6b9fd', '냉각 장치 및 방법'],
    ['97e28b7082cc82bd82df82cc83748340839382f094f582a682e991959275', '冷却のためのファンを備える装置'],
    ['d2bbd6d6c0e4c8b4d7b0d6c3bcb0c6e4cab9d3c3b7bdb7a8', '一种冷却装置及其使用方法'],
  ];
  for (const [bytes, title] of titles) {
    const start = 'Lens ID,Jurisdiction,Kind,Display Key,Title\nx,CN,A,CN 109991001 A,';
    const { patents } = await read(Buffer.concat([Buffer.from(start), Buffer.from(bytes, 'hex')]));
    assert.equal(patents[0]?.title ?? Object.values(patents[0]?.titles ?? {})[0], title);
  }
});

describe('damage is told, and the other rows are read', () => {
  const whole = fixture('espacenet.csv');
  const [, two = ''] = /^([\s\S]*?)"3";/.exec(whole) ?? [];

  it('a list that is cut off within a row', async () => {
    const found = await read(two.slice(0, two.indexOf('"CN119671101A"')));
    assert.deepEqual(ids(found), ['US11935101B1', 'US20240078101A1']);
    assert.deepEqual(found.reasons, ['a row of 5 cells under 12 columns']);
  });

  it('a list that is cut off within a cell', async () => {
    const found = await read(two.slice(0, two.indexOf('FANLI CO') + 4));
    assert.equal(found.patents.length, 2);
    assert.deepEqual(found.reasons, ['a row of 4 cells under 12 columns']);
  });

  it('a row with too few cells', async () => {
    const header = 'Lens ID,Jurisdiction,Kind,Display Key,Title';
    const found = await read(`${header}\nx,EP,A1\nx,EP,A1,EP 1000002 A1,A hinge\n`);
    assert.deepEqual(ids(found), ['EP01000002A1']);
    assert.deepEqual(found.reasons, ['a row of 3 cells under 5 columns']);
  });

  it('a kind that is none, a number that is none, and no title', async () => {
    const header = 'Lens ID,Jurisdiction,Kind,Display Key,Title';
    const rows = [
      'x,EP,??,EP 1000001 ??,A hinge',
      'x,US,A1,US 99999999999999 A1,A hinge',
      'x,EP,A1,EP 1000001 A1,',
    ];
    const { patents, reasons } = await read([header, ...rows].join('\n'));
    assert.deepEqual(patents, []);
    assert.equal(reasons.length, 3);
    assert.match(reasons[0] ?? '', /"\?\?" is not a kind code/);
    assert.match(reasons[1] ?? '', /is not a publication number of US/);
    assert.match(reasons[2] ?? '', /no title, abstract, claims or description/);
  });

  it('one number of a family that cannot be read', async () => {
    const found = await read(fixture('espacenet.csv'));
    assert.ok(ids(found).includes('EP04704101A1'));
    assert.ok(found.reasons.includes('EP 47041: no kind code'));
  });

  it('an answer of Lens.org that is cut off', async () => {
    const text = fixture('lens-answer.json');
    const found = await read(text.slice(0, text.indexOf('No kind')));
    assert.deepEqual(ids(found), ['US20130227102A1']);
    assert.equal(found.reasons.length, 1);
    assert.match(found.reasons[0] ?? '', /^not JSON/);
  });
});

describe('tables that are not read say what they lack', () => {
  const cases: [string, string, RegExp][] = [
    [
      'no titles',
      'Publication Number,Applicants,Publication Date,IPC\nUS1,A,2019-01-01,A\n',
      /without title/,
    ],
    ['no numbers', 'Title,Abstract,Applicants,IPC\nA hinge,Text,A,A\n', /without publication_number/],
    [
      'abstracts of PatentsView',
      '"patent_id"\t"patent_abstract"\n"10000000"\t"A hinge."\n',
      /numbers have no kind.*g_patent\.tsv/,
    ],
    [
      'works of Lens.org',
      'Lens ID,Title,Date Published,Authors,Abstract\nx,A,2019-01-01,B,C\n',
      /not a known format/,
    ],
  ];
  for (const [name, text, reason] of cases) {
    it(name, async () => {
      const { patents, reasons } = await read(text);
      assert.deepEqual(patents, []);
      assert.equal(reasons.length, 1);
      assert.match(reasons[0] ?? '', reason);
    });
  }
});

describe('Lens.org', () => {
  it('numbers become those of the offices', async () => {
    const cases: [string, string][] = [
      ['US 2019/0000001 A1', 'US20190000001A1'],
      ['US 9833001 B2', 'US09833001B2'],
      ['US 11649001 B2', 'US11649001B2'],
      ['US D900001 S', 'USD0900001S'],
      ['US PP30001 P3', 'USPP030001P3'],
      ['US RE45001 E', 'USRE045001E'],
      ['EP 1357001 B9 20061018', 'EP01357001B9'],
      ['EP_0227001_B1_19900411', 'EP00227001B1'],
      ['CN 103557001 A', 'CN103557001A'],
      ['JP 2020133001 A', 'JP32133001A'],
      ['JP H0692001 B2', 'JP06092001B'],
      ['JP WO2005085001 A1', 'JP17085001A1'],
      ['KR 20110123001 A', 'KR1020110123001A'],
      ['KR 200181001 Y1', 'KR2001810010000Y1'],
    ];
    for (const [key, id] of cases) {
      const { patent_id } = await lens({ 'Display Key': key, Jurisdiction: key.slice(0, 2) });
      assert.equal(patent_id, id, key);
    }
  });

  it('the only priority has the earliest date', async () => {
    const { priorities, family_id } = await lens({
      'Application Number': 'US 201916300001 A',
      'Application Date': '2019-02-27',
      'Priority Numbers': 'US 201916300001 A;;KR 20180001001 A',
      'Earliest Priority Date': '2018-01-04',
    });
    assert.deepEqual(priorities, [{ country: 'KR', number: '1020180001001', date: '2018-01-04' }]);
    assert.equal(family_id, 'KR1020180001001');
  });

  it('of several priorities without dates, the only one of the earliest year has it', async () => {
    const numbers = { 'Priority Numbers': 'US 201514800001 A;;US 201462030001 P;;KR 20150001001 A' };
    const dated = await lens({ ...numbers, 'Earliest Priority Date': '2014-07-30' });
    assert.equal(dated.family_id, 'US62030001');
    // Two of 2015: which is earlier is not known, and no family is better than a wrong one.
    const open = await lens({ ...numbers, 'Earliest Priority Date': '2015-01-02' });
    assert.equal(open.family_id, undefined);
    assert.equal(open.priority_date, '2015-01-02');
    assert.equal(open.priorities?.length, 3);
  });

  it('a short US number without its date is left out', async () => {
    const { priorities, family_id } = await lens({
      'Priority Numbers': 'US 30498001 A;;US 201462030001 P',
      'Earliest Priority Date': '2005-12-13',
    });
    assert.deepEqual(priorities, [{ country: 'US', number: '62030001' }]);
    assert.equal(family_id, undefined);
  });

  it('an answer in one line is read as its records', async () => {
    const text = JSON.stringify(JSON.parse(fixture('lens-answer.json')));
    assert.deepEqual(ids(await read(`${text}\n`)), ['US20130227102A1']);
  });
});

describe('J-PlatPat', () => {
  const header = '文献番号,出願番号,出願日,公知日,発明の名称,出願人/権利者,FI,公開番号\n';
  const row = async (number: string, known: string, other: string): Promise<Read> =>
    read(`${header}${number},特願2020-104001,2020/06/17,${known},傘,見本,A45B25/00,${other}\n`);

  it('numbers become those of the gazettes', async () => {
    const cases: [string, string][] = [
      ['特開2019-512001', 'JP31512001A'],
      ['特開平10-123001', 'JP10123001A'],
      ['特開昭61-123001', 'JP61123001A'],
      ['特表2010-510001', 'JP22510001T'],
      ['再表2018/062001', 'JP30062001A1'],
      ['実登3234001', 'JP03234001U'],
      ['実開平06-066001', 'JP06066001U'],
      ['特公平06-105001', 'JP06105001B'],
      ['実公平06-105001', 'JP06105001Y'],
      ['特許6235001B2', 'JP06235001B2'],
    ];
    for (const [number, id] of cases) assert.deepEqual(ids(await row(number, '', '')), [id], number);
  });

  it('a patent is B1 only if nothing was published before it', async () => {
    assert.deepEqual(ids(await row('特許6799001', '2020/12/09', '')), ['JP06799001B1']);
    assert.deepEqual(ids(await row('特許6799001', '2020/12/09', '特開2021-194001')), ['JP06799001B1']);
    for (const other of ['特開2020-146001', 'WO2020/138001']) {
      const { patents, reasons } = await row('特許6799001', '2020/12/09', other);
      assert.deepEqual(patents, []);
      assert.match(reasons[0] ?? '', /B1 or B2/);
    }
  });

  it('a translation does not get the publication date of its international application', async () => {
    const { patents } = await row('特表2010-510001', '2008/05/29', '特表2010-510001');
    assert.equal(patents[0]?.publication_date, undefined);
    assert.equal(patents[0]?.filing_date, '2020-06-17');
  });
});

describe('dates', () => {
  const row = async (date: string): Promise<string | undefined> => {
    const found = await read(
      `Publication Number,Title,Applicant,Publication Date,IPC\nEP1000001A1,A hinge,Hinges,${date},E05D3/00\n`,
    );
    assert.deepEqual(ids(found), ['EP01000001A1']);
    return found.patents[0]?.publication_date;
  };

  it('with the year first, or with the day first and points', async () => {
    for (const date of ['2019-02-01', '2019/02/01', '2019.02.01', '20190201', '01.02.2019', '1.2.2019'])
      assert.equal(await row(date), '2019-02-01', date);
  });

  it('with slashes and the year behind, day and month are not told apart', async () => {
    for (const date of ['01/02/2019', '31/12/2019', '12/31/2019'])
      assert.equal(await row(date), undefined, date);
  });
});

describe('Open Data Portal', () => {
  const wrapper = async (meta: object): Promise<Read> =>
    read(
      JSON.stringify({
        count: 1,
        patentFileWrapperDataBag: [{ applicationMetaData: { inventionTitle: 'Umbrella', ...meta } }],
      }),
    );

  it('a patent is B2 after a publication, and B1 without one', async () => {
    const grant = { patentNumber: '9362001', grantDate: '2016-06-07' };
    assert.deepEqual(ids(await wrapper(grant)), ['US09362001B1']);
    const earlier = { earliestPublicationNumber: 'US20140167001A1', earliestPublicationDate: '2014-06-19' };
    assert.deepEqual(ids(await wrapper({ ...grant, ...earlier })), ['US20140167001A1', 'US09362001B2']);
    const plant = { patentNumber: 'PP30001', grantDate: '2019-02-05' };
    assert.deepEqual(ids(await wrapper(plant)), ['USPP030001P2']);
  });

  it('a kind that is not told is a failure', async () => {
    for (const meta of [
      { patentNumber: '9362001' },
      { patentNumber: '5362001', grantDate: '1994-11-08' },
      { patentNumber: '9362001', grantDate: '2016-06-07', earliestPublicationNumber: 'WO2014000001A1' },
    ]) {
      const { patents, reasons } = await wrapper(meta);
      assert.deepEqual(patents, []);
      assert.match(reasons[0] ?? '', /does not tell the kind of its patent/);
    }
  });

  it('the list may be long, and stand behind others', async () => {
    const entries = Array.from({ length: 3000 }, (_, n) => ({
      applicationMetaData: {
        inventionTitle: `Umbrella [${n}] "]`,
        earliestPublicationNumber: `US2014${String(n + 1).padStart(7, '0')}A1`,
      },
    }));
    const text = JSON.stringify({
      facets: [{ name: 'x', values: ['y'] }],
      patentFileWrapperDataBag: entries,
      after: [{}],
    });
    const { patents, reasons } = await read(text);
    assert.equal(patents.length, 3000);
    assert.deepEqual(reasons, []);
  });
});

describe('Korean lists', () => {
  const WIPS = ['국가코드', '문헌종류 코드', '발명의 명칭', '출원번호', 'WIPS ON key'];
  const wips = async (cells: Record<string, string>) => {
    const all: Record<string, string> = {
      ...Object.fromEntries(WIPS.map((name) => [name, ''])),
      ...{ '발명의 명칭': '경첩', 출원번호: '10-2019-0099001', 'WIPS ON key': '4919' },
      ...cells,
    };
    return read(`${Object.keys(all).join(',')}\n${Object.values(all).join(',')}\n`);
  };

  it('a list of KIPRIS in EUC-KR', async () => {
    const found = await read(readFileSync(resolve('fixtures/formats/kipris-list-euc-kr.csv')));
    assert.deepEqual(
      [ids(found), found.reasons],
      [['KR1020210019001A', 'KR1019850010000B1', 'KR2004940010000Y1'], []],
    );
    assert.equal(found.patents[0]?.title, '전고체 전지의 제조 방법');
  });

  it('a number that a spreadsheet rounded is a failure of its row', async () => {
    const table = '발명의명칭,출원번호,출원인,공개번호\n경첩,1.02E+12,김가상,1.02021E+12\n';
    const { patents, reasons } = await read(table);
    assert.deepEqual([patents, reasons], [[], ['"1.02021E+12" is not a KR publication number']]);
  });

  it('the number of a publication of WIPS ON depends on its kind', async () => {
    const numbers = { 공개번호: '10-2021-0019001', 공고번호: '10-1985001', 등록번호: '10-1985001' };
    const kr = async (kind: string) => ids(await wips({ 국가코드: 'KR', '문헌종류 코드': kind, ...numbers }));
    assert.deepEqual(await kr('A'), ['KR1020210019001A']);
    assert.deepEqual(await kr('B1'), ['KR1019850010000B1']);
    // Until 2000 the US published grants only, with kind A.
    const us = await wips({
      국가코드: 'US',
      '문헌종류 코드': 'A',
      등록번호: '5999001',
      출원번호: '08/999001',
    });
    assert.deepEqual(ids(us), ['US05999001A']);
    const ep = await wips({ 국가코드: 'EP', '문헌종류 코드': 'B1', 공개번호: '4015001' });
    assert.deepEqual(ids(ep), ['EP04015001B1']);
    const none = await wips({ 국가코드: 'KR', '문헌종류 코드': 'B1' });
    assert.deepEqual(none.reasons, [
      'no publication number of KR B1: expected it under 등록번호, 공고번호, 공개번호',
    ]);
  });

  it('KIPRIS: dashes are empty cells, and a table program writes whole numbers with .0', async () => {
    const rows = [
      '경첩,1020210019001.0,김가상,1020220118001.0,-',
      '경첩,10-2021-0019002,김가상,-,특허 제10-1234567호',
      '경첩,10-2021-0019003,김가상,-,-',
    ];
    const found = await read(['발명의명칭,출원번호,출원인,공개번호,등록번호', ...rows].join('\n'));
    assert.deepEqual([ids(found), found.reasons], [['KR1020220118001A', 'KR1012345670000B1'], []]);
    assert.equal(found.patents[0]?.application_number, '1020210019001');
  });

  it('the days of a publication of WIPS ON depend on its kind', async () => {
    const days = async (cells: Record<string, string>) => {
      const { patents } = await wips(cells);
      const [{ patent_id, publication_date, grant_date } = {}] = patents;
      return [patent_id, publication_date, grant_date];
    };
    const open = { 공개일: '2021.06.01', 공고일: '2022.09.10' };
    const cn = { 국가코드: 'CN', 출원번호: '202110123456.7', 공개번호: '112345678', ...open };
    assert.deepEqual(await days({ ...cn, '문헌종류 코드': 'B' }), [
      'CN112345678B',
      '2022-09-10',
      '2022-09-10',
    ]);
    const kr = { 국가코드: 'KR', '문헌종류 코드': 'U', 공개번호: '20-2021-0001901', ...open };
    assert.deepEqual(await days({ ...kr, 등록번호: '20-0491234', 등록일: '2022.09.01' }), [
      ...['KR2020210001901U', '2021-06-01'],
      undefined,
    ]);
    const jp = { 국가코드: 'JP', '문헌종류 코드': 'U', 등록번호: '3234567', 등록일: '2021.09.01' };
    assert.deepEqual(await days(jp), ['JP03234567U', '2021-09-01', '2021-09-01']);
  });

  it('PATENTSCOPE: a priority with a comma in its number, and one that cannot be read', async () => {
    const table = fixture('patentscope.csv');
    const written = '2023-015111 06.02.2023 JP';
    assert.ok(table.includes(written));
    const first = async (claim: string): Promise<Patent> =>
      (await read(table.replace(written, claim))).patents[0]!;
    const comma = await first('"62/831,234 09.04.2019 US"');
    assert.deepEqual([comma.priority_date, comma.priorities?.length], ['2019-04-09', 1]);
    assert.match(comma.family_id ?? '', /^US.*831234/);
    const unread = await first('62*831 09.04.2019 US');
    assert.deepEqual([unread.priority_date, unread.family_id], ['2019-04-09', undefined]);
  });

  it('a heading may have two lines', async () => {
    const table =
      '"Publication\nNumber",Title,Abstract,Assignee\nUS 2019/0000001 A1,A hinge,It turns.,Hinges Ltd\n';
    assert.deepEqual(ids(await read(table)), ['US20190000001A1']);
  });

  it('a list that does not tell the earliest priority begins no family', async () => {
    const row = { 국가코드: 'US', '문헌종류 코드': 'A1', 공개번호: '2021-0050001', 출원번호: '16/999001' };
    assert.equal((await wips(row)).patents[0]?.family_id, undefined);
    const claimed = { '우선권 번호': '10-2019-0099001', '우선권 국가': 'KR', '우선권 주장일': '2019-08-13' };
    assert.equal((await wips({ ...row, ...claimed })).patents[0]?.family_id, 'KR1020190099001');
  });
});
