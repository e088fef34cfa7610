/** POST /api/v1/search/semantic: ranked patents with the passages that matched. */
import { parseSemantic } from '../../../search/query.js';
import { withDeadline } from '../../deadline.js';
import { readJson } from '../../json-body.js';
import { jsonReply, type Route } from '../../route.js';
import { operation } from './openapi.js';

export const semantic: Route = {
  method: 'POST',
  path: '/api/v1/search/semantic',
  endpoint: 'semantic',
  access: 'key',
  takesSession: true,
  operation,
  async handle(call) {
    const { request, services } = call;
    const query = parseSemantic(await readJson(request));
    await call.reserveQuota(query.query);
    const { json, results } = await withDeadline(request, services.deadlineMs, (signal) =>
      services.engine.searchBody(query, { signal, deadlineMs: services.deadlineMs }),
    );
    return { ...jsonReply(json), ownsBody: true, resultCount: results };
  },
};
