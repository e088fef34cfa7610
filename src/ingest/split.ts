/**
 * Streams into units: XML documents one after another, JSON values, lines. Only one unit is held in memory
 * at a time, and a unit is bounded.
 */

/** The largest single document: the longest real ones (sequence listings printed in full) stay below. */
export const UNIT_MAX_BYTES = 200_000_000;

/** A unit cut out of a stream, or why it could not be. */
export type Piece =
  | { position: string; bytes: Uint8Array; reason?: undefined }
  | { position: string; reason: string; bytes?: undefined };

export type Splitter = (stream: AsyncIterable<Uint8Array>, maxBytes?: number) => AsyncIterable<Piece>;

/** Collects the bytes of one unit and forgets them when they become too many. */
class Gathering {
  #parts: Uint8Array[] = [];
  #length = 0;
  /** Where in the stream the unit begins. */
  start = 0;

  constructor(readonly maxBytes: number) {}

  add(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#length <= this.maxBytes) this.#parts.push(part);
    else this.#parts = [];
  }

  /** Forgets the unit so far. */
  drop(): void {
    this.#length = 0;
    this.#parts = [];
  }

  /** The unit so far, at a position; `undefined` where there is nothing but white space. */
  take(position: string): Piece | undefined {
    const [length, parts] = [this.#length, this.#parts];
    this.#length = 0;
    this.#parts = [];
    if (length > this.maxBytes) {
      return {
        position,
        reason: `a document of ${length} bytes; at most ${this.maxBytes} can be read as one`,
      };
    }
    // Its own memory: a view would drag the whole chunk along when the unit is sent to a worker.
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return isBlank(bytes) ? undefined : { position, bytes };
  }
}

function isBlank(bytes: Uint8Array): boolean {
  for (const byte of bytes) {
    // Space, tab, line ends, NUL padding and the byte order mark.
    if (byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf) return false;
  }
  return true;
}

const [TAB, LINE_FEED, CARRIAGE_RETURN, SPACE, GREATER] = [0x09, 0x0a, 0x0d, 0x20, 0x3e];

/** Index of the next mark that a name does not go on behind (`<?xml`, not `<?xml-stylesheet`), or -1. */
function nextMark(bytes: Buffer, mark: Buffer, from: number): number {
  for (let at = bytes.indexOf(mark, from); at >= 0; at = bytes.indexOf(mark, at + 1)) {
    const after = bytes[at + mark.length];
    if (after === undefined || after === SPACE || after === TAB || after === LINE_FEED) return at;
    if (after === CARRIAGE_RETURN || after === GREATER) return at;
  }
  return -1;
}

/**
 * Documents one after another, each from one mark to the next. What stands before the first mark is a unit
 * where `head` says so, and is left out where it is only the prolog of an element.
 */
export function splitFrom(mark: Buffer, head: boolean): Splitter {
  return async function* (stream, maxBytes = UNIT_MAX_BYTES) {
    const unit = new Gathering(maxBytes);
    let carry: Buffer = Buffer.alloc(0);
    let offset = 0;
    let isHead = true;
    for await (const chunk of stream) {
      const bytes = carry.length > 0 ? Buffer.concat([carry, chunk]) : asBuffer(chunk);
      let from = 0;
      // A mark at the very beginning of the carried bytes has been seen already.
      for (let at = nextMark(bytes, mark, 0); at >= 0; at = nextMark(bytes, mark, at + 1)) {
        if (at + mark.length >= bytes.length) break;
        unit.add(bytes.subarray(from, at));
        const piece = unit.take(`byte ${unit.start}`);
        if (piece && (head || !isHead)) yield piece;
        isHead = false;
        unit.start = offset + at;
        from = at;
      }
      // Keep back what may be the beginning of a mark, but never one that was found.
      const keep = Math.max(from === 0 ? 0 : from + mark.length, bytes.length - mark.length);
      unit.add(bytes.subarray(from, Math.min(keep, bytes.length)));
      carry = Buffer.from(bytes.subarray(Math.min(keep, bytes.length)));
      offset += bytes.length - carry.length;
    }
    unit.add(carry);
    const piece = unit.take(`byte ${unit.start}`);
    if (piece) yield piece;
  };
}

/** XML documents one after another, as in the weekly files: a new one begins at each `<?xml`. */
export const splitXml = splitFrom(Buffer.from('<?xml'), true);

/** Documents that begin with an element (`<PATDOC`) and may stand one after another without a declaration. */
export function splitAt(element: string): Splitter {
  return splitFrom(Buffer.from(element), false);
}

/** One unit a line; positions count lines from 1. */
export const splitLines: Splitter = async function* (stream, maxBytes = UNIT_MAX_BYTES) {
  const unit = new Gathering(maxBytes);
  let line = 1;
  for await (const chunk of stream) {
    const bytes = asBuffer(chunk);
    let from = 0;
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
      unit.add(bytes.subarray(from, at));
      const piece = unit.take(`line ${line}`);
      if (piece) yield piece;
      line++;
      from = at + 1;
    }
    unit.add(bytes.subarray(from));
  }
  const piece = unit.take(`line ${line}`);
  if (piece) yield piece;
};

/** The whole stream as one unit. */
export const splitWhole: Splitter = async function* (stream, maxBytes = UNIT_MAX_BYTES) {
  const unit = new Gathering(maxBytes);
  for await (const chunk of stream) unit.add(chunk);
  const piece = unit.take('byte 0');
  if (piece) yield piece;
};

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [34, 92, 123, 125, 91, 93];

