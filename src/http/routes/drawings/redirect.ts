/** GET /api/v1/drawings/{publication_id}/{filename}: redirects to the current link of the image. */
import { PriorartError } from '../../../errors.js';
import type { Route } from '../../route.js';
import { redirectOperation } from './openapi.js';

/**
 * The path from this endpoint to the root of the server. A proxy may serve this server under a path prefix; a
 * link that begins with `/` would lose the prefix.
 */
const RELATIVE_ROOT = '../../../..';
/** An index on a cluster has no folder of drawings. */
const NOT_SERVED = 'no drawings are served here: the server was started without --s3-bucket';
const ALLOWED = ['.webp', '.jpg', '.jpeg', '.png'] as const;

export const drawings: Route = {
  method: 'GET',
  path: '/api/v1/drawings/{publication_id}/{filename}',
  endpoint: 'drawings',
  access: 'public',
  operation: redirectOperation,
  async handle({ parameters, services }) {
    const { publication_id: publication = '', filename = '' } = parameters;
    checkExtension(filename);
    if (services.drawings === undefined) throw new PriorartError('not_found', NOT_SERVED);
    const content = await services.engine.findDrawing(publication, filename);
    const link = services.drawings.link(content);
    // A cache that stores the redirect would serve expired links.
    const headers = {
      location: link.startsWith('/') ? RELATIVE_ROOT + link : link,
      'cache-control': 'no-store',
    };
    return { status: 302, headers, body: '' };
  },
};

/** Checks only the text. The text is never used as a path. */
function checkExtension(filename: string): void {
  const lower = filename.toLowerCase();
  if (ALLOWED.some((extension) => lower.endsWith(extension))) return;
  const extension = /\.[a-z0-9]{1,10}$/.exec(lower)?.[0];
  const got = extension === undefined ? 'has no extension' : `has the extension ${extension}`;
  throw new PriorartError(
    'bad_drawing_extension',
    `the file name of the drawing ${got}; expected one of ${ALLOWED.join(', ')}`,
  );
}
