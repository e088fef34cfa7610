/** Spreadsheets in .xlsx form: recognition, the same publications as from CSV, positions, damage and bounds. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { open } from '../../src/engine.js';
import { parseUnit } from '../../src/ingest/readers/registry.js';
import { isFailure, openSources } from '../../src/ingest/source.js';
import { UNPACK_LIMITS } from '../../src/ingest/unpack.js';
import { SPREADSHEET } from '../../src/limits.js';
import type { Patent } from '../../src/patent/record.js';
import { zipOf } from './documents.js';
import { sharedRows, textRows, worksheet, xlsxOf } from './spreadsheets.js';

const folder = mkdtempSync(join(tmpdir(), 'priorart-spreadsheet-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function put(name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, bytes);
  return path;
}

interface Read {
  patents: Patent[];
  /** `position | patent_id` of publications, `position ! reason` of failures, `position - reason` of skipped files. */
  told: string[];
}

async function readPath(path: string): Promise<Read> {
  const [patents, told]: [Patent[], string[]] = [[], []];
  const sources = openSources([path], {
    onSkipped: ({ position, reason }) => told.push(`${position} - ${reason}`),
  });
  for await (const item of sources) {
    if (isFailure(item)) {
      told.push(`${item.position} ! ${item.reason}`);
      continue;
    }
    const unit = parseUnit(item.format, item.bytes);
    patents.push(...unit.patents);
    told.push(...unit.patents.map(({ patent_id }) => `${item.position} | ${patent_id}`));
    if (unit.failed) told.push(`${item.position} ! ${unit.failed.reason}`);
  }
  return { patents, told };
}

/** What an ingest makes of a file that the user names. The name says nothing. */
const read = (bytes: Uint8Array): Promise<Read> => readPath(put(`list-${++written}.bin`, bytes));
let written = 0;

const HEADINGS = ['Lens ID', 'Jurisdiction', 'Kind', 'Display Key', 'Title'];
const row = (number: number, title = 'A hinge'): string[] => ['x', 'EP', 'A1', `EP ${number} A1`, title];
const lens = (...numbers: number[]): string[][] => [HEADINGS, ...numbers.map((number) => row(number))];
const UNKNOWN = [
  ['Item', 'Price'],
  ['Pump', '12'],
];

/** Rows of a CSV file with commas or semicolons. */
function csvRows(text: string, separator: string): string[][] {
  const rows: string[][] = [[]];
  const cells = /"((?:[^"]|"")*)"|([^"\n,;]+)|([,;])|(\n)/g;
  let cell = '';
  for (const [whole, inQuotes, bare, mark, end] of text.matchAll(cells)) {
    if (mark === separator || end) {
      rows.at(-1)?.push(cell);
      cell = '';
      if (end) rows.push([]);
    } else cell += inQuotes?.replaceAll('""', '"') ?? bare ?? whole;
  }
  return rows.filter((cells) => cells.length > 0);
}

describe('the tables of CSV files in spreadsheets', () => {
  const files = { 'lens.csv': ',', 'espacenet.csv': ';', 'j-platpat.csv': ',', 'patentscope.csv': ',' };
  for (const [name, separator] of Object.entries(files)) {
    it(`${name}: the same publications and reasons`, async () => {
      const text = readFileSync(resolve('fixtures/formats', name), 'utf8').replace('\uFEFF', '');
      const expected = await read(Buffer.from(text));
      assert.ok(expected.patents.length > 2);
      const rows = csvRows(text, separator);
      const { rows: shared, strings } = sharedRows(rows);
      const without = (told: string[]): string[] => told.map((line) => line.replace(/^.*?line \d+ /, ''));
      for (const xlsx of [
        xlsxOf({ sheets: { Results: { rows: shared } }, strings }),
        xlsxOf({ sheets: { Results: { rows: textRows(rows) } } }),
      ]) {
        const found = await read(xlsx);
        assert.deepEqual(found.patents, expected.patents);
        assert.deepEqual(without(found.told), without(expected.told));
      }
    });
  }

  it('dates and numbers of cells are those of the list', async () => {
    const headings = ['Application Id', 'Application Number', 'Application Date', 'Publication Number'];
    const more = ['Publication Date', 'Country', 'Title', 'Priorities Data'];
    const cells =
      '<c r="A2" t="str"><v>KR1</v></c><c r="B2"><v>1.0202500080219999E12</v></c><c r="C2" s="1"><v>45665</v></c>' +
      '<c r="D2"><v>1020260111111</v></c><c r="E2" s="1"><v>46218.5</v></c><c r="F2" t="str"><v>KR</v></c><c r="G2" t="str"><v>램프 우산</v></c>';
    const { patents, told } = await read(
      xlsxOf({
        sheets: { Result: { rows: `${textRows([[...headings, ...more]])}<row r="2">${cells}</row>` } },
        styles: '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>',
      }),
    );
    assert.deepEqual(told, ['sheet "Result", line 2 | KR1020260111111A']);
    assert.equal(patents[0]?.filing_date, '2025-01-08');
    assert.equal(patents[0]?.publication_date, '2026-07-15');
    assert.equal(patents[0]?.application_number, '1020250008022');
  });
});

