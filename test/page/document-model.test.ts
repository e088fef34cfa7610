/** What the page makes of documents without a browser: passages, words, claims, numbers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { claimsTree } from '../../src/page/model/claims-tree.js';
import { documentOf } from '../../src/page/model/document.js';
import { printedNumber } from '../../src/page/model/number.js';
import { matchedWords, piecesOf } from '../../src/page/model/passages.js';
import { missingWords } from '../../src/page/model/question-words.js';
import fc from '../property.js';

const text = fc.string({ unit: 'grapheme', maxLength: 40 });

describe('a passage', () => {
  it('keeps its text, whatever the highlights are', () => {
    const highlight = fc.record({ from: fc.nat(60), to: fc.nat(60) });
    fc.assert(
      fc.property(text, fc.array(highlight), (passage, highlights) => {
        const ordered = highlights.sort((a, b) => a.from - b.from);
        assert.equal(
          piecesOf(passage, ordered)
            .map((piece) => piece.text)
            .join(''),
          passage,
        );
      }),
    );
  });

  it('marks words that overlap once', () => {
    assert.deepEqual(
      piecesOf('이차전지용', [
        { from: 0, to: 2 },
        { from: 1, to: 4 },
      ]),
      [
        { text: '이차전지', isMarked: true },
        { text: '용', isMarked: false },
      ],
    );
  });

  it('names the longest words only, the rarest first', () => {
    const at = (term: string, documents: number, from: number) => ({
      term,
      documents,
      chunk: 0,
      from,
      to: from + term.length,
    });
    const words = matchedWords([
      at('이차', 38, 5),
      at('이차전지', 8, 5),
      at('전지', 51, 7),
      at('고체', 126, 0),
    ]);
    assert.deepEqual(
      words.map(({ word }) => word),
      ['이차전지', '고체'],
    );
  });
});

describe('words of a question', () => {
  const matches = (...terms: [string, string?][]) =>
    terms.map(([term, translation_of]) => ({
      term,
      ...(translation_of === undefined ? {} : { translation_of }),
      documents: 1,
      chunk: 0,
      from: 0,
      to: 1,
    }));

  it('that no passage holds are named, without those that say nothing', () => {
    const question = 'Solid electrolyte of a Li2S battery, wherein the LED is blue';
    assert.deepEqual(missingWords(question, matches(['Solid'], ['battery'])), [
      'electrolyte',
      'Li2S',
      'LED',
      'blue',
    ]);
  });

  it('are held with a particle, by pairs of characters, and by a translation', () => {
    assert.deepEqual(missingWords('황화물 전해질을 포함하는', matches(['화물'], ['전해질'], ['포함'])), [
      '황화물',
    ]);
    assert.deepEqual(missingWords('固体电解质的研究', matches(['固体'], ['电解'], ['解质'])), ['研究']);
    assert.deepEqual(missingWords('リチウム 二次電池', matches(['리튬', 'リチウム'])), ['二次', '電池']);
  });
});

describe('a document', () => {
  const markdown = `# Title

## Abstract

First.

## Claims

**1.** A device.

## Abstract

**2.** A device of claim 1, wherein **7.** holds.

**3.** The device of claim 1 or 2.

**4.** A method.

## Description

### Field

[0001] Text with <script>alert(1)</script> and [0002] inside.

![FIG. 1](/base/api/v1/drawings/US1A1/D00001.webp)

![US1A1 D00002.webp](/base/api/v1/drawings/US1A1/US1A1%20D00002.webp)

![not ours](https://example.com/x.png)

## Claims
`;
  it('is taken apart, and text that looks like markup stays text', () => {
    const { abstract, claims, description, drawings } = documentOf(markdown);
    assert.deepEqual(abstract, ['First.']);
    assert.deepEqual(
      claims.map(({ number }) => number),
      [1, 2, 3, 4],
    );
    assert.equal(claims[0]!.text, 'A device.\n## Abstract');
    assert.deepEqual(drawings, [
      { label: 'FIG. 1', source: 'api/v1/drawings/US1A1/D00001.webp' },
      { label: '', source: 'api/v1/drawings/US1A1/US1A1%20D00002.webp' },
    ]);
    assert.equal(description[0]!.heading, 'Field');
    assert.deepEqual(
      description[0]!.paragraphs.map((paragraph) => [paragraph.number, paragraph.text, paragraph.drawings]),
      [
        ['0001', 'Text with <script>alert(1)</script> and [0002] inside.', [0, 1]],
        ['', '![not ours](https://example.com/x.png)', []],
        ['', '## Claims', []],
      ],
    );
  });

  it('has its claims in a tree', () => {
    const tree = claimsTree(documentOf(markdown).claims);
    assert.deepEqual(
      tree.map(({ number, children }) => [number, children.map((child) => [child.number, child.alsoOn])]),
      [
        [
          1,
          [
            [2, []],
            [3, [2]],
          ],
        ],
        [4, []],
      ],
    );
  });
});

describe('a number', () => {
  it('is printed as its office prints it; other texts stay as they are', () => {
    for (const [id, printed] of [
      ['KR1010606300000B1', 'KR 10-1060630 B1'],
      ['KR1020200104349A', 'KR 10-2020-0104349 A'],
      ['US11217824B2', 'US 11,217,824 B2'],
      ['USD1050455S1', 'US D1,050,455 S1'],
      ['JP30524120A', '特開2018-524120'],
      ['EP00546210B2', 'EP 0 546 210 B2'],
      ['EP03539467A1', 'EP 3 539 467 A1'],
      ['CN110010963A', 'CN 110010963 A'],
      ['KR102214943B1', 'KR102214943B1'],
      ['2020-05-31', '2020-05-31'],
      ['<b>', '<b>'],
    ])
      assert.equal(printedNumber(id!), printed);
  });
});
