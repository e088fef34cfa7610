/**
 * Linear scans from the ends of a text. A regular expression such as `/\s+$/` is tried at every character and
 * rereads a run of blanks each time: on a malicious text, its time grows with the square of the length.
 */

/** Removes all matching characters at the end of a text. */
export function withoutEnd(text: string, character: RegExp): string {
  let end = text.length;
  while (end > 0 && character.test(text[end - 1]!)) end--;
  return text.slice(0, end);
}

/** Removes all matching characters at the beginning of a text. */
export function withoutStart(text: string, character: RegExp): string {
  let start = 0;
  while (start < text.length && character.test(text[start]!)) start++;
  return text.slice(start);
}

/** The digits at the end of a text; undefined if it does not end with a digit. */
export function digitsAtEnd(text: string): string | undefined {
  return text.slice(withoutEnd(text, /\d/).length) || undefined;
}

/** The last run of digits of a text; undefined if it has no digits. */
export function lastDigits(text: string): string | undefined {
  return digitsAtEnd(withoutEnd(text, /\D/));
}

/** The text before the first match; the whole text without a match. */
export function beforeFirst(text: string, mark: RegExp): string {
  const at = text.search(mark);
  return at < 0 ? text : text.slice(0, at);
}
