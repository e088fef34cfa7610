/** Texts longer than a model's window: rows that together hold every token, each with prompt and special tokens. */
import type { TokenFrame } from '../index/native.js';
import type { PromptedText, Row } from './tokenizer.js';

export interface Windows {
  rows: Row[];
  /** Tokens of the text itself in each row: what the rows' vectors are weighted by. */
  weights: number[];
}

/** Tokens of a row that are not the text's. */
export function fixedTokens(text: PromptedText, frame: TokenFrame): number {
  return frame.ids[0]!.length + frame.ids[2]!.length + text.before + text.after;
}

/**
 * Cuts a text into the fewest windows, all about as long: a last one of ten tokens would be a vector of nearly nothing,
 * and equal rows need no padding.
 * @param windowTokens that a row may have; more than `fixedTokens`
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
 * A question and a document in one row, in the tokenizer's pair form. What does not fit is cut from the document's
 * end; a question takes at most half of the row.
 */
export function pairOf(query: Uint32Array, document: Uint32Array, frame: TokenFrame, rowTokens: number): Row {
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
