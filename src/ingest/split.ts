/**
 * Splits streams into units: consecutive XML documents, JSON values, lines. Only one unit is in memory at a
 * time, and the size of a unit is bounded.
 */

/**
 * The largest single document, in bytes. The longest real documents (with printed sequence listings) are
 * smaller.
 */
export const UNIT_MAX_BYTES = 200_000_000;

/** A unit of a stream, or the reason for a failure. */
export type Piece =
  | { position: string; bytes: Uint8Array; reason?: undefined }
  | { position: string; reason: string; bytes?: undefined };

export type Splitter = (stream: AsyncIterable<Uint8Array>, maxBytes?: number) => AsyncIterable<Piece>;

/** Collects the bytes of one unit. Drops the bytes when they exceed the limit. */
class Gathering {
  #parts: Uint8Array[] = [];
  #length = 0;
  /** Position of the unit in the stream, in bytes. */
  start = 0;

  constructor(readonly maxBytes: number) {}

  add(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#length <= this.maxBytes) this.#parts.push(part);
    else this.#parts = [];
  }

  /** Drops the current unit. */
  drop(): void {
    this.#length = 0;
    this.#parts = [];
  }

  /** Takes the current unit; `undefined` if it is only white space. */
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
    // A copy: a view would transfer the whole chunk to the worker.
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

/** Index of the next mark that is a complete name (`<?xml`, not `<?xml-stylesheet`), or -1. */
function nextMark(bytes: Buffer, mark: Buffer, from: number): number {
  for (let at = bytes.indexOf(mark, from); at >= 0; at = bytes.indexOf(mark, at + 1)) {
    const after = bytes[at + mark.length];
    if (after === undefined || after === SPACE || after === TAB || after === LINE_FEED) return at;
    if (after === CARRIAGE_RETURN || after === GREATER) return at;
  }
  return -1;
}

/** Whether a line begins behind this byte: a line end, or the last byte of the byte order mark. */
const endsLine = (byte: number | undefined): boolean =>
  byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === 0xbf;

/**
 * Consecutive documents, each from one mark to the next. Bytes before the first mark are a unit if `head` is
 * true. They are left out if they are only the prolog of an element.
 * @param isLine whether only marks at the beginning of a line count
 */
export function splitFrom(mark: Uint8Array, head: boolean, isLine = false): Splitter {
  const sought = asBuffer(mark);
  return async function* (stream, maxBytes = UNIT_MAX_BYTES) {
    const unit = new Gathering(maxBytes);
    let carry: Buffer = Buffer.alloc(0);
    let offset = 0;
    let isHead = true;
    let before = LINE_FEED;
    for await (const chunk of stream) {
      const bytes = carry.length > 0 ? Buffer.concat([carry, chunk]) : asBuffer(chunk);
      let from = 0;
      // A mark at the beginning of the carried bytes was found before.
      for (let at = nextMark(bytes, sought, 0); at >= 0; at = nextMark(bytes, sought, at + 1)) {
        if (at + mark.length >= bytes.length) break;
        if (isLine && !endsLine(at === 0 ? before : bytes[at - 1])) continue;
        unit.add(bytes.subarray(from, at));
        const piece = unit.take(`byte ${unit.start}`);
        if (piece && (head || !isHead)) yield piece;
        isHead = false;
        unit.start = offset + at;
        from = at;
      }
      // Keeps bytes that may be the beginning of a mark, but not a mark that was found.
      const keep = Math.max(from === 0 ? 0 : from + mark.length, bytes.length - mark.length);
      const added = Math.min(keep, bytes.length);
      unit.add(bytes.subarray(from, added));
      carry = Buffer.from(bytes.subarray(added));
      before = bytes[added - 1] ?? before;
      offset += added;
    }
    unit.add(carry);
    const piece = unit.take(`byte ${unit.start}`);
    if (piece) yield piece;
  };
}

/** Consecutive XML documents, as in the weekly files. Each `<?xml` begins a document. */
export const splitXml = splitFrom(Buffer.from('<?xml'), true);

/** Documents that begin with a line of one word (`PATN`). Lines before the first one are left out. */
export function splitAtLine(word: string): Splitter {
  return splitFrom(Buffer.from(word), false, true);
}

/** Documents that begin with an element (`<PATDOC`). They may follow one another without a declaration. */
export function splitAt(element: string): Splitter {
  return splitFrom(Buffer.from(element), false);
}

/** One unit per line. Positions count lines from 1. */
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

/** Bytes allowed between two values: white space, a comma, NUL padding, the byte order mark. */
const isBetween = (byte: number): boolean =>
  byte <= 0x20 || byte === 0x2c || byte === 0xef || byte === 0xbb || byte === 0xbf;

/**
 * The objects of a JSON file: consecutive objects, or the elements of one array. Positions count them from 1, and name the
 * byte. Other text between them is a failure.
 */
export const splitJson: Splitter = async function* (stream, maxBytes = UNIT_MAX_BYTES) {
  const unit = new Gathering(maxBytes);
  let offset = 0;
  let depth = 0;
  let inArray = false;
  let inString = false;
  let escaped = false;
  let stray = -1;
  let record = 0;
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
          record++;
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
        const piece = unit.take(`record ${record}, byte ${unit.start}`);
        if (piece) yield piece;
      }
    }
    if (depth > 0) unit.add(chunk.subarray(from));
    offset += chunk.length;
  }
  if (stray >= 0) yield { position: `byte ${stray}`, reason: NOT_BETWEEN };
  const piece = unit.take(`record ${record}, byte ${unit.start}`);
  if (piece) yield piece;
};

