/** Claims in plain text, as exports in the form of Google Patents and CSV lists hold them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { claimsOfText, sectionsOfLines } from '../../../src/ingest/readers/plain-text.js';

const texts = (text: string): string[] => claimsOfText(text).map((claim) => claim.text);

describe('the claims of a plain text', () => {
  it('steps within a claim, which have another mark, belong to it', () => {
    assert.deepEqual(
      texts('1. A method: 1) mixing; 2) heating; and 3) cooling.\n2. The method of claim 1.'),
      ['A method: 1) mixing; 2) heating; and 3) cooling.', 'The method of claim 1.'],
    );
    assert.deepEqual(
      texts('1.一种方法，包括：1)混合;2)加热;3)冷却。\n2.根据权利要求1所述的方法。\n3.一种电池。'),
      ['一种方法，包括：1)混合;2)加热;3)冷却。', '根据权利要求1所述的方法。', '一种电池。'],
    );
    assert.deepEqual(texts('1.一种方法:1)混合;2)加热。2.根据权利要求1所述的方法。'), [
      '一种方法:1)混合;2)加热。',
      '根据权利要求1所述的方法。',
    ]);
    assert.deepEqual(texts('1) A method:\n1. mixing;\n2. heating.\n2) The method of 1.'), [
      'A method:\n1. mixing;\n2. heating.',
      'The method of 1.',
    ]);
    assert.deepEqual(texts('1. A method:\n1) mixing;\n2) heating.'), ['A method:\n1) mixing;\n2) heating.']);
  });

  it('steps in a line, which have the same mark, belong to their claim if claims begin at lines', () => {
    assert.deepEqual(texts('1. A method: 1. mixing; 2. heating; 3. cooling.\n2. The method of claim 1.'), [
      'A method: 1. mixing; 2. heating; 3. cooling.',
      'The method of claim 1.',
    ]);
  });

  it('claims in one line are divided, with any point as mark', () => {
    const expected = ['A box.', 'The box of claim 1; and a lid.', 'A lid.'];
    assert.deepEqual(texts('1. A box. 2. The box of claim 1; and a lid. 3. A lid.'), expected);
    assert.deepEqual(texts('1、A box. 2. The box of claim 1; and a lid. 3．A lid.'), expected);
    assert.deepEqual(texts('1. A box; 2. The box of claim 1.'), ['A box;', 'The box of claim 1.']);
  });

  it('claims in a line behind claims at lines are divided after full stops only', () => {
    assert.deepEqual(texts('1. A box.\n2. A lid. 3. A box; 4. or lid of 1.4. mm. 4. A hinge.\n5. A pin.'), [
      'A box.',
      'A lid.',
      'A box; 4. or lid of 1.4. mm.',
      'A hinge.',
      'A pin.',
    ]);
  });

  it('words before claim 1 are left out, and a text without numbers is one claim', () => {
    assert.deepEqual(texts('What is claimed is:\n  1. A box.\n\n  2. A lid.'), ['A box.', 'A lid.']);
    assert.deepEqual(texts('A box of 1.5 mm; 2) with a lid.'), ['A box of 1.5 mm; 2) with a lid.']);
    assert.deepEqual(texts(`${'A box. '.repeat(40)}1. A lid.`).length, 1);
    assert.deepEqual(claimsOfText(' \n'), []);
  });

  it('claims in one line are divided behind a preamble, which is left out', () => {
    const expected = ['A device.', 'The device of claim 1.'];
    const claims = '1. A device. 2. The device of claim 1.';
    for (const preamble of [
      'What is claimed is: ',
      'What is claimed is:',
      'Claims — ',
      '权利要求书：',
      'We claim:\t',
      'The invention claimed is:\n',
    ])
      assert.deepEqual(texts(preamble + claims), expected, preamble);
    assert.deepEqual(texts('I claim: 1) A device. 2) The device of claim 1.'), expected);
    const lines = 'What is claimed is: 1. A device.\n2. The device of claim 1.';
    assert.deepEqual(texts(lines), expected);
  });

  it('a colon within a claim is no preamble', () => {
    for (const text of [
      'A method of mixing: 1. water; 2. oil.',
      'The method of any preceding claim, as claimed in the invention, comprising: 1. mixing; 2. heating.',
      'A box in the ratio 1:1.5 of length.',
      'A box in the ratio 1: 1.5 of length.',
      `${'A box, '.repeat(40)}made of: 1. A lid. 2. A pin.`,
    ])
      assert.deepEqual(texts(text), [text]);
    assert.deepEqual(texts('A method: 1. mixing;\n2. heating.').length, 1);
    assert.deepEqual(texts('A box of: a lid.\n1. A box: 1. of steel; 2. of tin.\n2. A lid.').length, 2);
  });

  it('headings come before numbers', () => {
    assert.deepEqual(texts('【請求項１】\n1. 箱。\n【請求項２】\n2. 蓋。'), ['1. 箱。', '2. 蓋。']);
    assert.deepEqual(texts('청구항 1.\n상자.\n[청구항 2]\n청구항 1의 상자.'), ['상자.', '청구항 1의 상자.']);
  });

  it('the time is linear', () => {
    for (const run of [' ', '\n', '1', '1. ', '; ', ': ', ': 1. ', '.', ';2', '\n2. ']) {
      const started = performance.now();
      claimsOfText(`1. A box.${run.repeat(200_000 / run.length)}x`);
      assert.ok(performance.now() - started < 2000, JSON.stringify(run));
    }
  });
});

describe('the sections of a plain text', () => {
  const read = (...lines: string[]): [string, ...string[]][] =>
    sectionsOfLines(lines.map((text) => ({ text }))).map(({ section, paragraphs }) => [
      section,
      ...paragraphs.map(({ number, text }) => (number === undefined ? text : `${number} ${text}`)),
    ]);

  it('a short line behind a sentence and before a paragraph is a heading', () => {
    assert.deepEqual(read('Technical field', '[0001] It is a lid.', 'Background', '[0002] Lids are known.'), [
      ['Technical field', '1 It is a lid.'],
      ['Background', '2 Lids are known.'],
    ]);
    assert.deepEqual(read('SUMMARY', 'It is a lid', 'DRAWINGS', 'The figure shows it.'), [
      ['SUMMARY', 'It is a lid'],
      ['DRAWINGS', 'The figure shows it.'],
    ]);
  });

  it('headings without a paragraph between them are one', () => {
    assert.deepEqual(
      read('[0001] It is a lid.', 'DETAILED DESCRIPTION', 'First example', '[0002] It is round.'),
      [
        ['Description', '1 It is a lid.'],
        ['DETAILED DESCRIPTION First example', '2 It is round.'],
      ],
    );
  });

  it('of more than three lines, those in capitals at the beginning are a heading', () => {
    const steps = ['Example 1', 'Synthesis of X', 'Step A'];
    assert.deepEqual(read('[0049] It is known.', 'EXAMPLES', ...steps, '[0050] Water is added.'), [
      ['Description', '49 It is known.'],
      ['EXAMPLES', ...steps, '50 Water is added.'],
    ]);
  });

  it('a number without a text changes nothing', () => {
    assert.deepEqual(read('[0001] It is a lid.', '[0002]', 'Background', '[0003] Lids are known.'), [
      ['Description', '1 It is a lid.'],
      ['Background', '3 Lids are known.'],
    ]);
  });

  it('the time is linear', () => {
    const lines = Array.from({ length: 200_000 }, () => ({ text: 'x.' }));
    assert.equal(sectionsOfLines(lines)[0]?.paragraphs.length, lines.length);
  });

  it('short lines of a list, of a table and at the end are paragraphs', () => {
    assert.deepEqual(
      read('[0020] The paste consists of', 'water 10 parts', 'gelatin 5 parts', '[0021] It is stirred.'),
      [['Description', '20 The paste consists of', 'water 10 parts', 'gelatin 5 parts', '21 It is stirred.']],
    );
    const table = ['Sample', 'Strength', 'A', '12'];
    assert.deepEqual(read('[0030] The table shows it.', ...table, '[0031] A is strong.', 'Signed'), [
      ['Description', '30 The table shows it.', ...table, '31 A is strong.', 'Signed'],
    ]);
    assert.deepEqual(read('It is a lid.', 'FIG. 1', 'FIG. 2', 'PCT', 'USA', 'It is round.', 'END'), [
      ['Description', 'It is a lid.', 'FIG. 1', 'FIG. 2', 'PCT', 'USA', 'It is round.', 'END'],
    ]);
  });
});