describe('sheets', () => {
  it('positions name the sheet and its row, also below texts of several lines and missing rows', async () => {
    const rows = textRows([HEADINGS, row(1000001, 'A hinge\nof steel\r\nand brass'), row(1000002)]);
    const { told, patents } = await read(
      xlsxOf({
        sheets: {
          'First "list"': { rows: rows + textRows([row(1000003), row(1000009)], 20) },
          Second: { rows: textRows(lens(1000004), 5) },
        },
      }),
    );
    assert.deepEqual(told, [
      'sheet "First \\"list\\"", line 2 | EP01000001A1',
      'sheet "First \\"list\\"", line 3 | EP01000002A1',
      'sheet "First \\"list\\"", line 20 | EP01000003A1',
      'sheet "First \\"list\\"", line 21 | EP01000009A1',
      'sheet "Second", line 6 | EP01000004A1',
    ]);
    assert.equal(patents[0]?.title, 'A hinge\nof steel\nand brass');
  });

  it('the sheets have the order of the workbook, and one that two names share is read once', async () => {
    const relations = [2, 1, 1].map(
      (at, n) =>
        `<Relationship Id="rId${n + 1}" Type="x/worksheet" Target="/xl/worksheets/../worksheets/Sheet${at}.xml"/>`,
    );
    const { told } = await read(
      xlsxOf({
        sheets: {
          a: { rows: textRows(lens(1000001)) },
          b: { rows: textRows(lens(1000002)) },
          c: { rows: '' },
        },
        parts: { 'xl/_rels/workbook.xml.rels': `<Relationships>${relations.join('')}</Relationships>` },
      }),
    );
    assert.deepEqual(told, ['sheet "a", line 2 | EP01000002A1', 'sheet "b", line 2 | EP01000001A1']);
  });

  it('an unknown sheet is a failure if its file is named, and skipped otherwise; empty sheets are ignored', async () => {
    const xlsx = xlsxOf({
      sheets: {
        Query: { rows: textRows(UNKNOWN) },
        Results: { rows: textRows(lens(1000001)) },
        Lists: { rows: textRows(UNKNOWN), state: 'hidden' },
        Sheet3: { rows: '<row r="1"><c r="A1" s="3"/></row>' },
      },
    });
    const skipped = '- no patent data: not XML, not JSON, and no table that is known';
    const told = (query: string): string[] => [
      `sheet "Query" ${query}`,
      'sheet "Results", line 2 | EP01000001A1',
      `sheet "Lists" ${skipped}`,
    ];
    assert.deepEqual((await read(xlsx)).told, told('! not a known format'));
    put('folder/list.xlsx', xlsx);
    assert.deepEqual((await readPath(join(folder, 'folder'))).told, told(skipped));
    const lacking = xlsxOf({
      sheets: { S: { rows: textRows([['Title', 'IPC', 'Applicant', 'Abstract']]) } },
    });
    assert.match(
      (await read(lacking)).told.join(),
      /^sheet "S" ! not a known format: a table without publication_number/,
    );
  });

  it('a spreadsheet without texts is one failure', async () => {
    assert.deepEqual((await read(xlsxOf({ sheets: { A: { rows: '' } } }))).told, [
      'byte 0 ! empty spreadsheet',
    ]);
    const none = { 'xl/worksheets/sheet1.xml': '<worksheet><sheetData/></worksheet>' };
    assert.deepEqual((await read(xlsxOf({ sheets: { A: { rows: '' } }, parts: none }))).told, [
      'byte 0 ! empty spreadsheet',
    ]);
  });

  it('elements may have prefixes, and parts may be in UTF-16', async () => {
    const rows = textRows(lens(1000001)).replaceAll(/<(\/?)(?=[a-z])/g, '<$1x:');
    const sheet = `<x:worksheet xmlns:x="y"><x:sheetData>${rows}</x:sheetData><x:rowBreaks/></x:worksheet>`;
    for (const part of [sheet, Buffer.from(`\uFEFF${sheet}`, 'utf16le')]) {
      const xlsx = xlsxOf({ sheets: { A: { rows: '' } }, parts: { 'xl/worksheets/sheet1.xml': part } });
      assert.deepEqual((await read(xlsx)).told, ['sheet "A", line 2 | EP01000001A1']);
    }
  });

  it('a large sheet is read in groups of rows', async () => {
    const numbers = Array.from({ length: 8_000 }, (_, at) => 1_000_000 + at);
    const blank = '<row r="8002" ht="15"/>'.repeat(60_000);
    const { told } = await read(xlsxOf({ sheets: { A: { rows: textRows(lens(...numbers)) + blank } } }));
    assert.equal(told.length, numbers.length);
    assert.equal(told.at(-1), 'sheet "A", line 8001 | EP01007999A1');
  });
});

