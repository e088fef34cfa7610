/** Spreadsheets in .xlsx form: recognition, the same publications as from CSV, and positions. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { open } from '../../src/engine.js';
import { zipOf } from './documents.js';
import {
  Files,
  HEADINGS,
  lens,
  type Read,
  readPath,
  row,
  sharedRows,
  textRows,
  xlsxOf,
} from './spreadsheets.js';

const files = new Files();
after(() => files.remove());
const read = (bytes: Uint8Array): Promise<Read> => files.read(bytes);

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
  const tables = { 'lens.csv': ',', 'espacenet.csv': ';', 'j-platpat.csv': ',', 'patentscope.csv': ',' };
  for (const [name, separator] of Object.entries(tables)) {
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

  it('an unknown sheet is skipped beside a list, and a failure of a named file without a list; empty sheets are ignored', async () => {
    const query = { Query: { rows: textRows(UNKNOWN) } };
    const xlsx = xlsxOf({
      sheets: {
        ...query,
        Results: { rows: textRows(lens(1000001)) },
        Lists: { rows: textRows(UNKNOWN), state: 'hidden' },
        Sheet3: { rows: '<row r="1"><c r="A1" s="3"/></row>' },
      },
    });
    const skipped = 'no patent data: not XML, not JSON, and no table that is known';
    const result = 'sheet "Results", line 2 | EP01000001A1';
    assert.deepEqual((await read(xlsx)).told, [
      result,
      `sheet "Lists" - ${skipped}`,
      'sheet "Query" - not a known format',
    ]);
    files.put('folder/list.xlsx', xlsx);
    assert.deepEqual((await readPath(join(files.folder, 'folder'))).told, [
      `sheet "Query" - ${skipped}`,
      result,
      `sheet "Lists" - ${skipped}`,
    ]);
    assert.deepEqual((await read(xlsxOf({ sheets: query }))).told, ['sheet "Query" ! not a known format']);
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

describe('the ledger', () => {
  it('an unchanged spreadsheet is skipped by --new', async () => {
    const path = files.put(
      'ledger/list.xlsx',
      xlsxOf({ sheets: { A: { rows: textRows(lens(1000001, 1000002)) } } }),
    );
    const engine = await open(join(files.folder, 'data'), { create: true, workers: 0 });
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
