/**
 * Plain scanning from the ends of a text. A regular expression that looks for the end (`/\s+$/`) is tried at every
 * character and reads a run of blanks anew from each of them: on a text that somebody made for it, the time grows
 * with the square of the length.
 */

/** The text without the characters at its end that the expression matches, one at a time. */
export function withoutEnd(text: string, character: RegExp): string {
  let end = text.length;
  while (end > 0 && character.test(text[end - 1]!)) end--;
  return text.slice(0, end);
}

/** The text without the characters at its beginning that the expression matches, one at a time. */
export function withoutStart(text: string, character: RegExp): string {
  let start = 0;
  while (start < text.length && character.test(text[start]!)) start++;
  return text.slice(start);
}

/** The digits at the end of a text; undefined where it ends with none. */
export function digitsAtEnd(text: string): string | undefined {
  return text.slice(withoutEnd(text, /\d/).length) || undefined;
}

/** The last run of digits of a text; undefined where it holds none. */
export function lastDigits(text: string): string | undefined {
  return digitsAtEnd(withoutEnd(text, /\D/));
}

/** What stands before the first match; the whole text where there is none. */
export function beforeFirst(text: string, mark: RegExp): string {
  const at = text.search(mark);
  return at < 0 ? text : text.slice(0, at);
}
