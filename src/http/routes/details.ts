/** POST /api/v1/patents/details: whole documents by number, up to 200 at once. */
import { parseDetails } from '../../search/query.js';
import { withDeadline } from '../deadline.js';
import { readJson } from '../json-body.js';
import type { Route } from '../route.js';
import { taggedReply } from '../tagged.js';

export const details: Route = {
  method: 'POST',
  path: '/api/v1/patents/details',
  endpoint: 'details',
  access: 'key',
  async handle({ request, services }) {
    const query = parseDetails(await readJson(request));
    const body = await withDeadline(request, services.deadlineMs, (signal) =>
      services.engine.detailsBody(query, { signal, deadlineMs: services.deadlineMs }),
    );
    // Documents are corrected and deleted: whoever keeps an answer has to ask whether it still holds.
    const reply = taggedReply(request, body, 'private, no-cache');
    return { ...reply, resultCount: query.patentIds.length };
  },
};
