/** OpenAPI operations of the page's sessions. */
import { INTERNAL, TOO_MANY_OF_ADDRESS, UNAVAILABLE } from '../../openapi/answers.js';
import { errorAnswer, type Operation } from '../../openapi/operation.js';
import { CONTENT } from '../admin/openapi.js';

const COMMON: Operation['answers'] = { 429: TOO_MANY_OF_ADDRESS, 500: INTERNAL, 503: UNAVAILABLE };
const account = {
  id: 'acc_Xy12abcdef34',
  name: 'Patent team',
  plan: 'basic' as const,
  monthly_quota: 300,
  used: 12,
  resets_at: '2026-03-15T00:00:00.000Z',
};
const FORBIDDEN = (why: string) =>
  errorAnswer(
    { forbidden: 'a request with a session needs the header x-priorart-page and a page of this server' },
    why,
  );

export const pageSessionOperation: Operation = {
  id: 'pageSession',
  tag: 'Web page',
  summary: 'The session of this request',
  description: 'For the web page. Programs use API keys.',
  answers: { 200: { description: 'The session', content: 'PageSession' }, ...COMMON },
  examples: {
    PageSession: {
      none: { kind: 'none', can_sign_in: true, has_mcp_sign_in: false, can_visit: false },
      account: {
        kind: 'account',
        account,
        expires_at: '2026-02-20T17:30:00.000Z',
        can_sign_in: true,
        has_mcp_sign_in: true,
        can_visit: false,
      },
    },
  },
};

export const pageSignInOperation: Operation = {
  id: 'pageSignIn',
  tag: 'Web page',
  summary: 'Opens a session, for an account or a visitor',
  description:
    'Sets the cookie priorart_session. With it and the header X-Priorart-Page, the endpoints of searches and documents ' +
    'need no API key. Visitors are possible on a server for its own machine with the demonstration account, or if ' +
    '--page-account names an account for them.',
  body: 'PageSignIn',
  answers: {
    200: { description: 'The session is open', content: 'PageSession', headers: ['Set-Cookie'] },
    ...CONTENT,
    401: errorAnswer(
      {
        unauthorized:
          'the account or the password is wrong; if accounts share this name, sign in with the id',
      },
      'A wrong account or password',
      'WWW-Authenticate',
    ),
    403: FORBIDDEN('The header X-Priorart-Page is missing, or visitors have to sign in'),
    422: errorAnswer(
      { invalid_request: 'account: missing; expected account and password, or visitor' },
      'A field is missing or wrong',
    ),
    ...COMMON,
  },
  examples: {
    PageSignIn: {
      visitor: { visitor: true },
      account: { account: 'Patent team', password: 'a password of 12 characters or more' },
    },
  },
};

export const pageSignOutOperation: Operation = {
  id: 'pageSignOut',
  tag: 'Web page',
  summary: 'Ends the session of this request, on every server',
  description: 'Removes the cookie, too.',
  answers: {
    200: { description: 'There is no session any more', content: 'PageSession', headers: ['Set-Cookie'] },
    403: FORBIDDEN('The header X-Priorart-Page is missing'),
    ...COMMON,
  },
};
