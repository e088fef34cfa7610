/** The names of a JSON object's own members, read from its beginning alone: a record may be many megabytes. */

/** Behind the string that begins at a quote, or -1. No regular expression: one that alternates takes a frame of stack a character. */
function stringEnd(text: string, from: number): number {
  for (let quote = text.indexOf('"', from + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (text[before] === '\\') before--;
    // Backslashes escape each other in pairs.
    if ((quote - before) % 2 === 1) return quote + 1;
  }
  return -1;
}

/**
 * Names in order, as far as the bytes go; `undefined` where they begin with no object. With `inArray`, those
 * of the first object of an array.
 */
export function memberNames(head: Uint8Array, inArray = false): string[] | undefined {
  const text = Buffer.from(head.buffer, head.byteOffset, head.length).toString('utf8');
  const opening = (inArray ? /^\uFEFF?\s*(?:\[\s*)?\{/ : /^\uFEFF?\s*\{/).exec(text);
  if (!opening) return undefined;
  const names: string[] = [];
  let depth = 1;
  let at = opening[0].length;
  while (at < text.length && depth > 0) {
    const character = text[at] ?? '';
    if (character === '"') {
      const end = stringEnd(text, at);
      if (end < 0) break;
      if (depth === 1 && /^\s*:/.test(text.slice(end, end + 20))) names.push(text.slice(at + 1, end - 1));
      at = end;
      continue;
    }
    if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    at++;
  }
  return names;
}