const NOT_BETWEEN = 'not JSON: text that belongs to no object';

/**
 * Elements with certain names and any prefix, at any depth of an XML document of any size, each as a unit.
 * Text around them is skipped. A document without such elements is one unit, so that its reader can name the
 * content. An element without an end tag before the next element or the end of the file is a failure. If the
 * document declares an encoding other than UTF-8, each unit begins with the declaration.
 */
export function splitElements(names: readonly string[]): Splitter {
  const open = new RegExp(`<((?:[\\w.-]+:)?(?:${names.join('|')}))(?=[\\s>])`, 'g');
  // A tag that crosses the end of a chunk is searched again with the next chunk.
  const overlap = Math.max(...names.map((name) => name.length)) + TAG_SLACK;
  return async function* (stream, maxBytes = UNIT_MAX_BYTES) {
    const unit = new Gathering(maxBytes);
    const rest = new Gathering(maxBytes);
    let head = Buffer.alloc(0) as Buffer;
    let carry = Buffer.alloc(0) as Buffer;
    let offset = 0;
    /** Full name of the open element. */
    let name: string | undefined;
    let found = false;
    for await (const chunk of stream) {
      if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES - head.length)]);
      const bytes = carry.length > 0 ? Buffer.concat([carry, chunk]) : asBuffer(chunk);
      // One character per byte: positions in the text are positions in the bytes.
      const text = bytes.toString('latin1');
      let from = 0;
      for (;;) {
        const end = name === undefined ? undefined : endTag(text, name, from);
        open.lastIndex = from;
        let tag = open.exec(text);
        // The tag of the open element itself, and tags that may occur in it.
        while (tag && name !== undefined && (tag[1] !== name || offset + tag.index === unit.start)) {
          tag = open.exec(text);
        }
        if (tag && (end === undefined || tag.index < end.at)) {
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
        if (end === undefined) break;
        unit.add(bytes.subarray(from, end.after));
        from = end.after;
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

/** Place of the next end tag, which may have white space before `>`. */
function endTag(text: string, name: string, from: number): { at: number; after: number } | undefined {
  const tag = `</${name}`;
  for (let at = text.indexOf(tag, from); at >= 0; at = text.indexOf(tag, at + 1)) {
    const blank = /\s{0,20}/y;
    blank.lastIndex = at + tag.length;
    const close = blank.lastIndex + (blank.exec(text)?.[0].length ?? 0);
    if (text[close] === '>') return { at, after: close + 1 };
  }
  return undefined;
}

/** Bytes of `</prefix:…>` in addition to the name. */
const TAG_SLACK = 40;
/** Bytes at the beginning of a document that are searched for its declaration. */
const HEAD_BYTES = 300;
const DECLARATION =
  /^(?:\u00ef\u00bb\u00bf)?\s{0,9}(<\?xml[^>]{0,200}encoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})["'][^>]{0,60}>)/;

/** The declaration of a document with an encoding other than UTF-8; otherwise empty. */
function encodingDeclared(head: Buffer): Buffer {
  const [, declaration = '', encoding = ''] = DECLARATION.exec(head.toString('latin1')) ?? [];
  return Buffer.from(/^utf-?8$/i.test(encoding) ? '' : declaration, 'latin1');
}
