/**
 * The lines of standard input. Lines that are too long or are no messages are answered here: the protocol's library ends at a
 * line above 10 MB, and answers no others.
 */
import { Transform, type TransformCallback } from 'node:stream';
import { MCP_LINE_MAX_BYTES } from '../limits.js';
import { faultAnswer, formFault, INVALID_REQUEST, PARSE_ERROR, parameterFault } from './messages.js';

const NEWLINE = 0x0a;

export class CheckedLines extends Transform {
  readonly #answer: (line: string) => void;
  #parts: Buffer[] = [];
  #length = 0;

  /** @param answer called with the answers to lines that are left out, as lines */
  constructor(answer: (line: string) => void) {
    super();
    this.#answer = answer;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, end));
      this.#endLine();
      from = end + 1;
    }
    this.#add(chunk.subarray(from));
    done();
  }

  /** Keeps a part of a line, unless the line is too long. */
  #add(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > MCP_LINE_MAX_BYTES) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  #endLine(): void {
    const [length, line] = [this.#length, Buffer.concat(this.#parts)];
    [this.#length, this.#parts] = [0, []];
    if (length > MCP_LINE_MAX_BYTES) {
      const most = MCP_LINE_MAX_BYTES.toLocaleString('en');
      this.#refuse(
        INVALID_REQUEST,
        `a message of ${length.toLocaleString('en')} bytes; expected at most ${most}`,
      );
      return;
    }
    const text = line.toString().trim();
    if (text === '') return;
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      this.#refuse(PARSE_ERROR, 'the line is not JSON');
      return;
    }
    const fault = formFault(message) ?? parameterFault(message);
    if (fault) this.#answer(`${faultAnswer(fault)}\n`);
    else this.push(`${text}\n`);
  }

  #refuse(code: number, message: string): void {
    this.#answer(`${faultAnswer({ code, message, id: null })}\n`);
  }
}
