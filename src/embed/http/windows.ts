/** Parts of a text that is longer than a server is sent at once. */

/** How far back from its end a part may be cut, at a space. */
const SLACK = 0.2;

/** Cuts a text into parts of at most so many characters (UTF-16), at spaces where there are any. */
export function partsOf(text: string, most: number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + most);
    if (end < text.length) {
      const space = text.lastIndexOf(' ', end - 1);
      if (space > at + most * (1 - SLACK)) end = space + 1;
      // Not between the halves of a character.
      else if (end - at > 1 && /[\ud800-\udbff]/.test(text[end - 1]!)) end -= 1;
    }
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts.filter((part) => part.trim() !== '');
}
