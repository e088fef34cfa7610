/** Damaged and hostile spreadsheets, and those that are not read. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { SheetTable } from '../../src/ingest/spreadsheet/table.js';
import { sheetRows } from '../../src/ingest/spreadsheet/worksheet.js';
import { UNPACK_LIMITS } from '../../src/ingest/unpack.js';
import { SPREADSHEET } from '../../src/limits.js';
import {
  Files,
  lens,
  partsOf,
  type Read,
  readPath,
  sharedRows,
  textRows,
  worksheet,
  xlsxOf,
} from './spreadsheets.js';

const files = new Files();
after(() => files.remove());
const read = (bytes: Uint8Array): Promise<Read> => files.read(bytes);

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
      [
        withPart('xl/workbook.xml', ''),
        /! damaged spreadsheet: xl\/workbook\.xml: the document has no element/,
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

  it('one cell far to the right costs no search for headings in each row', { timeout: 60_000 }, async () => {
    const far = '<row r="400"><c r="XFD400" t="inlineStr"><is><t>x</t></is></c></row>';
    const rows = textRows(lens(...Array.from({ length: 200 }, (_, at) => 1_000_001 + at))) + far;
    const { told } = await read(xlsxOf({ sheets: { A: { rows } } }));
    assert.equal(told.filter((line) => line.includes(' | EP')).length, 200);
  });

  it('the sheets of a workbook share the bound of the table', async () => {
    const [first, second] = [new SheetTable([{ number: 1, cells: ['abc'] }], 10), 10];
    for await (const _ of first.text());
    assert.equal(first.given, 4);
    const long = new SheetTable([{ number: 1, cells: ['abcdefgh'] }], second - first.given);
    await assert.rejects(async () => {
      for await (const _ of long.text());
    }, /table of more than 6 characters/);
  });

  it('rows whose numbers repeat are bounded', { timeout: 120_000 }, async () => {
    const part = Buffer.from(worksheet('<row r="1"><c><v>1</v></c></row>'.repeat(SPREADSHEET.rows + 1)));
    const context = { strings: [], dateStyles: [], is1904: false };
    await assert.rejects(sheetRows(part, context, undefined), /a sheet of more than 1048576 rows/);
  });

  it('parts with bytes changed or missing end in failures or fewer rows, never in an error', async () => {
    const names = [
      'workbook.xml',
      '_rels/workbook.xml.rels',
      'sharedStrings.xml',
      'styles.xml',
      'worksheets/sheet1.xml',
    ];
    const shared = sharedRows(lens(1000001, 1000002));
    const book = {
      sheets: { A: { rows: shared.rows } },
      strings: shared.strings,
      styles:
        '<numFmts><numFmt numFmtId="164" formatCode="yyyy"/></numFmts><cellXfs><xf numFmtId="164"/></cellXfs>',
    };
    const whole = partsOf(book);
    let seed = 1;
    const below = (most: number): number => {
      seed = (seed * 48_271) % 0x7fffffff;
      return seed % most;
    };
    for (let round = 0; round < 400; round++) {
      const name = `xl/${names[below(names.length)]}`;
      const part = Buffer.from(whole[name]!);
      const at = below(part.length);
      if (round % 2) part[at]! ^= 1 << below(8);
      const damaged =
        round % 2 ? part : Buffer.concat([part.subarray(0, at), part.subarray(at + 1 + below(60))]);
      const { told } = await read(xlsxOf({ ...book, parts: { [name]: damaged } }));
      assert.ok(told.length > 0 && told.length <= 2, `round ${round}: ${told.join('; ')}`);
      for (const line of told) assert.doesNotMatch(line, /TypeError|RangeError|undefined|not iterable/, name);
    }
  });

  it('.xls and spreadsheets with a password have a reason of their own', async () => {
    const old = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(2_000)]);
    const reason =
      'an old spreadsheet (.xls) or another old office document, or one with a password, which is not read; save it as .xlsx or CSV, without a password';
    assert.deepEqual((await read(old)).told, [`byte 0 ! ${reason}`]);
    files.put('old/list.xlsx', old);
    assert.deepEqual((await readPath(join(files.folder, 'old'))).told, [`byte 0 - ${reason}`]);
  });
});
