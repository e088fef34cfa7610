/** Lines of a byte stream, of bounded length. readline would buffer a line of gigabytes. */
import { PriorartError } from '../errors.js';

const NEWLINE = 0x0a;

/**
 * Yields the lines of UTF-8 text without their ends (LF or CRLF). The last line needs no line end. A byte
 * order mark is omitted.
 * @param name of the source, for messages
 * @throws PriorartError `usage` for a line of more than `maxBytes`, and for invalid UTF-8
 */
export async function* linesOf(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
  name: string,
): AsyncGenerator<string> {
  let parts: Uint8Array[] = [];
  let held = 0;
  let at = 1;
  const take = (part: Uint8Array) => {
    held += part.length;
    if (held > maxBytes) {
      throw new PriorartError(
        'usage',
        `${name}, line ${at}: longer than ${maxBytes} bytes; expected one text per line`,
      );
    }
    parts.push(part);
  };
  const line = () => {
    const text = decoded(parts.length === 1 ? parts[0]! : Buffer.concat(parts), name, at++);
    parts = [];
    held = 0;
    return text.endsWith('\r') ? text.slice(0, -1) : text;
  };
  for await (const chunk of source) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      take(chunk.subarray(from, end));
      yield line();
      from = end + 1;
    }
    if (from < chunk.length) take(chunk.subarray(from));
  }
  if (held > 0) yield line();
}

function decoded(bytes: Uint8Array, name: string, at: number): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: at !== 1 }).decode(bytes);
  } catch {
    throw new PriorartError('usage', `${name}, line ${at}: invalid UTF-8; expected UTF-8 text`);
  }
}
