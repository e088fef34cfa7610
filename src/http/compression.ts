/**
 * Content-Encoding of large answers. Text of some kilobytes shrinks to a fifth, and saves a slow line more
 * time than the compression takes. libuv's threads compress, never the event loop.
 */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { giveBack } from '../give-back.js';
import { COMPRESS_FROM_BYTES, COMPRESSIONS_AT_ONCE } from '../limits.js';
import {
  type HttpHandler,
  type HttpReply,
  type HttpRequest,
  isEvents,
  isSource,
} from './adapters/adapter.js';
import { varied } from './cors.js';
import { preferencesIn } from './preferences.js';

type Coding = 'br' | 'gzip';
type Text = HttpReply & { body: Uint8Array | string };

// The fastest levels: the next levels take twice the processor time for a tenth fewer bytes.
const GZIP_LEVEL = 1;
const BROTLI_QUALITY = 1;

const zipped = promisify(gzip);
const squeezed = promisify<Uint8Array | string, object, Buffer>(brotliCompress);

const ENCODERS: Readonly<Record<Coding, (body: Uint8Array | string) => Promise<Buffer>>> = {
  gzip: (body) => zipped(body, { level: GZIP_LEVEL }),
  br: (body) => squeezed(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
};

/** Compresses answers that are text and large, if the client accepts a coding. */
export function withCompression(handler: HttpHandler): HttpHandler {
  // While all threads are busy, answers are sent uncompressed: the wait would cost more than the bytes.
  let running = 0;
  async function compressed(reply: Text, coding: Coding): Promise<HttpReply> {
    running++;
    try {
      const body = await ENCODERS[coding](reply.body);
      if (reply.ownsBody && typeof reply.body !== 'string') giveBack(reply.body);
      return { ...reply, body, ownsBody: true, headers: encodedHeaders(reply.headers, coding) };
    } finally {
      running--;
    }
  }
  function finish(request: HttpRequest, reply: HttpReply): HttpReply | Promise<HttpReply> {
    // A 304 has the Vary of the answer that it stands for (RFC 9110, 15.4.5). Whether that is text is unknown here.
    if (reply.status === 304) return varying(reply);
    if (!isWorthIt(reply)) return reply;
    const plain = varying(reply);
    const coding = acceptedCoding(request.headers['accept-encoding']);
    if (coding === undefined || request.method === 'HEAD' || running >= COMPRESSIONS_AT_ONCE) return plain;
    return compressed(plain, coding);
  }
  return (request) => {
    const result = handler(request);
    if (!(result instanceof Promise)) return finish(request, result);
    return result.then((reply) => reply && finish(request, reply));
  };
}

function varying<Reply extends HttpReply>(reply: Reply): Reply {
  const vary = varied(reply.headers['vary'], 'Accept-Encoding');
  return { ...reply, headers: { ...reply.headers, vary } };
}

function isWorthIt(reply: HttpReply): reply is Text {
  const { status, headers, body } = reply;
  return (
    !isSource(body) &&
    !isEvents(body) &&
    status === 200 &&
    body.length >= COMPRESS_FROM_BYTES &&
    headers['content-encoding'] === undefined &&
    /^(?:application\/(?:json|javascript)|text\/)/.test(headers['content-type'] ?? '')
  );
}

function encodedHeaders(headers: HttpReply['headers'], coding: Coding): Record<string, string> {
  const encoded: Record<string, string> = { ...headers, 'content-encoding': coding };
  // A strong tag identifies exact bytes, and compression changes the bytes.
  if (encoded['etag']?.startsWith('"')) encoded['etag'] = `W/${encoded['etag']}`;
  return encoded;
}

/** The coding that the client prefers. Of equal codings gzip, which is faster. */
export function acceptedCoding(header: string | undefined): Coding | undefined {
  if (header === undefined) return undefined;
  let best: { coding: Coding; quality: number } | undefined;
  for (const { value, quality } of preferencesIn(header)) {
    const coding = value === 'br' ? 'br' : value === 'gzip' || value === 'x-gzip' ? 'gzip' : undefined;
    if (coding === undefined) continue;
    if (!best || quality > best.quality || (quality === best.quality && coding === 'gzip')) {
      best = { coding, quality };
    }
  }
  return best?.coding;
}
