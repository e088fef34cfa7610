/** Results as rows: whole ones, or lean ones with as much of their texts as the budget of tokens allows. */
import { clipped, fairShare, fitting, jsonTokens, tokensOf } from '../budget.js';
import { NOTICE } from '../notice.js';
import { FRAME_TOKENS, leftOut, type Row } from './tool.js';

/** A passage is not shown with fewer tokens than this, unless it is shorter; more are of little use in a lean row. */
const PASSAGE_TOKENS = { min: 30, max: 400 } as const;

export interface LeanRow {
  row: Row;
  text: string;
}

/** Rows with as much of their texts as the budget allows. */
function leanRows(
  given: readonly LeanRow[],
  budget: number,
): { rows: LeanRow[]; results: number; characters: number } {
  const bases = given.map(({ row }) => jsonTokens(row) + 10);
  const texts = given.map(({ text: passage }) => Math.min(tokensOf(passage), PASSAGE_TOKENS.max));
  const least = bases.map((base, n) => base + Math.min(texts[n]!, PASSAGE_TOKENS.min));
  const shown = fitting(least, budget);
  const left = budget - bases.slice(0, shown).reduce((sum, base) => sum + base, 0);
  const share = fairShare(texts.slice(0, shown), left);
  let characters = 0;
  const rows = given.slice(0, shown).map(({ row, text: passage }) => {
    // A lean row has the beginning of its passage. Only what the budget cuts is left out.
    const lean = clipped(passage, PASSAGE_TOKENS.max);
    const part = share < PASSAGE_TOKENS.max ? clipped(passage, share) : lean;
    characters += Math.max(0, lean.length - part.length);
    return { row, text: part };
  });
  return { rows, results: given.length - shown, characters };
}

/** How results become rows. */
interface Shown<Result> {
  /** Whether rows are whole. */
  full: boolean;
  /** Tokens of the answer. */
  tokens: number;
  /** How to get what is left out. */
  hint: string;
  lean: (result: Result) => LeanRow;
  /** A lean row with the part of its text that is shown. */
  joined: (row: LeanRow, result: Result) => Row;
}

/** An answer with results. @param head its other fields */
export function withRows<Result>(
  head: object,
  results: readonly Result[],
  { full, tokens, hint, lean, joined }: Shown<Result>,
): Row {
  const budget = tokens - FRAME_TOKENS - jsonTokens(head);
  if (full) {
    const shown = results.slice(0, fitting(results.map(jsonTokens), budget));
    return { ...head, results: shown, ...leftOut(results.length - shown.length, 0, hint), notice: NOTICE };
  }
  const { rows, results: without, characters } = leanRows(results.map(lean), budget);
  const shown = rows.map((row, n) => joined(row, results[n]!));
  return { ...head, results: shown, ...leftOut(without, characters, hint), notice: NOTICE };
}

/** The fields of an object that have a value. */
export function picked<T extends object>(object: T, names: readonly (keyof T & string)[]): Row {
  return Object.fromEntries(
    names
      .filter((name) => object[name] !== undefined && object[name] !== '')
      .map((name) => [name, object[name]]),
  );
}
