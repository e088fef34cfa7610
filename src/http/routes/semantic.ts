/** POST /api/v1/search/semantic: ranked patents with the passages that matched. */
import { parseSemantic } from '../../search/query.js';
import { withDeadline } from '../deadline.js';
import { readJson } from '../json-body.js';
import { jsonReply, type Route } from '../route.js';

export const semantic: Route = {
  method: 'POST',
  path: '/api/v1/search/semantic',
  endpoint: 'semantic',
  access: 'key',
  async handle(call) {
    const { request, services } = call;
    const query = parseSemantic(await readJson(request));
    await call.reserveQuota(query.query);
    const bytes = await withDeadline(request, services.deadlineMs, (signal) =>
      services.engine.searchBytes(query, { signal, deadlineMs: services.deadlineMs }),
    );
    const total = totalOf(bytes);
    return { ...jsonReply(bytes), ...(total === undefined ? {} : { resultCount: total }) };
  },
};

/** The number that the answer begins with; the rest of it is not worth parsing for that. */
function totalOf(json: Uint8Array): number | undefined {
  const digits = /^\{"total":(\d+)/.exec(
    Buffer.from(json.buffer, json.byteOffset, Math.min(24, json.length)).toString('latin1'),
  )?.[1];
  return digits === undefined ? undefined : Number(digits);
}
