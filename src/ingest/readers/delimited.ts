/**
 * Delimited text (RFC 4180: commas or tabs, doubled quotes). Finds the records of a text and splits a stream
 * into records.
 */
import { isAscii } from 'node:buffer';
import { TABLE_RECORD_MAX_CHARS } from '../../limits.js';
import type { Piece, Splitter } from '../split.js';
import { looksLatin, UNKNOWN_SYLLABLE, UNREAD } from './decode.js';

/** Lines searched for the header. Exports put lines with their query before the header: Espacenet seven. */
const HEADER_LINES = 12;
/** Bytes from which the encoding is detected. */
const ENCODING_BYTES = 1 << 16;

/** The separator of a header line: the most frequent of comma, tab and semicolon outside of quotes. */
export function separatorOf(line: string): string {
  const bare = line.replace(/"[^"]*"/g, '');
  const counts = [',', '\t', ';'].map((mark) => ({ mark, count: bare.split(mark).length }));
  return counts.sort((a, b) => b.count - a.count)[0]?.mark ?? ',';
}

/** The cells of one record. */
export function cellsOf(record: string, separator: string): string[] {
  const cells: string[] = [];
  let at = 0;
  while (at <= record.length) {
    if (record[at] === '"') {
      let end = at + 1;
      while (end < record.length && (record[end] !== '"' || record[end + 1] === '"')) {
        end += record[end] === '"' ? 2 : 1;
      }
      const next = record.indexOf(separator, end);
      const stop = next < 0 ? record.length : next;
      cells.push(record.slice(at + 1, end).replaceAll('""', '"') + record.slice(end + 1, stop));
      at = stop + 1;
    } else {
      const next = record.indexOf(separator, at);
      const stop = next < 0 ? record.length : next;
      cells.push(record.slice(at, stop));
      at = stop + 1;
    }
  }
  return cells.map((cell) => cell.trim());
}

/** Length of the first record of a text, including the line end; 0 if the record is incomplete. */
function recordLength(text: string, from: number): number {
  let inQuotes = false;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === '"') inQuotes = !inQuotes;
    else if (character === '\n' && !inQuotes) return at + 1 - from;
  }
  return 0;
}

type Decoder = InstanceType<typeof TextDecoder>;

/** The Chinese national code, the encoding of gazette lists, and what spreadsheets write in Japan and in Korea. */
const EAST_ASIAN = ['gb18030', 'shift_jis', 'euc-kr'];

/**
 * UTF-8 if the bytes are valid UTF-8, or windows-1252, which spreadsheets write in the West. Otherwise the East Asian encoding in
 * which the bytes have a header.
 * @param isHeader absent if the header was before these bytes, in ASCII
 */
function delimitedDecoder(head: Uint8Array, isHeader?: (line: string) => boolean): Decoder {
  if (isMostlyUtf8(head)) return new TextDecoder('utf-8');
  if (looksLatin(head)) return new TextDecoder('windows-1252');
  if (isHeader === undefined) return new TextDecoder(lettersOf(head));
  const found = EAST_ASIAN.filter((label) => linesOf(head, new TextDecoder(label)).some(isHeader));
  return new TextDecoder(found.length > 1 ? lettersOf(head) : (found[0] ?? EAST_ASIAN[0]));
}

/** Letters beyond ASCII for each damaged one, at least, in UTF-8 that is damaged. Text in another encoding has about one for ten. */
const UTF8_LETTERS = 2;

const BYTE_ORDER_MARK = Buffer.from('efbbbf', 'hex');

/** Whether bytes are UTF-8, perhaps with damaged letters, which must not change how the whole file is read. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    // Some of it is not.
  }
  if (Buffer.from(bytes.buffer, bytes.byteOffset, 3).equals(BYTE_ORDER_MARK)) return true;
  const text = new TextDecoder('utf-8').decode(bytes, { stream: true });
  const damaged = text.match(/\ufffd/g)?.length ?? 0;
  return (text.match(/[^\p{ASCII}\ufffd]/gu)?.length ?? 0) >= damaged * UTF8_LETTERS;
}

/** Shares of the letters from which on a text is Korean, or Japanese. Half of a Chinese text has bytes of Korean syllables. */
const SYLLABLES = 0.95;
const KANA = 0.2;

/** The encoding of a table with English headings, which are the same in all of them: by the letters of its cells. */
function lettersOf(bytes: Uint8Array): string {
  let [letters, syllables, kana] = [0, 0, 0];
  for (let at = 0; at + 1 < bytes.length; at++) {
    const [lead = 0, trail = 0] = [bytes[at], bytes[at + 1]];
    if (lead < 0x80) continue;
    at++;
    const isWide = trail > 0xa0;
    // Punctuation and symbols of the Chinese and the Korean code.
    if (isWide && lead > 0xa0 && lead < 0xb0) continue;
    letters++;
    if (isWide && lead >= 0xb0 && lead <= 0xc8) syllables++;
    else if (lead === 0x82 || lead === 0x83) kana++;
  }
  if (syllables > letters * SYLLABLES) return 'euc-kr';
  return kana > letters * KANA ? 'shift_jis' : 'gb18030';
}

