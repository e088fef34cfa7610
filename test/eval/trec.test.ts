/** Files of questions, judgements and runs: parsing, and errors for malformed lines. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parseQrels, parseQuestions, parseRun } from '../../src/eval/trec.js';

describe('files of an experiment', () => {
  it('the example questions and judgements are parsed completely', () => {
    const questions = parseQuestions(readFileSync('fixtures/queries.tsv', 'utf8'), 'queries.tsv');
    assert.equal(questions.length, 94);
    assert.equal(questions[0]!.id, 'q01-ko');
    assert.deepEqual([...new Set(questions.map(({ language }) => language))].sort(), [
      'de',
      'en',
      'fr',
      'ja',
      'ko',
      'zh',
    ]);
    const qrels = parseQrels(readFileSync('fixtures/qrels.txt', 'utf8'), 'qrels.txt');
    assert.ok(questions.every(({ id }) => qrels.has(id)));
    assert.equal(
      [...qrels.values()].reduce((sum, grades) => sum + grades.size, 0),
      605,
    );
  });

  it('two columns, byte order marks, empty lines and CRLF are accepted', () => {
    assert.deepEqual(parseQuestions('\ufeffid\tquery\r\na\tone  two\r\n\r\nb\tthree\r\n', 'f'), [
      { id: 'a', text: 'one  two' },
      { id: 'b', text: 'three' },
    ]);
    assert.deepEqual(parseQrels('q  Q0\td1   2\n\n', 'f').get('q'), new Map([['d1', 2]]));
  });

  it('a run is ordered by score, then by descending name, as in trec_eval', () => {
    const run = parseRun('q Q0 a 1 0.5 t\nq Q0 c 2 7e-1 t\nq Q0 b 3 0.5 t\n', 'f');
    assert.deepEqual(
      run.get('q')!.map(({ document }) => document),
      ['c', 'b', 'a'],
    );
  });

  it('the error names a malformed line', () => {
    const cases: [() => unknown, RegExp][] = [
      [() => parseQrels('q 0 d 1\nq 0 d', 'x.txt'), /x\.txt, line 2: got "q 0 d"; expected `question 0/],
      [() => parseQrels('q 0 d high', 'x'), /line 1/],
      [() => parseQrels('q 0 d 1\nq 0 d 2', 'x'), /line 2.*one grade a document; d already has 1/],
      [() => parseRun('q Q0 d 1 0.5', 'x'), /line 1.*rank score tag/],
      [() => parseRun('q Q0 d 1 NaN t', 'x'), /score a number/],
      [() => parseRun('q Q0 d 1 1 t\nq Q0 d 2 0 t', 'x'), /line 2.*d occurs twice/],
      [() => parseQuestions('a\tb\nc\tko\td', 'x'), /line 2.*in every line/],
      [() => parseQuestions('a b\tc', 'x'), /an id without blanks/],
      [() => parseQuestions('a\tc\na\td', 'x'), /a occurs twice/],
      [() => parseQuestions('a\t ', 'x'), /line 1/],
    ];
    for (const [read, message] of cases) assert.throws(read, { code: 'invalid_request', message });
  });
});
