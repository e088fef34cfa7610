/** Splits a text that is longer than the limit of one request. */

/** Share of a part, from its end, in which a space is sought to cut at. */
const SLACK = 0.2;

/** Cuts a text into parts of at most `most` UTF-16 code units, at spaces if possible. */
export function partsOf(text: string, most: number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + most);
    if (end < text.length) {
      const space = text.lastIndexOf(' ', end - 1);
      if (space > at + most * (1 - SLACK)) end = space + 1;
      // Does not cut a surrogate pair.
      else if (end - at > 1 && /[\ud800-\udbff]/.test(text[end - 1]!)) end -= 1;
    }
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts.filter((part) => part.trim() !== '');
}
