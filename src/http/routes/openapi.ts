/** GET /openapi.json: what this server offers, for programs. */
import { createHash } from 'node:crypto';
import { etagReply } from '../etag.js';
import { openApiDocument } from '../openapi/document.js';
import { packageVersion } from '../package-version.js';
import type { Route } from '../route.js';

/** By the address that it names: one a server. */
const bodies = new Map<string | undefined, { json: Uint8Array; etag: string }>();

/** Made when it is first asked for. */
function documentBody(publicUrl: string | undefined): { json: Uint8Array; etag: string } {
  let body = bodies.get(publicUrl);
  if (body === undefined) {
    const json = Buffer.from(JSON.stringify(openApiDocument(packageVersion(), publicUrl)));
    const hash = createHash('sha256').update(json).digest('base64url');
    body = { json, etag: `"${hash.slice(0, 22)}"` };
    bodies.set(publicUrl, body);
  }
  return body;
}

export const openapi: Route = {
  method: 'GET',
  path: '/openapi.json',
  endpoint: 'openapi',
  access: 'public',
  handle: ({ request, services }) => etagReply(request, documentBody(services.publicUrl), 'public, no-cache'),
};
