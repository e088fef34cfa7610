/**
 * POST /api/v1/search/semantic-analytics: statistics over all patents above the similarity limit, and a page
 * of them.
 */
import { parseAnalytics } from '../../../search/query.js';
import { withDeadline } from '../../deadline.js';
import { readJson } from '../../json-body.js';
import { jsonReply, type Route } from '../../route.js';
import { operation } from './openapi.js';

export const semanticAnalytics: Route = {
  method: 'POST',
  path: '/api/v1/search/semantic-analytics',
  endpoint: 'semantic-analytics',
  access: 'key',
  takesSession: true,
  operation,
  async handle(call) {
    const { request, services } = call;
    const query = parseAnalytics(await readJson(request));
    await call.reserveQuota(query.query);
    const owner = call.key?.id ?? '';
    const { json, results } = await withDeadline(request, services.deadlineMs, (signal) =>
      services.engine.analyticsBody(query, { owner, signal, deadlineMs: services.deadlineMs }),
    );
    return { ...jsonReply(json), ownsBody: true, resultCount: results };
  },
};
