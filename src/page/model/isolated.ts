/** Names of data within a sentence. One whose letters run from right to left would turn the words behind it, too. */

/** Letters that run from right to left, and marks that change the direction. */
const TURNING =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** Marks that begin or end an isolate: one of a name would end that around it. */
const ISOLATES = /[\u2066-\u2069]/g;

/**
 * The name between the marks of an isolate, if it turns the text behind it: for attributes, options and sentences, which can hold
 * no `<bdi>`.
 */
export function isolated(name: string): string {
  return TURNING.test(name) ? `\u2068${name.replace(ISOLATES, '')}\u2069` : name;
}
