/** The lexical baseline and the readers of tables. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Bm25, tokens } from '../../bench/quality/bm25.js';
import { csvIn, plainText } from '../../bench/quality/corpora.js';
import fc from '../property.js';

describe('BM25', () => {
  it('BM25 has the scores of bm25s', () => {
    const index = new Bm25();
    const documents = ['a b c a', 'b c', 'd d d e a', 'e f', 'a a a a b g h i'];
    for (const [n, text] of documents.entries()) index.add(String(n), text);
    // bm25s 0.3.16, method lucene, k1 1.2, b 0.75, times k1 + 1.
    const expected: Record<string, number[]> = {
      a: [0.75118, 0, 0.50003, 0, 0.78865],
      'a b': [1.30089, 0.686, 0.50003, 0, 1.18204],
      'd e zz': [0, 0, 2.90521, 1.11423, 0],
      'c a f': [1.64404, 1.11423, 0.50003, 1.76437, 0.78865],
    };
    for (const [question, scores] of Object.entries(expected)) {
      const found = index.scores(question);
      assert.equal(found.length, scores.filter((score) => score > 0).length);
      for (const { name, score } of found)
        assert.ok(
          Math.abs(score - scores[Number(name)]!) < 2e-5,
          `${name}: expected the score ${scores[Number(name)]}: ${score}`,
        );
      const names = found.map(({ name }) => name);
      assert.deepEqual(index.search(question, 2), names.slice(0, 2));
      assert.deepEqual(
        names,
        [...names].sort((a, b) => scores[Number(b)]! - scores[Number(a)]!),
      );
    }
  });

  it('splits text with blanks into words, and other text into pairs of characters', () => {
    assert.deepEqual(tokens('Solid-state ELECTROLYTE, Li6PS5Cl'), [
      'solid',
      'state',
      'electrolyte',
      'li6ps5cl',
    ]);
    assert.deepEqual(tokens('고체 전해질LiPS층 電解質ー材'), [
      '고체',
      '전해',
      '해질',
      'lips',
      '층',
      '電解',
      '解質',
      '質ー',
      'ー材',
    ]);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const letters = text
          .normalize('NFKC')
          .toLowerCase()
          .replace(/[^\p{L}\p{N}]/gu, '');
        assert.ok([...new Set(letters)].every((letter) => tokens(text).join('').includes(letter)));
      }),
    );
  });
});

describe('tables', () => {
  it('tables are read as RFC 4180 defines them', () => {
    const dir = mkdtempSync(join(tmpdir(), 'priorart-csv-'));
    const file = join(dir, 'a.csv');
    const cell = fc.string().map((text) => text.replaceAll('\r', ''));
    const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    try {
      fc.assert(
        fc.property(
          fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
          (rows) => {
            writeFileSync(file, `${rows.map((row) => row.map(quoted).join(',')).join('\r\n')}\r\n`);
            assert.deepEqual(csvIn(file), rows);
          },
        ),
        { numRuns: 50 },
      );
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it('a text with entities is ignored, because its hash is unknown', () => {
    assert.equal(plainText(' a <b>bold</b>\n word '), 'a bold word');
    assert.equal(plainText('R&amp;D'), undefined);
  });
});