/** White space, a comma, NUL padding or the byte order mark: what may stand between two values. */
const isBetween = (byte: number): boolean =>
  byte <= 0x20 || byte === 0x2c || byte === 0xef || byte === 0xbb || byte === 0xbf;

/**
 * The objects of a JSON file: those that stand one after another, and the elements where the file is one
 * array. Anything else between them is reported.
 */
export const splitJson: Splitter = async function* (stream, maxBytes = UNIT_MAX_BYTES) {
  const unit = new Gathering(maxBytes);
  let offset = 0;
  let depth = 0;
  let inArray = false;
  let inString = false;
  let escaped = false;
  let stray = -1;
  for await (const chunk of stream) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (depth === 0) {
        if (byte === OPEN_BRACE || (byte === OPEN_BRACKET && inArray)) {
          if (stray >= 0) yield { position: `byte ${stray}`, reason: NOT_BETWEEN };
          stray = -1;
          unit.start = offset + at;
          from = at;
          depth = 1;
        } else if (byte === OPEN_BRACKET || (byte === CLOSE_BRACKET && inArray)) {
          inArray = byte === OPEN_BRACKET;
        } else if (stray < 0 && !isBetween(byte)) stray = offset + at;
      } else if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) inString = true;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
      else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) {
        unit.add(chunk.subarray(from, at + 1));
        const piece = unit.take(`byte ${unit.start}`);
        if (piece) yield piece;
      }
    }
    if (depth > 0) unit.add(chunk.subarray(from));
    offset += chunk.length;
  }
  if (stray >= 0) yield { position: `byte ${stray}`, reason: NOT_BETWEEN };
  const piece = unit.take(`byte ${unit.start}`);
  if (piece) yield piece;
};

const NOT_BETWEEN = 'not JSON: text that belongs to no object';

/**
 * Elements of some names, whatever their prefix, each as a unit, wherever they stand in XML of any size. What
 * is around them is passed over. A document that holds none is a unit as a whole, so that its reader can say
 * what it is. An element that does not end, before the next of its name or at all, is reported. If the document
 * declares an encoding other than UTF-8, each unit begins with the declaration.
 */
export function splitElements(names: readonly string[]): Splitter {
  const open = new RegExp(`<((?:[\\w.-]+:)?(?:${names.join('|')}))(?=[\\s>])`, 'g');
  // A tag that is cut by the end of a chunk is looked at again with the next one.
  const overlap = Math.max(...names.map((name) => name.length)) + TAG_SLACK;
  return async function* (stream, maxBytes = UNIT_MAX_BYTES) {
    const unit = new Gathering(maxBytes);
    const rest = new Gathering(maxBytes);
    let head = Buffer.alloc(0) as Buffer;
    let carry = Buffer.alloc(0) as Buffer;
    let offset = 0;
    /** Full name of the element that is open. */
    let name: string | undefined;
    let found = false;
    for await (const chunk of stream) {
      if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES - head.length)]);
      const bytes = carry.length > 0 ? Buffer.concat([carry, chunk]) : asBuffer(chunk);
      // One character a byte: positions in the text are positions in the bytes.
      const text = bytes.toString('latin1');
      let from = 0;
      for (;;) {
        const end = name === undefined ? -1 : text.indexOf(`</${name}>`, from);
        open.lastIndex = from;
        let tag = open.exec(text);
        // The tag of the open element itself, and others that may stand in it.
        while (tag && name !== undefined && (tag[1] !== name || offset + tag.index === unit.start)) {
          tag = open.exec(text);
        }
        if (tag && (end < 0 || tag.index < end)) {
          if (name !== undefined) {
            unit.drop();
            yield {
              position: `byte ${unit.start}`,
              reason: `XML: <${name}> does not end before the next one`,
            };
          }
          name = tag[1];
          found = true;
          unit.start = offset + tag.index;
          unit.add(encodingDeclared(head));
          from = tag.index;
          continue;
        }
        if (end < 0 || name === undefined) break;
        const after = end + name.length + '</>'.length;
        unit.add(bytes.subarray(from, after));
        from = after;
        name = undefined;
        const piece = unit.take(`byte ${unit.start}`);
        if (piece) yield piece;
      }
      const keep = Math.max(from, bytes.length - overlap);
      if (name !== undefined) unit.add(bytes.subarray(from, keep));
      else if (!found) rest.add(bytes.subarray(from, keep));
      carry = Buffer.from(bytes.subarray(keep));
      offset += keep;
    }
    if (name !== undefined) {
      yield { position: `byte ${unit.start}`, reason: 'XML: the document does not end; the file is cut off' };
    } else if (!found) {
      rest.add(carry);
      const piece = rest.take('byte 0');
      if (piece) yield piece;
    }
  };
}

/** Bytes of `</prefix:…>` around a name. */
const TAG_SLACK = 40;
/** Longest beginning of a document in which its declaration is looked for. */
const HEAD_BYTES = 300;
const DECLARATION =
  /^(?:\u00ef\u00bb\u00bf)?\s{0,9}(<\?xml[^>]{0,200}encoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})["'][^>]{0,60}>)/;

/** The declaration of a document that names another encoding than UTF-8; else nothing. */
function encodingDeclared(head: Buffer): Buffer {
  const [, declaration = '', encoding = ''] = DECLARATION.exec(head.toString('latin1')) ?? [];
  return Buffer.from(/^utf-?8$/i.test(encoding) ? '' : declaration, 'latin1');
}
