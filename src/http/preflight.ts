/**
 * Answers before the app: preflights, URLs that are too long, heads that cannot be read. These answers have a
 * request id and are logged and counted, so that an operator can find them.
 */
import type { HttpReply, HttpRequest, Refusal } from './adapters/adapter.js';
import { lengthOf } from './adapters/adapter.js';
import { detailReply } from './problem.js';
import { requestIdOf } from './request-id.js';
import type { RequestObserver } from './request-record.js';
import { traceOf } from './trace-context.js';

type Asked = Pick<HttpRequest, 'method' | 'headers' | 'remoteAddress'>;

/**
 * Completes an answer to a request.
 * @param endpoint its name in log and metrics
 */
export type PreflightAnswer = (request: Asked, endpoint: string, reply: HttpReply) => HttpReply;

export function preflightAnswers(observe: RequestObserver): PreflightAnswer {
  return (request, endpoint, reply) => {
    const requestId = requestIdOf(request);
    const trace = traceOf(request);
    observe({
      endpoint,
      method: request.method,
      status: reply.status,
      // Too short to measure.
      ms: 0,
      requestId,
      client: request.remoteAddress,
      bytes: lengthOf(reply.body),
      ...(trace === undefined ? {} : { trace }),
    });
    const headers: Record<string, string> = { ...reply.headers, 'x-request-id': requestId };
    if (trace) headers['traceparent'] = trace.header;
    return { ...reply, headers };
  };
}

const REFUSED = { 400: 'bad_request', 408: 'request_timeout', 431: 'head_too_large' } as const;

/** The answer to a head that cannot be read. */
export function refusalReply(preflight: PreflightAnswer, refusal: Refusal): HttpReply {
  const { status, detail, method = '', headers = {}, remoteAddress } = refusal;
  return preflight({ method, headers, remoteAddress }, 'none', detailReply(REFUSED[status], detail));
}
