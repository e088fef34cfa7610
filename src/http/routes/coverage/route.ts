/** GET /api/v1/stats/coverage: what the index holds, for everybody. */
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
    // At once where it is counted already: this route is cheap.
    if (!(body instanceof Promise)) return etagReply(request, body, CACHE);
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

/** The document can not be had, for whatever reason: 503, as the specification wants it. */
function unavailable(error: unknown): never {
  if (isPriorartError(error) && (error.status === 503 || error.code === 'cancelled')) throw error;
  throw new PriorartError('unavailable', 'the coverage document is unavailable', { cause: error });
}
