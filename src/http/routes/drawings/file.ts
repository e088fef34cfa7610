/**
 * GET /files/drawings/{file}: an image of the data folder, for clients with a signed link. The file is read
 * at the speed of the client. HEAD does not read the file.
 */
import { stat } from 'node:fs/promises';
import { SignedDrawings } from '../../../drawings/signed.js';
import { IMAGE_TYPE } from '../../../drawings/store.js';
import { PriorartError } from '../../../errors.js';
import type { HttpReply, HttpRequest } from '../../adapters/adapter.js';
import { byteRange } from '../../byte-range.js';
import { matches } from '../../etag.js';
import { FileSource } from '../../file-source.js';
import { detailReply } from '../../problem.js';
import type { Route } from '../../route.js';
import { fileOperation } from './openapi.js';

export const drawingFile: Route = {
  method: 'GET',
  path: '/files/drawings/{file}',
  endpoint: 'drawing-files',
  access: 'signed',
  operation: fileOperation,
  async handle({ request, parameters, services }) {
    const { drawings } = services;
    if (!(drawings instanceof SignedDrawings)) throw notFound();
    const { content, secondsLeft } = drawings.check(parameters['file'] ?? '', request.query);
    const headers = {
      etag: `"${content}"`,
      'accept-ranges': 'bytes',
      'cache-control': `private, max-age=${Math.floor(secondsLeft)}, immutable`,
      'x-content-type-options': 'nosniff',
    };
    if (matches(request.headers['if-none-match'], headers.etag)) return { status: 304, headers, body: '' };
    const path = drawings.path(content);
    const { size } = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') throw notFound();
      throw error;
    });
    return imageReply(request, { path, size }, headers);
  },
};

function imageReply(
  request: HttpRequest,
  { path, size }: { path: string; size: number },
  headers: Record<string, string>,
): HttpReply {
  const ifRange = request.headers['if-range'];
  const isOfThis = ifRange === undefined || ifRange.trim() === headers['etag'];
  // RFC 9110, 14.2: only GET has ranges.
  const hasRange = isOfThis && request.method === 'GET';
  const range = hasRange ? byteRange(request.headers['range'], size) : undefined;
  const image = { 'content-type': IMAGE_TYPE, ...headers };
  if (range === undefined) return { status: 200, headers: image, body: new FileSource(path, 0, size) };
  if (range === 'beyond') {
    const detail = `the range is beyond the image; it has ${size} bytes`;
    return detailReply('range_not_satisfiable', detail, { 'content-range': `bytes */${size}` });
  }
  const { from, to } = range;
  return {
    status: 206,
    headers: { ...image, 'content-range': `bytes ${from}-${to}/${size}` },
    body: new FileSource(path, from, to + 1 - from),
  };
}

function notFound(): PriorartError {
  return new PriorartError('not_found', 'there is no such image');
}
