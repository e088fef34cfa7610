/** A list as a text with commas. */

const SEPARATOR = /[,;、，；\n]/;

export function listOf(text: string): string[] {
  const entries = text.split(SEPARATOR).map((entry) => entry.trim());
  return [...new Set(entries.filter((entry) => entry !== ''))];
}

/** The entry at a place of the text, without blanks around it, and where it begins and ends with them. */
export function entryAt(text: string, caret: number): { entry: string; from: number; to: number } {
  let from = caret;
  while (from > 0 && !SEPARATOR.test(text[from - 1]!)) from -= 1;
  let to = caret;
  while (to < text.length && !SEPARATOR.test(text[to]!)) to += 1;
  return { entry: text.slice(from, to).trim(), from, to };
}

/** The text with another entry at a place, ready for the next one, and where the caret then stands. */
export function withEntry(text: string, caret: number, entry: string): { text: string; caret: number } {
  const { from, to } = entryAt(text, caret);
  const begin = `${text.slice(0, from)}${from === 0 ? '' : ' '}${entry}`;
  const rest = text.slice(to).replace(/^[,;、，；\n]\s*/, '');
  return { text: `${begin}, ${rest}`, caret: begin.length + 2 };
}
