import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fillOf, PASSAGE_WINDOW, passagesOf } from '../../src/ingest/passages.js';
import { sentences } from '../../src/ingest/sentences.js';
import type { Patent } from '../../src/patent/record.js';
import fc from '../property.js';

const base: Patent = {
  patent_id: 'EP00000001A1',
  country: 'EP',
  number: '00000001',
  kind_code: 'A1',
  title: 'Hinge',
};
const bare = (text: string): string => text.replace(/\s+/g, '');
const split = (text: string): string[] => sentences(text).map((part) => part.trim());

describe('sentences', () => {
  const cases: [string, string[]][] = [
    ['As in FIG. 1, it folds. It locks.', ['As in FIG. 1, it folds.', 'It locks.']],
    [
      'About 3.5 mm, e.g. Steel (cf. No. 7), i.e. Iron. Done!',
      ['About 3.5 mm, e.g. Steel (cf. No. 7), i.e. Iron.', 'Done!'],
    ],
    [
      'U.S. Pat. No. 9,100,001 by J. Reed et al. Describes it. Next.',
      ['U.S. Pat. No. 9,100,001 by J. Reed et al. Describes it.', 'Next.'],
    ],
    [
      '1. Field of use. The hinge of step 5. The pin.',
      ['1. Field of use.', 'The hinge of step 5.', 'The pin.'],
    ],
    [
      'He asked "why?" Then it fell. (It broke.) So.',
      ['He asked "why?"', 'Then it fell.', '(It broke.)', 'So.'],
    ],
    [
      '경첩에 관한 것이다.상기 경첩은 3.5 mm이다. 끝.',
      ['경첩에 관한 것이다.', '상기 경첩은 3.5 mm이다.', '끝.'],
    ],
    [
      '図１．２に示す。次に「折る。」と言う．以上',
      ['図１．２に示す。', '次に「折る。」', 'と言う．', '以上'],
    ],
    ['铰链锁定。打开！', ['铰链锁定。', '打开！']],
    ['Siehe Abb. 2 bzw. Fig. 3 usw. Dann weiter.', ['Siehe Abb. 2 bzw. Fig. 3 usw. Dann weiter.']],
    ['one\ntwo', ['one', 'two']],
    ['', []],
  ];
  for (const [text, expected] of cases)
    it(JSON.stringify(text), () => assert.deepEqual(split(text), expected));
  it('joined sentences are the text', () => {
    const text = fc
      .array(fc.constantFrom('FIG. 1', '. ', 'a', '3.5', '다.', '。', '\n', '" ', 'A', ' '))
      .map((parts) => parts.join(''));
    fc.assert(fc.property(text, (given) => assert.equal(sentences(given).join(''), given)));
  });
});

describe('passages', () => {
  it('a passage joins short paragraphs of one section and names their numbers', () => {
    const found = passagesOf({
      ...base,
      abstract: 'A hinge.',
      claims: [
        { number: 1, text: 'A hinge.' },
        { number: 2, text: 'A pin.' },
      ],
      description: [
        {
          section: 'FIELD',
          paragraphs: [
            { number: 1, text: 'Ladders.' },
            { number: 2, text: 'Hinges.' },
          ],
        },
        { section: 'USE', paragraphs: [{ text: 'Fold it.' }] },
      ],
    });
    assert.deepEqual(found, [
      {
        text: 'A hinge.',
        chunk_type: 'abstract',
        section_name: 'Abstract',
        paragraph_numbers: [],
        claim_numbers: [],
      },
      {
        text: 'A hinge.\nA pin.',
        chunk_type: 'claim',
        section_name: 'Claims',
        paragraph_numbers: [],
        claim_numbers: [1, 2],
      },
      {
        text: 'Ladders.\nHinges.',
        chunk_type: 'description',
        section_name: 'FIELD',
        paragraph_numbers: [1, 2],
        claim_numbers: [],
      },
      {
        text: 'Fold it.',
        chunk_type: 'description',
        section_name: 'USE',
        paragraph_numbers: [],
        claim_numbers: [],
      },
    ]);
  });

  it('a title replaces a missing abstract', () => {
    assert.deepEqual(
      passagesOf(base).map(({ text, chunk_type }) => [text, chunk_type]),
      [['Hinge', 'abstract']],
    );
    assert.equal(
      passagesOf({ ...base, abstract: 'A hinge.' }).some(({ text }) => text === 'Hinge'),
      false,
    );
  });

  it('long paragraphs are split into parts of similar length, at sentences', () => {
    const text = Array.from({ length: 60 }, (_, at) => `Sentence ${at} says that the hinge folds.`).join(' ');
    const found = passagesOf({ ...base, abstract: text });
    assert.equal(found.length, Math.ceil(fillOf(text)));
    for (const { text: part } of found) {
      assert.match(part, /^Sentence .*folds\.$/s);
      assert.ok(fillOf(part) > 0.5, `expected a passage more than half full: ${fillOf(part)}`);
    }
  });

  const word = fc.oneof(
    fc.constantFrom(
      'FIG. 1',
      '3.5',
      'e.g.',
      'hinge',
      'The',
      'pin.',
      '다.',
      '경첩은',
      '。',
      '铰链',
      '蝶番；',
      '\n',
      ',',
      '😀',
      '𠮷',
    ),
    fc.string({ maxLength: 8 }),
    fc.integer({ min: 1, max: 3000 }).map((length) => 'x'.repeat(length)),
    fc.integer({ min: 1, max: 1500 }).map((length) => '鎖'.repeat(length)),
  );
  const text = fc
    .tuple(fc.array(word, { minLength: 1, maxLength: 60 }), fc.constantFrom(' ', ''))
    .map(([words, gap]) => words.join(gap));
  const numbered = fc.array(text).map((texts) => texts.map((given, at) => ({ number: at + 1, text: given })));
  const windows = fc.constantFrom(PASSAGE_WINDOW, { latin: 200, wide: 80 }, { latin: 20, wide: 10 });
  it('passages contain every text once, in order, each within the window', () => {
    fc.assert(
      fc.property(
        text,
        numbered,
        fc.array(numbered, { maxLength: 3 }),
        windows,
        (abstract, claims, sections, window) => {
          const description = sections.map((paragraphs, at) => ({ section: `S${at}`, paragraphs }));
          const found = passagesOf({ ...base, abstract, claims, description }, window);
          const written = (type: string, section?: string) =>
            bare(
              found
                .filter((p) => p.chunk_type === type && (!section || p.section_name === section))
                .map((p) => p.text)
                .join(''),
            );
          assert.equal(written('abstract'), bare(abstract) || 'Hinge');
          assert.equal(written('claim'), bare(claims.map((claim) => claim.text).join('')));
          for (const { section, paragraphs } of description) {
            assert.equal(written('description', section), bare(paragraphs.map((p) => p.text).join('')));
          }
          for (const passage of found) {
            assert.ok(fillOf(passage.text.replaceAll('\n', ''), window) <= 1 + 1e-9, passage.text);
            assert.notEqual(passage.text.trim(), '');
            const numbers = [...passage.paragraph_numbers, ...passage.claim_numbers];
            assert.deepEqual(
              numbers,
              [...new Set(numbers)].sort((a, b) => a - b),
            );
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('a text is split in linear time, even without good places to split', { timeout: 20_000 }, () => {
    const found = passagesOf({ ...base, abstract: 'x'.repeat(5_000_000) });
    assert.equal(
      found.map((p) => p.text.length).reduce((a, b) => a + b),
      5_000_000,
    );
  });
});
