/** GET /openapi.json: the endpoints of this server, for programs. */
import { createHash } from 'node:crypto';
import { etagReply } from '../../etag.js';
import { openApiDocument } from '../../openapi/document.js';
import { packageVersion } from '../../package-version.js';
import type { Route } from '../../route.js';
import { documentOperation } from './openapi.js';

interface DocumentBody {
  json: Uint8Array;
  etag: string;
}

function documentBody(routes: readonly Route[], publicUrl: string | undefined): DocumentBody {
  const json = Buffer.from(JSON.stringify(openApiDocument(routes, packageVersion(), publicUrl)));
  const hash = createHash('sha256').update(json).digest('base64url');
  return { json, etag: `"${hash.slice(0, 22)}"` };
}

/** @param routes the endpoints in the document, including this endpoint */
export function openapi(routes: () => readonly Route[]): Route {
  /** Documents by their public URL. The first request creates the document. */
  const bodies = new Map<string | undefined, DocumentBody>();
  return {
    method: 'GET',
    path: '/openapi.json',
    endpoint: 'openapi',
    access: 'public',
    operation: documentOperation,
    handle({ request, services: { publicUrl } }) {
      const body = bodies.get(publicUrl) ?? documentBody(routes(), publicUrl);
      bodies.set(publicUrl, body);
      return etagReply(request, body, 'public, no-cache');
    },
  };
}
