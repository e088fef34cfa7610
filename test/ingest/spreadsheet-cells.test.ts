/** Cells of spreadsheets: texts, numbers and dates, and the table that rows give. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cellsOf } from '../../src/ingest/readers/delimited.js';
import { parseXml } from '../../src/ingest/readers/xml.js';
import { type CellContext, cellText, richText } from '../../src/ingest/spreadsheet/cell.js';
import { dayOf, isDateFormat } from '../../src/ingest/spreadsheet/date.js';
import { SheetTable } from '../../src/ingest/spreadsheet/table.js';
import { sheetRows } from '../../src/ingest/spreadsheet/worksheet.js';
import { worksheet } from './spreadsheets.js';

const CONTEXT: CellContext = { strings: ['first', 'second'], dateStyles: [false, true], is1904: false };
const cell = (xml: string, context = CONTEXT): string => cellText(parseXml(xml)[0]!, context);

describe('cells', () => {
  it('texts: shared, inline, of a formula, in runs, with pronunciation', () => {
    assert.equal(cell('<c t="s"><v>1</v></c>'), 'second');
    assert.equal(cell('<c t="s"/>'), '');
    assert.equal(cell('<c t="inlineStr"><is><t> a &amp; b </t></is></c>'), ' a & b ');
    assert.equal(cell('<c t="str"><f>A1&amp;"x"</f><v>EP 1 A1</v></c>'), 'EP 1 A1');
    const runs =
      '<si><r><rPr><b/></rPr><t xml:space="preserve">Solid </t></r><r><t>state</t></r><rPh sb="0" eb="1"><t>ソリッド</t></rPh><phoneticPr/></si>';
    assert.equal(richText(parseXml(runs)[0]), 'Solid state');
    assert.equal(richText(parseXml('<si><t>電池</t><rPh sb="0" eb="2"><t>デンチ</t></rPh></si>')[0]), '電池');
  });

  it('escaped characters, and line ends', () => {
    const text = (written: string): string => cell(`<c t="str"><v>${written}</v></c>`);
    assert.equal(text('a_x000D_\nb_x000d_c&#13;d'), 'a\nb\nc\nd');
    assert.equal(text('_x005F_x000D_ _x0000__x0001_'), '_x000D_ ');
    assert.equal(text('max_x_axis'), 'max_x_axis');
  });

  it('numbers are plain digits', () => {
    const number = (written: string): string => cell(`<c><v>${written}</v></c>`);
    assert.equal(number('1020180012345'), '1020180012345');
    assert.equal(number('1.020180012345E12'), '1020180012345');
    assert.equal(number('1.0201800123449999E+12'), '1020180012345');
    assert.equal(number('2.0E+20'), '200000000000000000000');
    assert.equal(number('12345678901234567890'), '12345678901234567890');
    assert.equal(number('4.0999999999999996'), '4.1');
    assert.equal(number('-7'), '-7');
    assert.equal(number('1e999'), '1e999');
    assert.equal(number(''), '');
  });

  it('truth values, errors and ISO dates', () => {
    assert.equal(cell('<c t="b"><v>1</v></c>'), 'TRUE');
    assert.equal(cell('<c t="b"><v>0</v></c>'), 'FALSE');
    assert.equal(cell('<c t="e"><v>#N/A</v></c>'), '');
    assert.equal(cell('<c t="d"><v>2019-12-31T10:00:00</v></c>'), '2019-12-31');
  });

  it('dates from 1900 and from 1904', () => {
    const days: [number, string | undefined][] = [
      [1, '1900-01-01'],
      [59, '1900-02-28'],
      [60, ''],
      [61, '1900-03-01'],
      [43830, '2019-12-31'],
      [43830.9999999, '2020-01-01'],
      [43830.75, '2019-12-31'],
      [2958465, '9999-12-31'],
      [0.5, undefined],
      [-1, undefined],
      [2958466, undefined],
      [Number.NaN, undefined],
    ];
    for (const [number, day] of days) assert.equal(dayOf(number, false), day, String(number));
    assert.equal(dayOf(0, true), '1904-01-01');
    assert.equal(dayOf(42368, true), '2019-12-31');
    assert.equal(cell('<c s="1"><v>43830</v></c>'), '2019-12-31');
    assert.equal(cell('<c s="1"><v>42368</v></c>', { ...CONTEXT, is1904: true }), '2019-12-31');
    assert.equal(cell('<c s="0"><v>43830</v></c>'), '43830');
    assert.equal(cell('<c s="1"><v>0.25</v></c>'), '0.25');
    assert.equal(cell('<c s="1" t="str"><v>43830</v></c>'), '43830');
  });

  it('formats of dates', () => {
    for (const id of [14, 22, 27, 36, 45, 47, 50, 58]) assert.ok(isDateFormat(id, undefined), String(id));
    for (const id of [0, 1, 13, 23, 37, 44, 49, 59, 164]) assert.ok(!isDateFormat(id, undefined), String(id));
    const dates = ['yyyy\\-mm\\-dd', 'dd.mm.yyyy;@', '[$-411]ggge"年"m"月"d"日"', 'M/D/YY', '[Red]yyyy'];
    for (const code of dates) assert.ok(isDateFormat(164, code), code);
    const others = [
      'General',
      '0.00" days"',
      '[Red]0',
      '#,##0\\d',
      '0_d',
      '[$USD] 0',
      '0;yyyy',
      '@',
      '"yyyy"0',
    ];
    for (const code of others) assert.ok(!isDateFormat(164, code), code);
    assert.ok(!isDateFormat(164, '['.repeat(1_000_000)));
  });
});

async function table(rows: string): Promise<string[][]> {
  const found = new SheetTable(await sheetRows(Buffer.from(worksheet(rows)), CONTEXT, undefined));
  let text = '';
  for await (const part of found.text()) text += Buffer.from(part).toString();
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => cellsOf(line, '\t'));
}

describe('tables', () => {
  it('missing cells are empty, and every row is as wide as the widest', async () => {
    const found = await table(
      '<row r="1"><c r="B1"><v>1</v></c></row><row><c><v>2</v></c><c r="D2"><v>3</v></c><c><v>4</v></c></row>' +
        '<row r="7"><c r="AA7" t="str"><v> </v></c><c r="A7" t="str"><v>say "a"; b</v></c></row>',
    );
    assert.deepEqual(found, [
      ['', '1', '', '', ''],
      ['2', '', '', '3', '4'],
      ['say "a"; b', '', '', '', ''],
    ]);
  });

  it('a table that is too large is refused', async () => {
    const rows = [1, 2, 3].map((number) => ({ number, cells: ['x'.repeat(100)] }));
    await assert.rejects(async () => {
      for await (const _ of new SheetTable(rows, 250).text());
    }, /a table of more than 250 characters; save the sheet as CSV/);
  });
});
