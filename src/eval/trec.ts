/**
 * The files of a retrieval experiment, in the forms that trec_eval reads (https://github.com/usnistgov/trec_eval),
 * and the questions as a table. Lines are counted from 1 in messages; a byte order mark and empty lines are
 * passed over.
 */
import { PriorartError } from '../errors.js';

/** Question → document → grade; above 0 is relevant. */
export type Qrels = Map<string, Map<string, number>>;

/** Question → documents, best first, with their scores. */
export type Run = Map<string, { document: string; score: number }[]>;

export interface Question {
  id: string;
  /** ISO 639-1, where the table states it. */
  language?: string;
  text: string;
}

/**
 * Judgements: `question iteration document grade`, parted by blanks. The iteration is not looked at.
 * @throws PriorartError `invalid_request` with file and line for a malformed line or one that contradicts another
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
 * A run: `question Q0 document rank score tag`. As in trec_eval the score decides the order and the rank is not
 * looked at; of equal scores the greater document name comes first.
 */
export function parseRun(text: string, file: string): Run {
  const run: Run = new Map();
  const seen = new Set<string>();
  for (const { line, at } of linesOf(text)) {
    const fields = line.trim().split(/\s+/);
    const [question = '', , document = '', , score = ''] = fields;
    if (fields.length !== 6 || score === '' || !Number.isFinite(Number(score))) {
      throw malformed(file, at, line, '`question Q0 document rank score tag`, the score a number');
    }
    const pair = `${question}\t${document}`;
    if (seen.has(pair)) throw malformed(file, at, line, `each document once; ${document} is there twice`);
    seen.add(pair);
    run.set(question, [...(run.get(question) ?? []), { document, score: Number(score) }]);
  }
  for (const list of run.values()) {
    list.sort((a, b) => b.score - a.score || (a.document < b.document ? 1 : -1));
  }
  return run;
}

/**
 * A run as trec_eval reads it. Its scores count down from the length of the list: trec_eval orders by score
 * alone, and what is written here is an order, whose first part may be ranked by another score than its last.
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
 * Questions: `id<TAB>text` or `id<TAB>language<TAB>text`, the same number of columns in every line; a first line
 * whose first column is `id` is the head of the table.
 */
export function parseQuestions(text: string, file: string): Question[] {
  const questions = new Map<string, Question>();
  let columns: number | undefined;
  for (const { line, at } of linesOf(text)) {
    const fields = line.split('\t').map((field) => field.trim());
    columns ??= fields.length;
    if (at === 1 && fields[0]?.toLowerCase() === 'id') continue;
    if (fields.length !== columns || ![2, 3].includes(columns) || fields.some((field) => field === '')) {
      throw malformed(file, at, line, '`id<TAB>text` or, in every line, `id<TAB>language<TAB>text`');
    }
    const [id, question] = [fields[0]!, fields.at(-1)!];
    // Blanks part the columns of judgements and runs.
    if (/\s/.test(id)) throw malformed(file, at, line, 'an id without blanks');
    if (questions.has(id)) throw malformed(file, at, line, `each id once; ${id} is there twice`);
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
