/** POST /api/v1/patents/details: whole documents by number, up to 200 at once. */
import { parseDetails } from '../../../search/query.js';
import { withDeadline } from '../../deadline.js';
import { readJson } from '../../json-body.js';
import { jsonReply, type Route } from '../../route.js';
import { operation } from './openapi.js';

export const details: Route = {
  method: 'POST',
  path: '/api/v1/patents/details',
  endpoint: 'details',
  access: 'key',
  takesSession: true,
  operation,
  async handle({ request, services }) {
    const query = parseDetails(await readJson(request));
    if (services.publicUrl !== undefined) query.linkBase = services.publicUrl;
    const body = await withDeadline(request, services.deadlineMs, (signal) =>
      services.engine.detailsBody(query, { signal, deadlineMs: services.deadlineMs }),
    );
    // Documents are corrected and deleted. The tag shows whether the answer has changed. If-None-Match is
    // ignored: a POST selects no stored representation as a condition (RFC 9110, section 13.2.1).
    const reply = jsonReply(body.json);
    const headers = { ...reply.headers, etag: body.etag, 'cache-control': 'private, no-cache' };
    return { ...reply, headers, ownsBody: true, resultCount: query.patentIds.length };
  },
};
