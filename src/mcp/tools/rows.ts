/** Results as rows: whole ones, or lean ones with as much of their texts as the budget of tokens allows. */
import {
  type Cut,
  clipped,
  fairShare,
  fitted,
  fitting,
  jsonTokens,
  kept,
  shorterList,
  shorterText,
  tokensOf,
} from '../budget.js';
import { NOTICE } from '../notice.js';
import { FRAME_TOKENS, type LeftOut, leftOut, type Row } from './tool.js';

/** A passage is not shown with fewer tokens than this, unless it is shorter; more are of little use in a lean row. */
const PASSAGE_TOKENS = { min: 30, max: 400 } as const;

export interface LeanRow {
  row: Row;
  text: string;
}

/** A lean row with its tokens: those without its passage, and those of its passage. */
interface Measured extends LeanRow {
  base: number;
  passage: number;
}

function measured({ row, text }: LeanRow): Measured {
  const passage = Math.min(tokensOf(text), PASSAGE_TOKENS.max);
  return { row, text, base: jsonTokens(row) + 10, passage };
}

/** Tokens of a row with the beginning of its passage. */
function leastTokens({ base, passage }: Measured): number {
  return base + Math.min(passage, PASSAGE_TOKENS.min);
}

/** Tokens of rows, measured when they are asked for. */
function* sizesOf(rows: readonly object[]): Generator<number> {
  for (const row of rows) yield jsonTokens(row) + 1;
}

/** Rows with as much of their texts as the budget allows. */
function leanRows(
  given: readonly Measured[],
  budget: number,
): { rows: LeanRow[]; results: number; characters: number } {
  const shown = given.slice(0, fitting(given.map(leastTokens), budget));
  const left = budget - shown.reduce((sum, { base }) => sum + base, 0);
  const share = fairShare(
    shown.map(({ passage }) => passage),
    left,
  );
  let characters = 0;
  const rows = shown.map(({ row, text: passage }) => {
    // A lean row has the beginning of its passage. Only what the budget cuts is left out.
    const lean = clipped(passage, PASSAGE_TOKENS.max);
    const part = share < PASSAGE_TOKENS.max ? clipped(passage, share) : lean;
    characters += Math.max(0, lean.length - part.length);
    return { row, text: part };
  });
  return { rows, results: given.length - shown.length, characters };
}

/** How results become rows. */
interface Shown<Result> {
  /** Whether rows are whole. */
  full: boolean;
  /** How the other fields are shortened if the first row does not fit beside them. */
  headCuts: readonly Cut<Row>[];
  /** How the first row is shortened if it does not fit: what is least needed goes first. */
  rowCuts: readonly Cut<Row>[];
  /** Tokens of the answer. */
  tokens: number;
  /** How to get what is left out. */
  hint: string;
  lean: (result: Result) => LeanRow;
  /** A lean row with the part of its text that is shown. */
  joined: (row: LeanRow, result: Result) => Row;
}

/** An answer with results. @param head its other fields */
export function withRows<Result extends object>(
  head: object,
  results: readonly Result[],
  shown: Shown<Result>,
): Row {
  const given = shown.full ? [] : results.map((result) => measured(shown.lean(result)));
  const make = (tokens: number) => within(tokens - FRAME_TOKENS, { ...head }, results, given, shown);
  return kept(shown.tokens, make);
}

/** @param given the results as lean rows, if rows are not whole */
function within<Result extends object>(
  budget: number,
  head: Row,
  results: readonly Result[],
  given: readonly Measured[],
  { headCuts, hint, ...shown }: Shown<Result>,
): Row {
  const [first] = results;
  const least = first === undefined ? 0 : jsonTokens(onlyNames({ ...first } as Row));
  const about = fitted(head, budget - least, headCuts);
  const { rows, fields = [], ...left } = rowsWithin(budget - jsonTokens(about), results, given, shown);
  const out = leftOut({ ...left, fields: [...changed(head, about), ...fields] }, hint);
  return { ...about, results: rows, ...out, notice: NOTICE };
}

function rowsWithin<Result extends object>(
  budget: number,
  results: readonly Result[],
  given: readonly Measured[],
  { full, joined, rowCuts }: Pick<Shown<Result>, 'full' | 'joined' | 'rowCuts'>,
): LeftOut & { rows: object[] } {
  const [first] = results;
  if (first === undefined) return { rows: [], results: 0, characters: 0 };
  if (full) {
    if (jsonTokens(first) > budget) return onlyFirst({ ...first } as Row, results.length, budget, rowCuts);
    const rows = results.slice(0, fitting(sizesOf(results), budget));
    return { rows, results: results.length - rows.length, characters: 0 };
  }
  const { row, text } = given[0]!;
  if (leastTokens(given[0]!) > budget) {
    const whole = joined({ row, text: clipped(text, PASSAGE_TOKENS.max) }, first);
    return onlyFirst(whole, results.length, budget, rowCuts);
  }
  const { rows, ...left } = leanRows(given, budget);
  return { rows: rows.map((one, n) => joined(one, results[n]!)), ...left };
}

/** The first row, shortened. */
function onlyFirst(row: Row, results: number, budget: number, cuts: readonly Cut<Row>[]) {
  const short = fitted(row, budget, cuts);
  const characters = charactersOf(row) - charactersOf(short);
  return { rows: [short], results: results - 1, characters, fields: changed(row, short) };
}

/** Names of the fields that are not as before. */
export function changed(before: Row, after: Row): string[] {
  return Object.keys(before).filter((name) => before[name] !== after[name]);
}

/** Characters of the passages of a row. */
function charactersOf({ chunks = [], chunk_text: text = '' }: Row): number {
  const texts = [text as string, ...(chunks as { text: string }[]).map((chunk) => chunk.text)];
  return texts.reduce((sum, { length }) => sum + length, 0);
}

/** Shortens a text of an object. @param least tokens that stay */
export function textCut(name: string, least = 0): Cut<Row> {
  return (row, excess) => {
    const text = row[name];
    return typeof text === 'string' ? { ...row, [name]: shorterText(text, excess, least) } : row;
  };
}

/** Shortens a list of an object. @param least values that stay */
export function listCut(name: string, least = 0): Cut<Row> {
  return (row, excess) => {
    const list = row[name];
    if (!Array.isArray(list) || list.length <= least) return row;
    return { ...row, [name]: [...list.slice(0, least), ...shorterList(list.slice(least), excess)] };
  };
}

/** Shortens an object within an object. */
export function cutWithin(name: string, cut: Cut<Row>): Cut<Row> {
  return (row, excess) => {
    const inner = row[name] as Row | undefined;
    const shorter = inner && cut(inner, excess);
    return shorter === inner ? row : { ...row, [name]: shorter };
  };
}

/** Leaves out fields of an object. */
export function withoutFields(...names: string[]): Cut<Row> {
  return (row) => {
    const some = Object.entries(row).filter(([name]) => !names.includes(name));
    return some.length === Object.keys(row).length ? row : Object.fromEntries(some);
  };
}

/** What every row has. */
export function onlyNames(row: Row): Row {
  return picked(row, ['patent_id', 'title', 'similarity_score']);
}

/** The fields of an object that have a value. */
export function picked<T extends object>(object: T, names: readonly (keyof T & string)[]): Row {
  return Object.fromEntries(
    names
      .filter((name) => object[name] !== undefined && object[name] !== '')
      .map((name) => [name, object[name]]),
  );
}
