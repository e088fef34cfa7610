/** Splits a text that exceeds a model's window into rows, each with prompt and special tokens. */
import type { TokenFrame } from '../index/native.js';
import type { PromptedText, TokenRow } from './tokenizer.js';

export interface Windows {
  rows: TokenRow[];
  /** Number of the text's own tokens in each row. Weights of the rows' vectors. */
  weights: number[];
}

/** Number of a row's tokens for prompt and special tokens. */
export function fixedTokens(text: PromptedText, frame: TokenFrame): number {
  return frame.ids[0]!.length + frame.ids[2]!.length + text.before + text.after;
}

/**
 * Cuts a text into the fewest windows of about equal length: the vector of a short last window would mean little, and
 * rows of equal length need no padding.
 * @param windowTokens maximum tokens of a row; more than `fixedTokens`
 */
export function windowsOf(text: PromptedText, frame: TokenFrame, windowTokens: number): Windows {
  const { ids, before, after } = text;
  const content = ids.length - before - after;
  const count = Math.max(1, Math.ceil(content / (windowTokens - fixedTokens(text, frame))));
  const size = Math.ceil(content / count);
  const windows: Windows = { rows: [], weights: [] };
  for (let at = 0; at < content || windows.rows.length === 0; at += size) {
    const end = Math.min(content, at + size);
    const row = [
      ...frame.ids[0]!,
      ...ids.subarray(0, before),
      ...ids.subarray(before + at, before + end),
      ...ids.subarray(ids.length - after),
      ...frame.ids[2]!,
    ];
    windows.rows.push({ ids: Uint32Array.from(row), types: typesOf(frame, row.length) });
    windows.weights.push(end - at);
  }
  return windows;
}

function typesOf(frame: TokenFrame, length: number): Uint32Array {
  const types = new Uint32Array(length).fill(frame.textTypes[0]!);
  types.set(frame.types[0]!);
  types.set(frame.types[2]!, length - frame.types[2]!.length);
  return types;
}

/**
 * Joins a question and a document in one row, in the tokenizer's pair form. A document that is too long is cut at its
 * end. A question takes at most half of the row.
 */
export function pairOf(
  query: Uint32Array,
  document: Uint32Array,
  frame: TokenFrame,
  rowTokens: number,
): TokenRow {
  const room = rowTokens - frame.ids.reduce((sum, ids) => sum + ids.length, 0);
  const first = query.subarray(0, Math.max(Math.floor(room / 2), room - document.length));
  const second = document.subarray(0, room - first.length);
  const parts = [frame.ids[0]!, first, frame.ids[1]!, second, frame.ids[2]!];
  const kinds = [
    frame.types[0]!,
    new Array<number>(first.length).fill(frame.textTypes[0]!),
    frame.types[1]!,
    new Array<number>(second.length).fill(frame.textTypes[1]!),
    frame.types[2]!,
  ];
  return { ids: Uint32Array.from(parts.flatMap((part) => [...part])), types: Uint32Array.from(kinds.flat()) };
}