/** The first lines of a text, decoded. One of them is the header. */
export function headerLines(head: Uint8Array, isHeader: (line: string) => boolean): string[] {
  const bytes = head.subarray(0, ENCODING_BYTES);
  return linesOf(bytes, delimitedDecoder(bytes, isHeader));
}

function linesOf(bytes: Uint8Array, decoder: Decoder): string[] {
  const text = decoder.decode(bytes, { stream: true });
  const lines: string[] = [];
  let from = 0;
  while (lines.length < HEADER_LINES) {
    const length = recordLength(text, from) || text.length - from;
    if (length === 0) break;
    lines.push(text.slice(from, from + length).trim());
    from += length;
  }
  return lines;
}

/** Decodes a list that comes in parts. */
class ListText {
  readonly #isHeader: (line: string) => boolean;
  #decoder: Decoder | undefined;
  #isBegun = false;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;

  constructor(isHeader: (line: string) => boolean) {
    this.#isHeader = isHeader;
  }

  /** Whether the decoder reads a syllable that it does not know as controls. */
  get isKorean(): boolean {
    return this.#decoder?.encoding === 'euc-kr';
  }

  /** The text of a part, and of those that were kept back before it. */
  of(part: Uint8Array): string {
    if (this.#decoder !== undefined) return this.#decoder.decode(part, { stream: true });
    this.#waiting.push(part);
    this.#waitingBytes += part.length;
    return this.#waitingBytes < ENCODING_BYTES ? '' : this.#kept();
  }

  /** The text of what was kept back at the end. */
  rest(): string {
    return this.#kept() + (this.#decoder?.decode() ?? '');
  }

  #kept(): string {
    const bytes = Buffer.concat(this.#waiting);
    [this.#waiting, this.#waitingBytes] = [[], 0];
    const isHeader = this.#isBegun ? undefined : this.#isHeader;
    this.#isBegun = true;
    // ASCII is the same in all encodings: the first other letter tells which one it is.
    if (isAscii(bytes)) return bytes.toString('latin1');
    this.#decoder = delimitedDecoder(bytes, isHeader);
    return this.#decoder.decode(bytes, { stream: true });
  }
}

const QUOTE = 34;
const NEWLINE = 10;

/** Cuts text that comes in parts into records. It scans each character once: a record may be millions of them. */
class Records {
  /** Of the record that is not complete. */
  #parts: string[] = [];
  #inQuotes = false;
  /** Characters of the record that is not complete. */
  waiting = 0;

  /** The records that a part completes. */
  *of(text: string): Generator<string> {
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) this.#inQuotes = !this.#inQuotes;
      else if (code === NEWLINE && !this.#inQuotes) {
        this.#keep(text.slice(from, at + 1));
        yield this.#taken();
        from = at + 1;
      }
    }
    this.#keep(text.slice(from));
  }

  /** The last record, if it has no line end. */
  *rest(): Generator<string> {
    if (this.waiting > 0) yield this.#taken();
  }

  #keep(part: string): void {
    if (part === '') return;
    this.#parts.push(part);
    this.waiting += part.length;
  }

  #taken(): string {
    const record = this.#parts.join('');
    [this.#parts, this.waiting] = [[], 0];
    return record;
  }
}

/**
 * Splits a table into records in UTF-8, each with the header before it. Positions count lines. `isHeader`
 * recognises the header among the first lines.
 */
export function splitDelimited(isHeader: (line: string) => boolean): Splitter {
  return async function* (stream, maxChars = TABLE_RECORD_MAX_CHARS): AsyncIterable<Piece> {
    const text = new ListText(isHeader);
    const records = new Records();
    let header: string | undefined;
    let line = 1;
    const pieces = function* (found: Iterable<string>): Generator<Piece> {
      for (const each of found) {
        const record = each.replace(/\r?\n$/, '');
        const position = `line ${line}`;
        line += record.split('\n').length;
        // A heading in quotes may have several lines.
        if (header === undefined) header = isHeader(record) ? record.replaceAll(/\r?\n/g, ' ') : undefined;
        else if (record.replaceAll(/[,;\t"\s]/g, '') !== '') {
          if (text.isKorean && UNREAD.test(record)) yield { position, reason: UNKNOWN_SYLLABLE };
          else yield { position, bytes: new Uint8Array(Buffer.from(`${header}\n${record}`)) };
        }
      }
    };
    for await (const chunk of stream) {
      yield* pieces(records.of(text.of(chunk)));
      if (records.waiting > maxChars) {
        // An unclosed quote makes the rest of the file one record.
        yield {
          position: `line ${line}`,
          reason: `a record of more than ${maxChars} characters; is a quote not closed?`,
        };
        return;
      }
    }
    yield* pieces(records.of(text.rest()));
    yield* pieces(records.rest());
  };
}
