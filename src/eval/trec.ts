/**
 * The files of a retrieval experiment, in the formats of trec_eval (https://github.com/usnistgov/trec_eval), and a table
 * of questions. Messages count lines from 1. A byte order mark and empty lines are ignored.
 */
import { PriorartError } from '../errors.js';

/** Question → document → grade; above 0 is relevant. */
export type Qrels = Map<string, Map<string, number>>;

/** Question → documents, best first, with their scores. */
export type TrecRun = Map<string, { document: string; score: number }[]>;

export interface TrecQuestion {
  id: string;
  /** ISO 639-1, if the table states it. */
  language?: string;
  text: string;
}

/**
 * Reads judgements: `question iteration document grade`, separated by blanks. The iteration is ignored.
 * @throws PriorartError `invalid_request` with file and line, if a line is malformed or contradicts another
 */
export function parseQrels(text: string, file: string): Qrels {
  const qrels: Qrels = new Map();
  for (const { line, at } of linesOf(text)) {
    const fields = line.trim().split(/\s+/);
    const [question = '', , document = '', grade = ''] = fields;
    if (fields.length !== 4 || !/^-?\d{1,6}$/.test(grade)) {
      throw malformed(file, at, line, '`question 0 document grade`, the grade an integer');
    }
    const grades = qrels.get(question) ?? new Map<string, number>();
    const known = grades.get(document);
    if (known !== undefined && known !== Number(grade)) {
      throw malformed(file, at, line, `one grade a document; ${document} already has ${known}`);
    }
    qrels.set(question, grades.set(document, Number(grade)));
  }
  return qrels;
}

/**
 * Reads a run: `question Q0 document rank score tag`. As in trec_eval, the order is by score and the rank is ignored. If
 * scores are equal, the greater document name comes first.
 */
export function parseRun(text: string, file: string): TrecRun {
  const run: TrecRun = new Map();
  const seen = new Set<string>();
  for (const { line, at } of linesOf(text)) {
    const fields = line.trim().split(/\s+/);
    const [question = '', , document = '', , score = ''] = fields;
    if (fields.length !== 6 || score === '' || !Number.isFinite(Number(score))) {
      throw malformed(file, at, line, '`question Q0 document rank score tag`, the score a number');
    }
    const pair = `${question}\t${document}`;
    if (seen.has(pair)) throw malformed(file, at, line, `each document once; ${document} occurs twice`);
    seen.add(pair);
    run.set(question, [...(run.get(question) ?? []), { document, score: Number(score) }]);
  }
  for (const list of run.values()) {
    list.sort((a, b) => b.score - a.score || (a.document < b.document ? 1 : -1));
  }
  return run;
}

/**
 * Writes a run for trec_eval. Scores count down from the length of the list: trec_eval orders by score alone, and the
 * parts of a list may be ordered by different scores.
 * @param rankings documents of each question, best first
 */
export function formatRun(rankings: ReadonlyMap<string, readonly string[]>, tag: string): string {
  const lines: string[] = [];
  for (const [question, documents] of rankings) {
    for (const [n, document] of documents.entries()) {
      lines.push(`${question} Q0 ${document} ${n + 1} ${documents.length - n} ${tag}`);
    }
  }
  return lines.map((line) => `${line}\n`).join('');
}

/**
 * Reads questions: `id<TAB>text` or `id<TAB>language<TAB>text`, the same number of columns in every line. A first line
 * whose first column is `id` is the header.
 */
export function parseQuestions(text: string, file: string): TrecQuestion[] {
  const questions = new Map<string, TrecQuestion>();
  let columns: number | undefined;
  for (const { line, at } of linesOf(text)) {
    const fields = line.split('\t').map((field) => field.trim());
    columns ??= fields.length;
    if (at === 1 && fields[0]?.toLowerCase() === 'id') continue;
    if (fields.length !== columns || ![2, 3].includes(columns) || fields.some((field) => field === '')) {
      throw malformed(file, at, line, '`id<TAB>text` or, in every line, `id<TAB>language<TAB>text`');
    }
    const [id, question] = [fields[0]!, fields.at(-1)!];
    // Blanks separate the columns of judgements and runs.
    if (/\s/.test(id)) throw malformed(file, at, line, 'an id without blanks');
    if (questions.has(id)) throw malformed(file, at, line, `each id once; ${id} occurs twice`);
    questions.set(id, { id, ...(columns === 3 ? { language: fields[1]! } : {}), text: question });
  }
  return [...questions.values()];
}

function* linesOf(text: string): Generator<{ line: string; at: number }> {
  let at = 0;
  for (const line of text.replace(/^\ufeff/, '').split(/\r?\n/)) {
    at++;
    if (line.trim() !== '') yield { line, at };
  }
}

const QUOTED = 80;

function malformed(file: string, at: number, line: string, expected: string): PriorartError {
  const quoted = line.length > QUOTED ? `${line.slice(0, QUOTED)}…` : line;
  return new PriorartError(
    'invalid_request',
    `${file}, line ${at}: got ${JSON.stringify(quoted)}; expected ${expected}`,
  );
}
