/** GET /api/v1/stats/coverage: the contents of the index. Needs no key. */
import { isPriorartError, PriorartError } from '../../../errors.js';
import { COVERAGE_MAX_AGE_S } from '../../../limits.js';
import type { TaggedBody } from '../../../search/types.js';
import { withDeadline } from '../../deadline.js';
import { etagReply } from '../../etag.js';
import type { Call, Route } from '../../route.js';
import { operation } from './openapi.js';

const CACHE = `public, max-age=${COVERAGE_MAX_AGE_S}`;

export const coverage: Route = {
  method: 'GET',
  path: '/api/v1/stats/coverage',
  endpoint: 'coverage',
  access: 'public',
  operation,
  handle({ request, services }) {
    const { engine, deadlineMs } = services;
    const body = available(() => engine.coverageBody({ deadlineMs }));
    // Answered in the same turn if the counts exist: this route is cheap.
    if (!(body instanceof Promise)) return etagReply(request, body, CACHE);
    // Nothing waits for the count if the client has gone. Its failure would then end the process.
    body.catch(() => {});
    return withDeadline(request, deadlineMs, () => body).then(
      (counted) => etagReply(request, counted, CACHE),
      (error: unknown) => unavailable(error),
    );
  },
};

function available(
  count: () => ReturnType<Call['services']['engine']['coverageBody']>,
): TaggedBody | Promise<TaggedBody> {
  try {
    return count();
  } catch (error) {
    return unavailable(error);
  }
}

/** The document is unavailable: 503 for every reason, as in the specification. */
function unavailable(error: unknown): never {
  if (isPriorartError(error) && (error.status === 503 || error.code === 'cancelled')) throw error;
  throw new PriorartError('unavailable', 'the coverage document is unavailable', { cause: error });
}
