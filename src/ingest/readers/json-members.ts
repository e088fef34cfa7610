/**
 * Reads the names of a JSON object's own members from the beginning of its text only. A record may be many
 * megabytes.
 */

/**
 * Position after the string that begins at a quote, or -1. A regular expression with alternation would need
 * one stack frame per character.
 */
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
 * Names in order, within the given bytes; `undefined` if the bytes do not begin with an object. With
 * `inArray`, the names of the first object of an array.
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
