/** Keeps answers within a number of tokens, by an estimate that suits the usual models. */

/** Tokens of a character, by its kind. Models differ; these numbers are rather too high. */
const LETTER = 0.27;
const DIGIT = 0.45;
const MARK = 0.5;
const OTHER = 0.7;
const CJK = 1.1;
/** From here on: Chinese characters, kana, Hangul. */
const CJK_FROM = 0x2e80;

function tokensOfCode(code: number): number {
  if (code >= CJK_FROM) return CJK;
  if (code >= 0x80) return OTHER;
  if (code >= 0x30 && code <= 0x39) return DIGIT;
  const lower = code | 0x20;
  return code === 0x20 || (lower >= 0x61 && lower <= 0x7a) ? LETTER : MARK;
}

/** Estimated number of tokens of a text. */
export function tokensOf(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum += tokensOfCode(text.charCodeAt(at));
  return Math.ceil(sum);
}

/** Estimated number of tokens of a value as JSON. */
export function jsonTokens(value: unknown): number {
  return tokensOf(JSON.stringify(value) ?? '');
}

/** Length of the longest beginning of a text that has at most this number of tokens, in UTF-16 code units. */
export function lengthWithin(text: string, tokens: number): number {
  let left = tokens;
  for (let at = 0; at < text.length; at++) {
    left -= tokensOfCode(text.charCodeAt(at));
    if (left < 0) return isLowSurrogate(text.charCodeAt(at)) ? at - 1 : at;
  }
  return text.length;
}

const isLowSurrogate = (code: number) => code >= 0xdc00 && code <= 0xdfff;

/** The text, or its beginning and an ellipsis. */
export function clipped(text: string, tokens: number): string {
  const length = lengthWithin(text, tokens);
  return length < text.length ? `${text.slice(0, length).trimEnd()}…` : text;
}

/** The text, shortened by at least this number of tokens if it has them. @param least tokens that stay */
export function shorterText(text: string, excess: number, least = 0): string {
  // Two tokens more: for the ellipsis, and for what `tokensOf` rounds up.
  return clipped(text, Math.max(least, tokensOf(text) - excess - 2));
}

/** The beginning of a list: as JSON it has at least this number of tokens less, if it has them. */
export function shorterList<T>(list: readonly T[], excess: number): T[] {
  let length = list.length;
  // The last value has no comma behind it. `jsonTokens` rounds up.
  for (let left = excess + 1; left > 0 && length > 0; length--) left -= jsonTokens(list[length - 1]) - MARK;
  return list.slice(0, length);
}

/** A way to shorten a value: by this number of tokens if it can. A value that it does not shorten is returned itself. */
export type Cut<T> = (value: T, excess: number) => T;

/** The value, shortened by the cuts, one after the other, until it fits into the budget. It may stay larger. */
export function fitted<T>(value: T, budget: number, cuts: readonly Cut<T>[]): T {
  let shown = value;
  for (const cut of cuts) {
    const excess = jsonTokens(shown) - budget;
    if (excess <= 0) break;
    shown = cut(shown, excess);
  }
  return shown;
}

/** How often an answer is made again. What remains then cannot be shortened. */
const ATTEMPTS = 5;

/** An answer that has at most this number of tokens, if it can. @param make an answer that has about a number of tokens */
export function kept<T>(tokens: number, make: (budget: number) => T): T {
  let budget = tokens;
  let answer = make(budget);
  for (let n = 0; n < ATTEMPTS; n++) {
    const excess = jsonTokens(answer) - tokens;
    if (excess <= 0) break;
    budget -= excess;
    answer = make(budget);
  }
  return answer;
}

/**
 * The largest allowance for which sizes, each limited to it, add up to at most `budget`. Small sizes leave their share to
 * large ones.
 */
export function fairShare(sizes: readonly number[], budget: number): number {
  const ascending = [...sizes].sort((a, b) => a - b);
  let left = budget;
  for (const [n, size] of ascending.entries()) {
    const share = left / (ascending.length - n);
    if (size > share) return Math.max(0, Math.floor(share));
    left -= size;
  }
  return ascending.at(-1) ?? 0;
}

/** How many values from the beginning fit into the budget; at least one, so that every answer shows something. */
export function fitting(sizes: Iterable<number>, budget: number): number {
  let left = budget;
  let n = 0;
  for (const size of sizes) {
    left -= size;
    if (left < 0) return Math.max(1, n);
    n++;
  }
  return n;
}
