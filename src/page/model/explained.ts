/** What the page says itself, in its own language, of errors of the server. The server speaks English. */
import type { Texts } from '../languages/index.js';

/** The answer to a failed call. */
export interface Refusal {
  /** X-Error-Code. */
  code: string;
  /** HTTP status. */
  status: number;
  /** The server's `detail`, or empty. */
  message: string;
  /** Seconds to wait; 0 if the server named none. */
  retryAfter: number;
}

/** The wait if the server names none, s. */
const WAIT_S = 5;

/** Messages whose code says less than they do. */
const MESSAGES: readonly [RegExp, (texts: Texts, part: string) => string][] = [
  [/^this server needs a sign-in to search$/, ({ errors }) => errors.noVisitors],
  [/^(?:Host|Origin): got "(.*)"; /, ({ errors }, address) => errors.explained.address(address)],
  [/^a proxy forwards this request \((.*)\)/, ({ errors }, header) => errors.explained.proxy(header)],
  [/^the current password is wrong$/, ({ errors }) => errors.explained.password],
  [/^the account or the password is wrong/, ({ errors }) => errors.explained.signIn],
  [/^that is not the administrator's secret$/, ({ errors }) => errors.explained.secret],
  [/^account (\S+) has the name /, ({ errors }, account) => errors.explained.nameTaken(account)],
];

const CODES: Readonly<Record<string, (texts: Texts, seconds: number) => string>> = {
  unreachable: ({ errors }) => errors.unreachable,
  maintenance: ({ errors }, seconds) => errors.maintenance(seconds),
  rate_limited: ({ errors }, seconds) => errors.busy(seconds),
  overloaded: ({ errors }, seconds) => errors.busy(seconds),
  unavailable: ({ errors }, seconds) => errors.explained.unavailable(seconds),
  no_data: ({ start }) => start.empty,
  cancelled: ({ errors }) => errors.explained.stopped,
  internal: ({ errors }) => errors.explained.internal,
  embedding_failed: ({ errors }) => errors.explained.internal,
  unauthorized: ({ errors }) => errors.ended,
  forbidden: ({ errors }) => errors.explained.forbidden,
  key_deactivated: ({ errors }) => errors.explained.forbidden,
  not_found: ({ errors }) => errors.explained.notFound,
  body_too_large: ({ errors }) => errors.explained.tooLarge,
  uri_too_long: ({ errors }) => errors.explained.tooLarge,
  head_too_large: ({ errors }) => errors.explained.tooLarge,
  request_timeout: ({ errors }) => errors.explained.slow,
};

/** Says why a call failed: in the language of the page, or else in the words of the server. */
export function explained({ code, status, message, retryAfter }: Refusal, texts: Texts): string {
  for (const [form, said] of MESSAGES) {
    const found = form.exec(message);
    if (found) return said(texts, found[1] ?? '');
  }
  return CODES[code]?.(texts, retryAfter || WAIT_S) ?? (message || texts.errors.unexplained(status));
}
