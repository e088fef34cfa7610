/** GET /openapi.json: what this server offers, for programs. */
import { createHash } from 'node:crypto';
import { openApiDocument } from '../openapi/document.js';
import { packageVersion } from '../package-version.js';
import type { Route } from '../route.js';
import { taggedReply } from '../tagged.js';

let body: { json: Uint8Array; etag: string } | undefined;

/** Made when it is first asked for. */
function documentBody(): { json: Uint8Array; etag: string } {
  if (body === undefined) {
    const json = Buffer.from(JSON.stringify(openApiDocument(packageVersion())));
    const hash = createHash('sha256').update(json).digest('base64url');
    body = { json, etag: `"${hash.slice(0, 22)}"` };
  }
  return body;
}

export const openapi: Route = {
  method: 'GET',
  path: '/openapi.json',
  endpoint: 'openapi',
  access: 'public',
  handle: ({ request }) => taggedReply(request, documentBody(), 'public, no-cache'),
};
