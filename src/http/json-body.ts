/** The body of a POST: content type, size and JSON, checked in this order. */
import { PriorartError } from '../errors.js';
import { JSON_MAX_DEPTH } from '../limits.js';
import type { HttpRequest } from './adapters/adapter.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The decoded JSON body, not validated. Rejects with PriorartError `unsupported_media_type`,
 * `body_too_large`, `bad_json`, and the errors of `HttpRequest.body`.
 */
export async function readJson(request: HttpRequest): Promise<unknown> {
  checkContentType(request);
  const bytes = await request.body();
  if (bytes.length === 0)
    throw new PriorartError('bad_json', 'the request body is empty; expected a JSON object');
  if (depthExceeds(bytes, JSON_MAX_DEPTH)) {
    throw new PriorartError('bad_json', `the request body is nested more than ${JSON_MAX_DEPTH} levels deep`);
  }
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch (cause) {
    throw new PriorartError('bad_json', 'the request body is not UTF-8; expected a JSON object in UTF-8', {
      cause,
    });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new PriorartError('bad_json', `the request body is not JSON: ${shortened(why)}`, { cause });
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/**
 * Whether JSON is nested deeper than `most`. The check runs before recursive code sees the value: validators
 * and messages that show a value use one stack frame per level. Bytes of UTF-8 beyond ASCII never equal the
 * characters that count.
 */
export function depthExceeds(bytes: Uint8Array, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (OPENING.has(byte)) {
      depth++;
      if (depth > most) return true;
    } else if (CLOSING.has(byte)) depth--;
  }
  return false;
}

/**
 * Index of the end of the string that begins at a quote; the end of the bytes if the string is not closed.
 */
function endOfString(bytes: Uint8Array, quote: number): number {
  let at = quote + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

function checkContentType(request: HttpRequest): void {
  const coding = request.headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    throw unsupported('Content-Encoding', coding, 'a body that is not compressed');
  }
  const type = request.headers['content-type'];
  if (type === undefined) {
    throw new PriorartError('unsupported_media_type', 'Content-Type is missing; expected application/json');
  }
  const [media, ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
  if (media !== 'application/json') throw unsupported('Content-Type', type, 'application/json');
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw unsupported('Content-Type', type, 'application/json in UTF-8');
  }
}

function unsupported(header: string, value: string, expected: string): PriorartError {
  const message = `${header}: got ${JSON.stringify(shortened(value))}; expected ${expected}`;
  return new PriorartError('unsupported_media_type', message);
}

// V8's message quotes the text around the error, which may be long.
function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
