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
export function fitting(sizes: readonly number[], budget: number): number {
  let left = budget;
  for (const [n, size] of sizes.entries()) {
    left -= size;
    if (left < 0) return Math.max(1, n);
  }
  return sizes.length;
}