describe('spreadsheets in archives', () => {
  const xlsx = xlsxOf({ sheets: { Results: { rows: textRows(lens(1000001)) } } });

  it('positions name the entries and the sheet', async () => {
    const told = (place: string): string[] => [`${place}sheet "Results", line 2 | EP01000001A1`];
    assert.deepEqual((await read(gzipSync(xlsx))).told, told(''));
    assert.deepEqual((await read(zipOf({ 'a/b.txt': xlsx }))).told, told('entry a/b.txt, '));
    const deep = zipOf({ 'in.zip': zipOf({ 'b.xlsx': xlsx }) });
    assert.deepEqual((await read(deep)).told, told('entry in.zip > b.xlsx, '));
  });

  it('a zip of many other entries is taken apart as before', async () => {
    const others = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`d/${at}.dat`, 'x']));
    const { told } = await read(zipOf({ ...others, 'l.xlsx': xlsx }));
    assert.equal(told.length, 151);
    assert.equal(told.at(-1), 'entry l.xlsx, sheet "Results", line 2 | EP01000001A1');
  });
});

describe('damaged and hostile spreadsheets', () => {
  const sheets = { A: { rows: textRows(lens(1000001)) }, B: { rows: textRows(lens(1000002)) } };
  const ofB = 'sheet "B", line 2 | EP01000002A1';
  const withPart = (name: string, part: string | Buffer | undefined): Promise<Read> =>
    read(xlsxOf({ sheets, parts: { [name]: part } }));

  it('a damaged workbook is one failure', async () => {
    const whole = xlsxOf({ sheets });
    const cases: [Promise<Read>, RegExp][] = [
      [
        withPart('xl/workbook.xml', '<workbook><sheets>'),
        /^byte 0 ! damaged spreadsheet: xl\/workbook\.xml: /,
      ],
      [withPart('xl/_rels/workbook.xml.rels', undefined), /! damaged spreadsheet: it has no part "xl\/_rels/],
      [withPart('xl/_rels/workbook.xml.rels', '<R/>'), /! damaged spreadsheet: the sheet "A" has no part/],
      [
        withPart('xl/sharedStrings.xml', '<sst><si><t>a</si></sst>'),
        /! damaged spreadsheet: xl\/sharedStrings\.xml: /,
      ],
      [withPart('xl/styles.xml', '<styleSheet>'), /! damaged spreadsheet: xl\/styles\.xml: /],
      [read(whole.subarray(0, whole.length - 40)), /! damaged zip/],
      [read(whole.subarray(0, 300)), /! damaged zip/],
    ];
    const flipped = Buffer.from(whole);
    const at = whole.indexOf('xl/workbook.xml');
    flipped[at + 40]! ^= 0xff;
    cases.push([read(flipped), /! damaged zip entry/]);
    const directory = Buffer.from(whole);
    directory[whole.lastIndexOf('PK\x01\x02')]! ^= 0xff;
    cases.push([read(directory), /! damaged zip/]);
    for (const [found, expected] of cases) {
      const { told } = await found;
      assert.equal(told.length, 1, told.join('\n'));
      assert.match(told[0]!, expected);
    }
  });

  it('a damaged sheet is a failure, and the others are read', async () => {
    const part = 'xl/worksheets/sheet1.xml';
    const cell = (text: string): string => worksheet(`<row r="1">${text}</row>`);
    const cases: [string | undefined, string][] = [
      [undefined, 'damaged spreadsheet: it has no part "xl/worksheets/sheet1.xml"'],
      ['<html/>', `damaged spreadsheet: ${part}: it has no root element of a spreadsheet`],
      ['<worksheet/>', `damaged spreadsheet: ${part}: it has no <sheetData>`],
      [worksheet(sheets.A.rows).slice(0, 600), `damaged spreadsheet: ${part}: it ends before </sheetData>`],
      [
        cell('<c r="A1" t="s"><v>7</v></c>'),
        `damaged spreadsheet: ${part}: a cell with the text 7, which does not exist`,
      ],
      [cell('<c r="XFE1"><v>7</v></c>'), `damaged spreadsheet: ${part}: a cell in the place XFE1`],
      [cell('<c r="../1"><v>7</v></c>'), `damaged spreadsheet: ${part}: a cell in the place ../1`],
      [worksheet('<row r="1048577"/>'), `damaged spreadsheet: ${part}: a row with the number 1048577`],
    ];
    for (const [written, reason] of cases) {
      assert.deepEqual((await withPart(part, written)).told, [`sheet "A" ! ${reason}`, ofB]);
    }
    const broken = (await withPart(part, cell('<c r="A1"><v>7</c>'))).told;
    assert.match(broken[0] ?? '', /^sheet "A" ! damaged spreadsheet: xl\/worksheets\/sheet1\.xml: (?!XML)/);
  });

  it('a target outside of the archive is only a name', async () => {
    const target =
      '<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="../../../../etc/passwd"/></Relationships>';
    const found = await read(
      xlsxOf({ sheets: { A: { rows: '' } }, parts: { 'xl/_rels/workbook.xml.rels': target } }),
    );
    assert.deepEqual(found.told, ['sheet "A" ! damaged spreadsheet: it has no part "etc/passwd"']);
  });

  it('bounds: a part that unpacks to too much, a part of too many bytes, a row of too many', {
    timeout: 60_000,
  }, async () => {
    const bomb = Buffer.alloc(UNPACK_LIMITS.ratioFromBytes * 2, worksheet('<row r="1"/>'));
    const [ofA] = (await withPart('xl/worksheets/sheet1.xml', bomb)).told;
    assert.match(ofA ?? '', /^sheet "A" ! unpacks to more than 250 times its size/);
    assert.match(
      (await withPart('xl/sharedStrings.xml', bomb)).told.join(),
      /^byte 0 ! unpacks to more than/,
    );
    const whole = xlsxOf({ sheets });
    const entry = whole.lastIndexOf('PK\x01\x02', whole.lastIndexOf('xl/worksheets/sheet1.xml'));
    whole.writeUInt32LE(SPREADSHEET.partBytes + 1, entry + 24);
    assert.deepEqual((await read(whole)).told, [
      `sheet "A" ! xl/worksheets/sheet1.xml of the spreadsheet has ${SPREADSHEET.partBytes + 1} bytes; at most ${SPREADSHEET.partBytes} are read: save the sheets as CSV`,
      ofB,
    ]);
    const long = `<row r="1">${'<c/>'.repeat(SPREADSHEET.rowBytes / 4)}</row>`;
    assert.deepEqual((await withPart('xl/worksheets/sheet1.xml', worksheet(long))).told, [
      `sheet "A" ! a row of more than ${SPREADSHEET.rowBytes} bytes; save the sheet as CSV`,
      ofB,
    ]);
  });

  it('.xls and spreadsheets with a password have a reason of their own', async () => {
    const old = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(2_000)]);
    const reason =
      'an old spreadsheet (.xls) or another old office document, or one with a password, which is not read; save it as .xlsx or CSV, without a password';
    assert.deepEqual((await read(old)).told, [`byte 0 ! ${reason}`]);
    put('old/list.xlsx', old);
    assert.deepEqual((await readPath(join(folder, 'old'))).told, [`byte 0 - ${reason}`]);
  });
});

describe('the ledger', () => {
  it('an unchanged spreadsheet is skipped by --new', async () => {
    const path = put(
      'ledger/list.xlsx',
      xlsxOf({ sheets: { A: { rows: textRows(lens(1000001, 1000002)) } } }),
    );
    const engine = await open(join(folder, 'data'), { create: true, workers: 0 });
    try {
      const first = await engine.ingest(path, { onlyNew: true });
      assert.deepEqual([first.ingested, first.failures], [2, 0]);
      const again = await engine.ingest(path, { onlyNew: true });
      assert.equal(again.documents, 0);
      const [source] = engine.sources();
      assert.equal(basename(source!.path), 'list.xlsx');
      assert.deepEqual(Object.keys(source!.readers), ['export-table']);
    } finally {
      await engine.close();
    }
  });
});
