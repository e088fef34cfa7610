/** Splits a JSON object that holds its records in one list, as answers of interfaces and the files made of them do. */
import { type Splitter, splitJson } from './split.js';

/** Bytes in which the list has to begin. Totals and identifiers stand before it. */
const PREFIX_BYTES = 1 << 20;
const [SPACE, QUOTE, BACKSLASH, OPEN_BRACKET, CLOSE_BRACKET] = [0x20, 0x22, 0x5c, 0x5b, 0x5d];

/** The list alone. Spaces take the place of the bytes around it, so that positions in the file stay the same. */
async function* listOnly(stream: AsyncIterable<Uint8Array>, opening: RegExp): AsyncGenerator<Uint8Array> {
  let waiting: Buffer = Buffer.alloc(0);
  let isOpen = false;
  const list = new ListEnd();
  for await (const chunk of stream) {
    if (isOpen) {
      yield list.upToEnd(chunk);
      continue;
    }
    waiting = Buffer.concat([waiting, chunk]);
    const found = opening.exec(waiting.toString('latin1'));
    if (found) {
      const from = found.index + found[0].length - 1;
      isOpen = true;
      yield Buffer.alloc(from, SPACE);
      yield list.upToEnd(waiting.subarray(from));
      waiting = Buffer.alloc(0);
    } else if (waiting.length > PREFIX_BYTES) break;
  }
  // Without the list, the object is one document, and its reader says what it lacks.
  if (!isOpen) yield waiting;
}

/** Finds the bracket that closes a list. */
class ListEnd {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #isClosed = false;

  /** The bytes of a chunk up to the end of the list, and spaces behind it. */
  upToEnd(chunk: Uint8Array): Uint8Array {
    if (this.#isClosed) return Buffer.alloc(chunk.length, SPACE);
    const end = this.#endIn(chunk);
    return end < 0 ? chunk : Buffer.concat([chunk.subarray(0, end), Buffer.alloc(chunk.length - end, SPACE)]);
  }

  #endIn(chunk: Uint8Array): number {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
      } else if (byte === QUOTE) this.#inString = true;
      else if (byte === OPEN_BRACKET) this.#depth++;
      else if (byte === CLOSE_BRACKET && --this.#depth === 0) {
        this.#isClosed = true;
        return at + 1;
      }
    }
    return -1;
  }
}

/**
 * The objects of a list. Positions count them from 1, and name the byte in the file.
 * @param opening the name of the list and its bracket: `/"data"\s{0,40}:\s{0,40}\[/`
 */
export function splitJsonList(opening: RegExp): Splitter {
  return (stream, maxBytes) => splitJson(listOnly(stream, opening), maxBytes);
}
