/** OpenAPI operations of sessions. */
import { errorAnswer, type Operation } from '../../../openapi/operation.js';
import { adminOperation, COMMON, CONTENT } from '../openapi.js';

export const sessionOperation = adminOperation({
  id: 'session',
  summary: 'The session of this request',
  answer: 'AdminSession',
  unknown: 'this request has no session',
  examples: {
    AdminSession: { open: { expires_at: '2026-02-20T17:30:00.000Z' } },
  },
});

export const logoutOperation = adminOperation({
  id: 'logout',
  summary: 'Ends the session of this request, on every server',
  answer: 'Nothing',
  changes: true,
  examples: {
    Nothing: { done: {} },
  },
});

export const loginOperation: Operation = {
  id: 'adminLogin',
  tag: 'Administration',
  summary: 'Trades the secret for a session',
  description: 'The cookie of the session is for pages. Changes by it need the header X-Priorart-Admin, too.',
  body: 'AdminLogin',
  answers: {
    200: { description: 'Signed in', content: 'AdminSession', headers: ['Set-Cookie'] },
    ...CONTENT,
    401: errorAnswer(
      { unauthorized: "that is not the administrator's secret" },
      'A wrong secret',
      'WWW-Authenticate',
    ),
    422: errorAnswer({ invalid_request: 'secret: missing; expected a text' }, 'A field is missing or wrong'),
    ...COMMON,
  },
  examples: { AdminLogin: { login: { secret: 'the 40 characters of access/admin-secret' } } },
};
